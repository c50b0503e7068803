"""The sweep of memory: whoever dies, an agent is given what stands on its log, and the session teaches once."""

from functools import cache

import pytest

from tarsy_contracts import events as e
from tarsy_contracts.builtin_tools import RECALL
from tarsy_testing.simulation.investigation import LESSON, REMEMBERED, REMEMBERING_ALERT
from tarsy_testing.simulation.playing import Death, Played, play
from tarsy_testing.simulation.sweeping import deaths_at, faults, record_faults, sampled, still_open
from tarsy_verification.session_log import SessionLog


def played(*deaths: Death, asked_at: int | None = None) -> Played:
    return play(*deaths, alert=REMEMBERING_ALERT, asked_at=asked_at)


@cache
def undisturbed() -> Played:
    return played()


def number_of(type: str, log: SessionLog) -> int:
    return log.types.index(type) + 1


def taught(log: SessionLog) -> list[str]:
    return [event.memory.text for event in log.events(e.MemoryLearned)]


def given(log: SessionLog) -> list[str]:
    return [one.memory_id for event in log.events(e.ExecutionStarted) for one in event.memories]


def assert_remembered_once(one: Played) -> None:
    log = one.log
    assert given(log) == [REMEMBERED.memory_id]
    assert taught(log) == [LESSON]
    assert [event.memory_id for event in log.events(e.MemoryReinforced)] == [REMEMBERED.memory_id]
    assert log.types[-1] == "phase.completed"
    assert still_open(log) == set()


def test_what_was_recalled_is_on_the_log_and_what_was_learnt_too() -> None:
    one = undisturbed()
    assert faults(one, one) + record_faults(one) == []
    assert_remembered_once(one)
    assert one.log.types.index("tool_call.completed") < one.log.types.index("execution.started")
    assert {start.tool for start in one.starts} == {RECALL, "pods_list"}


def every_death() -> list[Death]:
    """In the batches of the recall and of the reflection; the first one begins the session."""
    log, batches = undisturbed().log, [batch[0] for batch in undisturbed().batches[1:]]
    began, ended = number_of("execution.started", log), number_of("session.completed", log)
    return sampled([death for event in batches if event <= began or event >= ended for death in deaths_at(event)])


@pytest.mark.parametrize("death", every_death(), ids=str)
def test_whoever_dies_a_session_remembers_and_teaches_once(death: Death) -> None:
    one = played(death)
    assert faults(one, undisturbed(), death) == []
    assert_remembered_once(one)


def events_of_the_reflection() -> list[int]:
    requested = number_of("phase.requested", undisturbed().log)
    return [batch[0] for batch in undisturbed().batches if requested <= batch[-1]][:-1]


@pytest.mark.parametrize("event", events_of_the_reflection())
def test_a_question_does_not_wait_for_what_is_learnt(event: int) -> None:
    log = played(asked_at=event).log
    assert number_of("reply.completed", log) < number_of("memory.learned", log)
    assert taught(log) == [LESSON]
    assert still_open(log) == set()
