"""The sweep of a chat: at every event of a reply somebody dies, and the question is answered as if nobody had.

The investigation before is brief; test_sweep_in_process.py sweeps a whole one. The second life lies behind the
first in the log, and its prompt is made of all that was before.
"""

from datetime import timedelta
from functools import cache

import pytest

from tarsy_contracts import events as e
from tarsy_testing.simulation.investigation import BRIEF_ALERT
from tarsy_testing.simulation.playing import Death, Played, play
from tarsy_testing.simulation.sweeping import deaths_at, faults, record_faults, sampled, still_open

QUESTIONS = 1
RECORD_EVERY = 3


def played(*deaths: Death, cancelled_at: int | None = None, poisoned_from: int | None = None) -> Played:
    return play(*deaths, cancelled_at=cancelled_at, poisoned_from=poisoned_from, alert=BRIEF_ALERT, questions=QUESTIONS)


@cache
def undisturbed() -> Played:
    return played()


def batches_of_the_reply() -> list[int]:
    """The first event of each."""
    reopened = undisturbed().log.types.index("session.reopened") + 1
    firsts = [batch[0] for batch in undisturbed().batches]
    return [first for first in firsts if first >= reopened]


def test_everything_happens_in_the_reply_that_can_be_lost() -> None:
    log = undisturbed().log
    assert faults(undisturbed(), undisturbed()) + record_faults(undisturbed()) == []
    (asked,) = log.events(e.QuestionAsked)
    (reply,) = log.events(e.ReplyCompleted)
    assert (reply.status, reply.stage_id) == ("completed", asked.stage_id)
    reopened = log.types.index("session.reopened")
    calls = [record.event for record in log.accepted[reopened:] if isinstance(record.event, e.ToolCallRequested)]
    assert [(call.tool, call.repeatable) for call in calls] == [
        ("read_result", True),
        ("pods_log", True),
        ("rollout_restart", False),
    ]
    assert any(type == "summary.completed" for type in log.types[reopened:])


def every_death() -> list[Death]:
    return sampled([death for event in batches_of_the_reply() for death in deaths_at(event)])


@pytest.mark.parametrize("death", every_death(), ids=str)
def test_whoever_dies_at_whichever_event_of_a_reply_nothing_is_lost(death: Death) -> None:
    one = played(death)
    assert faults(one, undisturbed(), death) == []
    if death.event % RECORD_EVERY == 0:
        assert record_faults(one) == []


@pytest.mark.parametrize("way", ["forgotten", "remembered"])
def test_an_owner_that_never_had_the_session_in_memory_answers(way: str) -> None:
    """Its owner dies when the session has come to rest: the next one knows its head alone."""
    end = undisturbed().log.types.index("session.completed") + 1
    (last,) = [batch[0] for batch in undisturbed().batches if end in batch]
    death = Death("orchestrator", "after", last, "forgotten" if way == "forgotten" else "remembered")
    assert faults(played(death), undisturbed(), death) == []


@pytest.mark.parametrize("event", batches_of_the_reply()[:-1])
def test_whenever_somebody_cancels_a_reply_all_of_it_is_closed_and_the_session_stays_as_it_was(event: int) -> None:
    log = played(cancelled_at=event).log
    assert log.types[-1] == "reply.completed"
    assert log.events(e.ReplyCompleted)[0].status == "cancelled"
    assert still_open(log) == set()
    accepted = next(record for record in log.accepted if _is_cancellation(record.event))
    assert log.accepted[-1].appended_at - accepted.appended_at <= timedelta(seconds=2)


def _is_cancellation(event: e.Event | None) -> bool:
    return isinstance(event, e.RequestAccepted) and event.request == e.CANCEL_REPLY


@pytest.mark.parametrize("event", batches_of_the_reply()[:-1])
def test_a_reply_that_cannot_be_decided_is_set_aside_and_comes_back_whole(event: int) -> None:
    log = played(poisoned_from=event).log
    assert log.types[-1] == "reply.completed"
    assert log.types.count("session.released") == 1
    assert still_open(log) == set()
