"""Decisions as one batch takes them."""

import pytest

from tarsy_bus.log.writer import BATCH_BYTES
from tarsy_contracts import events as e
from tarsy_contracts.events.recorded import decode
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.wire.envelope import Envelope
from tarsy_orchestrator.partition import decision_batch
from tarsy_orchestrator.partition.decision_batch import Decision, PendingInput, SessionTail, make_decisions
from tarsy_session.decide import decide_steps as really_decide
from tarsy_session.decision_input import DecisionInput
from tarsy_session.lookahead import LookaheadStep
from tarsy_session.state import NOT_STARTED, SessionState
from tarsy_testing.story.story import ALERT, DELETE, READ, SESSION, Story, agent, chain, stage


def decisions(story: Story, *waiting: PendingInput) -> tuple[list[Decision], list[PendingInput]]:
    last = story.log[-1].envelope
    tail = SessionTail(story.state, last.id, last.sequence or 0)
    made, left, undecided = make_decisions(waiting, lambda _: tail, source="test")
    assert undecided == []
    return made, left


def written(decision: Decision) -> list[e.Event]:
    return [decode(e.EVENTS, Envelope.from_headers(entry.headers), entry.value) for entry in decision.entries]


def test_an_answer_that_no_batch_could_hold_fails_the_session_instead_of_the_owner() -> None:
    story = Story().asking()
    answer = story.answer("x" * BATCH_BYTES)
    (decision,), left = decisions(story, PendingInput(SESSION, story.given(answer)))
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
        PendingInput(SESSION, story.given(story.result(call, half), offset=90 + at))
        for at, call in enumerate((first, second))
    ]
    made, left = decisions(story, *waiting)
    assert len(made) == 1
    assert left == waiting[1:]


def test_an_alert_that_fits_the_inbox_and_no_batch_is_not_decided_to_nothing_without_a_word() -> None:
    """Its control characters take six bytes each, and beside them stands the plan."""
    story = Story(alert=ALERT.model_copy(update={"data": "\x01" * (BATCH_BYTES // 6)}))
    given = story.given(i.AlertReceived(alert=story.alert))
    made, left, undecided = make_decisions(
        [PendingInput(SESSION, given)], lambda _: SessionTail(NOT_STARTED, None, 0), source="test"
    )
    assert (left, undecided) == ([], [])
    assert made[0].entries == ()
    assert made[0].unfit.startswith("what followed from alert.received had ")


def test_a_decision_that_raises_leaves_the_others_of_the_batch_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    poisoned = "poisoned"
    really = really_decide

    def decide_steps(session_id: str, state: SessionState, given: DecisionInput) -> list[LookaheadStep]:
        if session_id == poisoned:
            raise ZeroDivisionError
        return really(session_id, state, given)

    monkeypatch.setattr(decision_batch, "decide_steps", decide_steps)
    story = Story()
    alert, cancel = i.AlertReceived(alert=ALERT), i.CancelRequested(request_id="r", author="ann")
    waiting = [
        PendingInput(poisoned, story.given(alert, offset=1)),
        PendingInput(SESSION, story.given(alert, offset=2)),
        PendingInput(poisoned, story.given(cancel, offset=3)),
    ]
    made, left, undecided = make_decisions(waiting, lambda _: SessionTail(NOT_STARTED, None, 0), source="test")
    assert [one.waiting for one in made] == [waiting[1]]
    assert left == []
    assert [(one.waiting, type(one.problem)) for one in undecided] == [
        (waiting[0], ZeroDivisionError),
        (waiting[2], type(None)),
    ]


def test_what_a_decision_grants_counts_for_the_next_one_of_the_same_batch() -> None:
    actor = agent("Remediator").model_copy(update={"action": "act"})
    plan = chain(stage(actor)).model_copy(update={"actions_per_hour": 1})
    story = Story(plan=plan).calling(DELETE)
    claim = story.given(story.claim(story.call_ids[0]))
    first, second = decisions(story, PendingInput(SESSION, claim), PendingInput("another", claim))[0]
    assert [event.type for event in written(first)] == ["tool_call.started"]
    held = written(second)[0]
    assert isinstance(held, e.ToolCallCompleted)
    assert held.held_by == "limit"
