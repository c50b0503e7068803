"""The sweep of a phase after the end: whoever dies at its events, it is done once, and a question goes first.

The phase is one that only tests have (rating_phase.py): what holds for it holds for each line of the table that
`build_phase` makes.
"""

from collections.abc import Iterator
from functools import cache

import pytest

from tarsy_contracts import events as e
from tarsy_testing.simulation.investigation import BRIEF_ALERT
from tarsy_testing.simulation.playing import Death, Played, play
from tarsy_testing.simulation.sweeping import deaths_at, faults, sampled, still_open
from tarsy_testing.story.rating_phase import RATER, RESULT, planted
from tarsy_verification.session_log import SessionLog


@pytest.fixture(autouse=True)
def rated() -> Iterator[None]:
    with planted():
        yield


def played(*deaths: Death, asked_at: int | None = None) -> Played:
    return play(*deaths, alert=BRIEF_ALERT, asked_at=asked_at)


@cache
def undisturbed() -> Played:
    with planted():
        return played()


def number_of(type: str, log: SessionLog) -> int:
    return log.types.index(type) + 1


def batches_of_the_phase() -> list[int]:
    """The first event of each, from the one that ends the investigation."""
    requested = number_of("phase.requested", undisturbed().log)
    return [batch[0] for batch in undisturbed().batches if requested <= batch[-1]]


def rated_by(log: SessionLog) -> list[str]:
    """The runs of the rater, each by how it ended."""
    return [event.status for event in log.events(e.ExecutionCompleted) if event.agent == RATER]


def results(log: SessionLog) -> list[object]:
    return [event.result for event in log.events(e.PhaseCompleted)]


def test_a_phase_follows_the_end_without_an_input_between() -> None:
    log = undisturbed().log
    assert faults(undisturbed(), undisturbed()) == []
    ended = number_of("session.completed", log)
    assert number_of("phase.requested", log) == ended + 1
    assert any({ended, ended + 1} <= set(batch) for batch in undisturbed().batches)
    assert (log.types[-1], results(log), rated_by(log)) == ("phase.completed", [RESULT], ["completed"])
    assert still_open(log) == set()


def every_death() -> list[Death]:
    with planted():
        return sampled([death for event in batches_of_the_phase() for death in deaths_at(event)])


@pytest.mark.parametrize("death", every_death(), ids=str)
def test_whoever_dies_at_whichever_event_of_a_phase_it_is_done_once(death: Death) -> None:
    one = played(death)
    assert faults(one, undisturbed(), death) == []
    assert (results(one.log), rated_by(one.log)) == ([RESULT], ["completed"])
    assert one.log.types.count("phase.requested") == 1


def events_of_the_phase() -> list[int]:
    with planted():
        return batches_of_the_phase()[:-1]


@pytest.mark.parametrize("event", events_of_the_phase())
def test_a_question_goes_first_and_the_phase_is_done_after_it(event: int) -> None:
    log = played(asked_at=event).log
    assert_answered_first(log)


def deaths_at_a_question() -> list[Death]:
    """Somebody asks at the first event of the phase's stage, and somebody dies when the question is decided."""
    with planted():
        log = played(asked_at=events_of_the_phase()[-1]).log
    asked = number_of("question.asked", log)
    first = next(number for number in range(asked, 0, -1) if log.types[number - 2] == "llm_call.requested")
    owners = [death for death in deaths_at(first) if death.service == "orchestrator"]
    return sampled([*owners, *(death for death in deaths_at(first) if death.service == "kafka")])


@pytest.mark.parametrize("death", deaths_at_a_question(), ids=str)
def test_whoever_dies_when_a_question_interrupts_a_phase_both_are_done_once(death: Death) -> None:
    one = played(death, asked_at=events_of_the_phase()[-1])
    assert one.struck == [death]
    assert one.complaints == []
    assert_answered_first(one.log)


def assert_answered_first(log: SessionLog) -> None:
    (reply,) = log.events(e.ReplyCompleted)
    assert reply.status == "completed"
    assert number_of("reply.completed", log) < number_of("phase.completed", log)
    assert log.types[-1] == "phase.completed"
    assert results(log) == [RESULT]
    assert rated_by(log)[-1] == "completed"
    assert set(rated_by(log)[:-1]) <= {"cancelled"}
    assert len(rated_by(log)) <= 2
    assert still_open(log) == set()
