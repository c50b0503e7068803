"""Sub-agents, a skill, approvals and an action, while one kind of process is killed at each moment that matters to it.

What holds at every other moment is shown where time is virtual: test_sweep_of_the_whole.py. An orchestrator asks the
models of its sessions itself: its death is that of their questions, too.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import pytest

from tarsy_contracts import events as e
from tarsy_contracts.actions import ActionOutcome
from tarsy_testing.story.live_log import LiveLog
from tarsy_testing.system.chains import ask_for, rows
from tarsy_testing.system.system import System
from tarsy_verification.invariants import faults_of
from tarsy_verification.session_log import SessionLog
from tarsy_verification.tool_runs import runs_of

ROLLBACK = "helm_rollback"
SECONDS = 240.0
type Moment = Callable[[SessionLog], bool]


def sent(log: SessionLog) -> bool:
    return len(log.events(e.ExecutionStarted)) >= 4


def reading(log: SessionLog) -> bool:
    return bool(log.events(e.ToolCallStarted))


def summarising(log: SessionLog) -> bool:
    return bool(log.events(e.SummaryStarted))


def waiting(log: SessionLog) -> bool:
    """The action was asked for, and is tried out; afterwards it waits for a person."""
    return any(one.tool == ROLLBACK for one in log.events(e.ToolCallApprovalRequested))


def granted(log: SessionLog) -> bool:
    calls = {one.call_id for one in log.events(e.ToolCallRequested) if one.tool == ROLLBACK and not one.dry_run_of}
    return any(one.call_id in calls for one in log.events(e.ToolCallStarted))


def done(log: SessionLog) -> bool:
    """It is about to be verified."""
    calls = {one.call_id for one in log.events(e.ToolCallRequested) if one.tool == ROLLBACK and not one.dry_run_of}
    return any(one.call_id in calls for one in log.events(e.ToolCallCompleted))


KILLS: dict[str, Sequence[Moment]] = {
    "orchestrator": (sent, waiting, granted, done),
    "tool-gateway": (reading, waiting, granted),
    "summarizer": (summarising,),
}


async def approve_all(system: System, session: str) -> None:
    """A person who says yes to whatever may be decided, until cancelled."""
    while True:
        found = await asyncio.to_thread(system.get, "/api/v1/approvals")
        assert isinstance(found, dict)
        for one in rows(found["approvals"]):
            if one["session_id"] == session:
                await asyncio.to_thread(approve, system, session, str(one["call_id"]))
        await asyncio.sleep(0.2)


def approve(system: System, session: str, call: str) -> None:
    """A call that is still tried out, or was decided meanwhile, is refused."""
    try:
        system.post("timeline", f"/api/v1/sessions/{session}/approvals/{call}", {"decision": "approve"})
    except AssertionError as refusal:
        if not any(f'"status":{status}' in str(refusal) for status in (404, 409, 503)):
            raise


def outcome(log: SessionLog) -> ActionOutcome:
    (found,) = [one.action for one in log.events(e.StageCompleted) if one.action is not None]
    return found


def has_come(due: Moment, log: LiveLog, session: str) -> bool:
    told = log.of(session)
    return due(told) or told.ended


async def play(system: System, log: LiveLog, moments: Sequence[Moment], victim: str) -> SessionLog:
    session = ask_for(system, "everything").session_id
    async with asyncio.TaskGroup() as group:
        approving = group.create_task(approve_all(system, session))
        for due in moments:
            await log.until(partial(has_come, due, log, session), due.__name__, seconds=SECONDS)
            await system.replace(victim)
        told = await log.until_ended(session, seconds=SECONDS)
        approving.cancel()
    return told


@pytest.mark.parametrize("victim", KILLS)
async def test_whoever_is_killed_again_and_again_all_is_done_once_and_said(
    victim: str, system: System, log: LiveLog, lab_calls: Path
) -> None:
    told = await play(system, log, KILLS[victim], victim)
    runs = runs_of(lab_calls, told.accepted[0].session_id)
    assert faults_of(told, runs, None) == []
    assert told.types[-1] == "session.completed"
    children = [one for one in told.events(e.ExecutionStarted) if one.parent_execution_id]
    assert sorted(one.agent for one in children) == ["LogReader", "PodReader", "Restarter"]
    assert max(Counter(one.llm_call_id for one in told.events(e.LlmCallRequested)).values()) == 1
    assert sum(run.tool == ROLLBACK and not run.arguments.get("dry_run") for run in runs) <= 1
    found = outcome(told)
    assert (found.verdict, found.done + found.unknown) == ("acted", 1)
    assert found.calls[0].approved_by
    if found.done:
        assert found.helped == "yes"
    (ended,) = told.events(e.SessionCompleted)
    assert ended.final_analysis.startswith("It hung.")
