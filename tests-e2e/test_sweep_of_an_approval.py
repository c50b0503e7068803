"""The sweep of an approval: at every event somebody dies; the call waits, is decided once, and runs at most once."""

from datetime import timedelta
from functools import cache

import pytest

from tarsy_contracts import events as e
from tarsy_testing.simulation.investigation import GUARDED_ALERT
from tarsy_testing.simulation.playing import THINKING_SECONDS, Death, Decision, Played, play
from tarsy_testing.simulation.sweeping import deaths_at, faults, record_faults, sampled, still_open

DELETION = "pods_delete"


def played(*deaths: Death, decision: Decision = "approve", cancelled_at: int | None = None) -> Played:
    return play(*deaths, alert=GUARDED_ALERT, decision=decision, cancelled_at=cancelled_at)


@cache
def undisturbed(decision: Decision = "approve") -> Played:
    return played(decision=decision)


def batches_of_the_wait() -> list[int]:
    """The first event of each, from the one in which the call begins to wait to that of its outcome."""
    log = undisturbed().log
    begins = log.types.index("tool_call.approval_requested") + 1
    ends = len(log.types) - log.types[::-1].index("tool_call.completed")
    return [batch[0] for batch in undisturbed().batches if batch[-1] >= begins and batch[0] <= ends]


def deletions(one: Played) -> int:
    return sum(run.tool == DELETION for run in one.runs)


def test_a_call_that_waits_for_a_person_runs_once_when_somebody_has_approved_it() -> None:
    one = undisturbed()
    assert faults(one, one) + record_faults(one) == []
    assert one.log.types[-1] == "session.completed"
    assert deletions(one) == 1
    stamps = {record.envelope.type: record.appended_at for record in one.log.accepted}
    waited = stamps["tool_call.approval_decided"] - stamps["tool_call.approval_requested"]
    assert waited >= timedelta(seconds=THINKING_SECONDS)


def test_a_call_that_somebody_denied_never_runs_and_the_agent_goes_on() -> None:
    one = undisturbed("deny")
    assert faults(one, one) == []
    assert deletions(one) == 0
    assert one.log.types[-1] == "session.completed"
    denied = [event for event in one.log.events(e.ToolCallCompleted) if event.outcome == "rejected"]
    assert [event.content for event in denied] == ["ann denied this call. It did not run."]


def every_death() -> list[Death]:
    return sampled([death for event in batches_of_the_wait() for death in deaths_at(event)])


@pytest.mark.parametrize("death", every_death(), ids=str)
def test_whoever_dies_while_a_call_waits_it_is_decided_once_and_runs_at_most_once(death: Death) -> None:
    one = played(death)
    assert faults(one, undisturbed(), death) == []
    assert deletions(one) <= 1


@pytest.mark.parametrize("event", batches_of_the_wait()[:2])
def test_whoever_dies_while_a_call_waits_a_denial_stays_one(event: int) -> None:
    death = Death("orchestrator", "after", event, "forgotten")
    one = played(death, decision="deny")
    assert faults(one, undisturbed("deny"), death) == []
    assert deletions(one) == 0


@pytest.mark.parametrize("event", batches_of_the_wait()[:1])
def test_whoever_cancels_while_a_call_waits_ends_the_wait(event: int) -> None:
    one = played(cancelled_at=event)
    assert [*one.complaints, *still_open(one.log)] == []
    assert one.log.types[-1] == "session.cancelled"
    assert [event.outcome for event in one.log.events(e.ToolCallApprovalDecided)] == ["cancelled"]
    assert deletions(one) == 0
