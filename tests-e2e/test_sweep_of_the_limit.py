"""The sweep of the limit of actions: five sessions want to act on one workload, two may, and somebody dies."""

from collections.abc import Iterator
from functools import cache

import pytest

from tarsy_contracts import events as e
from tarsy_contracts.actions import LIMIT
from tarsy_testing.simulation.investigation import ACTIONS_PER_HOUR, LIMITED_ALERT
from tarsy_testing.simulation.playing import Death, Played, play
from tarsy_testing.simulation.sweeping import deaths_at, sampled, still_open
from tarsy_verification.invariants import chain_faults
from tarsy_verification.session_log import SessionLog

DELETION = "pods_delete"
BESIDE = 4
SEEDS = range(1, 9)
STEP = 7


def played(*deaths: Death, seed: int = 1) -> Played:
    return play(*deaths, seed=seed, alert=LIMITED_ALERT, beside=BESIDE)


@cache
def undisturbed() -> Played:
    return played()


def logs(one: Played) -> list[SessionLog]:
    return [one.log, *one.beside]


def granted(one: Played) -> set[str]:
    """Calls of the tool that changes something which a worker was let make."""
    wanted = {call.call_id for log in logs(one) for call in log.events(e.ToolCallRequested) if call.tool == DELETION}
    return {start.call_id for log in logs(one) for start in log.events(e.ToolCallStarted)} & wanted


def held(one: Played) -> list[str]:
    return [call.call_id for log in logs(one) for call in log.events(e.ToolCallCompleted) if call.held_by == LIMIT]


def made(one: Played) -> int:
    return sum(run.tool == DELETION for run in one.runs)


def faults(one: Played) -> Iterator[str]:
    yield from one.complaints
    for log in logs(one):
        yield from chain_faults(log)
        yield from still_open(log)
        if log.types[-1] != "session.completed":
            yield f"a session ended with {log.types[-1]}"


@pytest.mark.parametrize("seed", SEEDS)
def test_of_sessions_that_act_at_the_same_time_only_as_many_do_as_may(seed: int) -> None:
    one = played(seed=seed)
    assert [*faults(one)] == []
    assert (len(granted(one)), made(one)) == (ACTIONS_PER_HOUR, ACTIONS_PER_HOUR)
    assert len(held(one)) == 1 + BESIDE - ACTIONS_PER_HOUR


def numbers_of_the_action() -> list[int]:
    """From the question whose answer asks for the call, to the end of the stage: in one of the sessions."""
    types = undisturbed().log.types
    wanted = next(
        number
        for number, record in enumerate(undisturbed().log.accepted, start=1)
        if isinstance(record.event, e.ToolCallRequested) and record.event.tool == DELETION
    )
    return [*range(wanted - 2, types.index("stage.completed") + 2)]


def every_death() -> list[Death]:
    return sampled([death for event in numbers_of_the_action() for death in deaths_at(event)], STEP)


@pytest.mark.parametrize("death", every_death(), ids=str)
def test_whoever_dies_the_limit_holds_and_the_next_owner_knows_what_was_granted(death: Death) -> None:
    one = played(death)
    assert [*faults(one)] == []
    assert len(granted(one)) <= ACTIONS_PER_HOUR
    assert made(one) <= ACTIONS_PER_HOUR
    assert one.struck == [death]
