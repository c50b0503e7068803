"""The sweep of an action: at its events somebody dies; it is tried out, approved, made at most once, and verified."""

from functools import cache

import pytest

from tarsy_contracts import events as e
from tarsy_contracts.actions import ActionOutcome
from tarsy_testing.simulation.investigation import ACTING_ALERT
from tarsy_testing.simulation.playing import Death, Decision, Played, play
from tarsy_testing.simulation.sweeping import deaths_at, faults, record_faults, sampled, still_open

DELETION = "pods_delete"


def played(*deaths: Death, decision: Decision = "approve", cancelled_at: int | None = None) -> Played:
    return play(*deaths, alert=ACTING_ALERT, decision=decision, cancelled_at=cancelled_at)


@cache
def undisturbed(decision: Decision = "approve") -> Played:
    return played(decision=decision)


def outcome(one: Played) -> ActionOutcome:
    (completed,) = [event.action for event in one.log.events(e.StageCompleted) if event.action is not None]
    return completed


def runs(one: Played) -> list[bool]:
    """Tells of each run of the tool that changes something whether it was only a trial."""
    return ["dryRun" in run.arguments for run in one.runs if run.tool == DELETION]


def batches_of_the_action() -> list[int]:
    """The first event of each, from the one in which the call is asked for to the end of its stage."""
    log = undisturbed().log
    begins = log.types.index("tool_call.approval_requested") + 1
    ends = log.types.index("stage.completed") + 1
    return [batch[0] for batch in undisturbed().batches if batch[-1] >= begins and batch[0] <= ends]


def test_an_action_is_tried_out_approved_made_once_and_looked_at() -> None:
    one = undisturbed()
    assert faults(one, one) + record_faults(one) == []
    assert runs(one) == [True, False]
    found = outcome(one)
    assert (found.verdict, found.done, found.helped) == ("acted", 1, "yes")
    assert [(call.tool, call.result, call.approved_by) for call in found.calls] == [(DELETION, "done", "ann")]
    assert one.log.types[-1] == "session.completed"


def test_an_action_that_somebody_denied_was_only_tried_out() -> None:
    one = undisturbed("deny")
    assert faults(one, one) == []
    assert runs(one) == [True]
    assert (outcome(one).verdict, outcome(one).helped) == ("blocked", "")


def every_death() -> list[Death]:
    return sampled([death for event in batches_of_the_action() for death in deaths_at(event)])[::2]


@pytest.mark.parametrize("death", every_death(), ids=str)
def test_whoever_dies_the_action_is_made_at_most_once_and_the_stage_says_what_was_done(death: Death) -> None:
    one = played(death)
    assert faults(one, undisturbed(), death) == []
    assert runs(one).count(False) <= 1
    found = outcome(one)
    assert found.verdict == "acted"
    assert found.done + found.unknown == 1


@pytest.mark.parametrize("event", batches_of_the_action()[::3])
def test_whoever_cancels_in_the_middle_leaves_nothing_open(event: int) -> None:
    one = played(cancelled_at=event)
    assert [*one.complaints, *still_open(one.log)] == []
    assert runs(one).count(False) <= 1
