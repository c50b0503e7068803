"""The sweep of the kill switch: at each event of an action somebody pauses actions for a while, and somebody dies."""

from datetime import datetime, timedelta
from functools import cache
from itertools import product

import pytest

from tarsy_contracts import events as e
from tarsy_contracts.actions import PAUSE, ActionOutcome
from tarsy_testing.simulation.action_pause import PAUSED_SECONDS
from tarsy_testing.simulation.investigation import ACTING_ALERT
from tarsy_testing.simulation.playing import Death, Played, Service, play
from tarsy_testing.simulation.sweeping import deaths_at, sampled, still_open
from tarsy_verification.invariants import faults_of

DELETION = "pods_delete"
HOLDS_AFTER = timedelta(seconds=0.5)
"""People are promised two seconds."""
STEP = 11


def played(paused_at: int | None, *deaths: Death) -> Played:
    return play(*deaths, alert=ACTING_ALERT, paused_at=paused_at)


@cache
def undisturbed() -> Played:
    return played(None)


def appended(one: Played, number: int) -> datetime:
    return one.log.accepted[number - 1].appended_at


def grants(one: Played) -> list[datetime]:
    """When a worker was let make the call that changes something; its dry run changes nothing."""
    calls = {
        call.call_id for call in one.log.events(e.ToolCallRequested) if call.tool == DELETION and not call.dry_run_of
    }
    return [
        record.appended_at
        for record in one.log.accepted
        if isinstance(record.event, e.ToolCallStarted) and record.event.call_id in calls
    ]


def outcome(one: Played) -> ActionOutcome:
    (found,) = [event.action for event in one.log.events(e.StageCompleted) if event.action is not None]
    return found


def faults(one: Played, paused_at: int) -> list[str]:
    begins = appended(one, paused_at) + HOLDS_AFTER
    ends = appended(one, paused_at) + timedelta(seconds=PAUSED_SECONDS)
    late = [f"granted at {at}, while actions were paused" for at in grants(one) if begins <= at < ends]
    made = sum(run.tool == DELETION and "dryRun" not in run.arguments for run in one.runs)
    wrong = [f"made {made} times, and said to be {outcome(one)}"] if made > len(grants(one)) else []
    return [*faults_of(one.log, one.runs, None), *one.complaints, *still_open(one.log), *late, *wrong]


def batches_of_the_action() -> list[int]:
    types = undisturbed().log.types
    begins, ends = types.index("tool_call.approval_requested"), types.index("stage.completed") + 1
    return [batch[0] for batch in undisturbed().batches if begins <= batch[-1] and batch[0] <= ends]


def decided_at() -> int:
    return undisturbed().log.types.index("tool_call.approval_decided") + 1


@pytest.mark.parametrize("event", batches_of_the_action())
def test_whenever_somebody_pauses_no_call_is_granted_until_actions_go_on(event: int) -> None:
    one = played(event)
    assert faults(one, event) == []
    assert one.log.types[-1] == "session.completed"


VICTIMS: tuple[Service, ...] = ("tool-gateway", "orchestrator")


@pytest.mark.parametrize("victim", VICTIMS)
def test_a_pause_holds_an_approved_call_that_waits_for_a_worker(victim: Service) -> None:
    """Nobody can claim it for a while: the gateway is dead, or the owner that would grant the claim."""
    one = played(decided_at(), Death(victim, "after", decided_at()))
    assert faults(one, decided_at()) == []
    assert grants(one) == []
    assert outcome(one).verdict == "blocked"
    assert [call.held_by for call in one.log.events(e.ToolCallCompleted) if call.held_by] == [PAUSE]


def every_death() -> list[tuple[int, Death]]:
    """Each pause with each death at the same event, or at the next batch."""
    firsts = batches_of_the_action()
    pairs = [(event, at) for event, at in product(firsts, firsts) if 0 <= firsts.index(at) - firsts.index(event) <= 1]
    return sampled([(event, death) for event, at in pairs for death in deaths_at(at)], STEP)


@pytest.mark.parametrize(("event", "death"), every_death(), ids=str)
def test_whoever_dies_actions_stay_paused(event: int, death: Death) -> None:
    one = played(event, death)
    assert faults(one, event) == []
    assert one.log.types[-1] == "session.completed"
