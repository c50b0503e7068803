"""Decisions as one batch takes them."""

from tarsy_bus.log_writer import BATCH_BYTES
from tarsy_contracts import events as e
from tarsy_contracts.envelope import Envelope
from tarsy_contracts.recorded import decode
from tarsy_orchestrator.deciding import Decision, Tail, Waiting, make_decisions
from tarsy_story import READ, SESSION, Story


def decisions(story: Story, *waiting: Waiting) -> tuple[list[Decision], list[Waiting]]:
    last = story.log[-1].envelope
    tail = Tail(story.state, last.id, last.sequence or 0)
    return make_decisions(waiting, lambda _: tail, source="test")


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
