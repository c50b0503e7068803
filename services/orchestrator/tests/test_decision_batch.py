"""Decisions as one batch takes them."""

import pytest

from tarsy_bus.log_writer import BATCH_BYTES
from tarsy_contracts import events as e
from tarsy_contracts import inputs as i
from tarsy_contracts.envelope import Envelope
from tarsy_contracts.recorded import decode
from tarsy_orchestrator.partition import decision_batch
from tarsy_orchestrator.partition.decision_batch import Decision, Tail, Waiting, make_decisions
from tarsy_orchestrator.session.decide import decided as really_decided
from tarsy_orchestrator.session.decision_input import Given
from tarsy_orchestrator.session.lookahead import Step
from tarsy_orchestrator.session.state import ABSENT, State
from tarsy_story import ALERT, READ, SESSION, Story


def decisions(story: Story, *waiting: Waiting) -> tuple[list[Decision], list[Waiting]]:
    last = story.log[-1].envelope
    tail = Tail(story.state, last.id, last.sequence or 0)
    made, left, undecided = make_decisions(waiting, lambda _: tail, source="test")
    assert undecided == []
    return made, left


def written(decision: Decision) -> list[e.Event]:
    return [decode(e.EVENTS, Envelope.from_headers(entry.headers), entry.value) for entry in decision.entries]


def test_an_answer_that_no_batch_could_hold_fails_the_session_instead_of_the_owner() -> None:
    story = Story().asking()
    answer = story.answer("x" * BATCH_BYTES)
    (decision,), left = decisions(story, Waiting(SESSION, story.given(answer)))
    assert left == []
    assert sum(entry.size for entry in decision.entries) < BATCH_BYTES
    assert [event.type for event in written(decision)] == [
        "llm_call.failed",
        "execution.completed",
        "stage.completed",
        "session.failed",
    ]


def test_what_does_not_fit_beside_the_others_waits_for_the_next_batch() -> None:
    story = Story().calling(READ, READ)
    first, second = story.call_ids
    half = "x" * (BATCH_BYTES * 2 // 3)
    waiting = [
        Waiting(SESSION, story.given(story.result(call, half), offset=90 + at))
        for at, call in enumerate((first, second))
    ]
    made, left = decisions(story, *waiting)
    assert len(made) == 1
    assert left == waiting[1:]


def test_an_alert_that_fits_the_inbox_and_no_batch_is_not_decided_to_nothing_without_a_word() -> None:
    """Its control characters take six bytes each, and beside them stands the plan."""
    story = Story(alert=ALERT.model_copy(update={"data": "\x01" * (BATCH_BYTES // 6)}))
    given = story.given(i.AlertReceived(alert=story.alert))
    made, left, undecided = make_decisions([Waiting(SESSION, given)], lambda _: Tail(ABSENT, None, 0), source="test")
    assert (left, undecided) == ([], [])
    assert made[0].entries == ()
    assert made[0].unfit.startswith("what followed from alert.received had ")


def test_a_decision_that_raises_leaves_the_others_of_the_batch_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    poisoned = "poisoned"
    really = really_decided

    def decided(session_id: str, state: State, given: Given) -> list[Step]:
        if session_id == poisoned:
            raise ZeroDivisionError
        return really(session_id, state, given)

    monkeypatch.setattr(decision_batch, "decided", decided)
    story = Story()
    alert, cancel = i.AlertReceived(alert=ALERT), i.CancelRequested(request_id="r", author="ann")
    waiting = [
        Waiting(poisoned, story.given(alert, offset=1)),
        Waiting(SESSION, story.given(alert, offset=2)),
        Waiting(poisoned, story.given(cancel, offset=3)),
    ]
    made, left, undecided = make_decisions(waiting, lambda _: Tail(ABSENT, None, 0), source="test")
    assert [one.waiting for one in made] == [waiting[1]]
    assert left == []
    assert [(one.waiting, type(one.problem)) for one in undecided] == [
        (waiting[0], ZeroDivisionError),
        (waiting[2], type(None)),
    ]
