"""Awaiting approval through every service: it is listed, survives kill -9, and runs once after a yes."""

from pathlib import Path

import pytest

from tarsy_contracts import events as e
from tarsy_testing.real_servers import eventually
from tarsy_testing.story.live_log import LiveLog
from tarsy_testing.system.chains import ask_for, rows
from tarsy_testing.system.investigation import shown
from tarsy_testing.system.system import System
from tarsy_verification.invariants import faults_of
from tarsy_verification.tool_runs import runs_of


async def test_a_call_waits_through_the_death_of_its_owner_and_runs_once_after_a_yes(
    system: System, log: LiveLog, lab_calls: Path
) -> None:
    session = ask_for(system, "guarded").session_id
    told = await log.until_event(session, e.ToolCallApprovalRequested)
    (asked,) = told.events(e.ToolCallApprovalRequested)
    await shown(system, session, told)
    path = f"/api/v1/sessions/{session}/approvals"

    async def is_listed() -> bool:
        answer = system.get(path)
        assert isinstance(answer, dict)
        return [one["call_id"] for one in rows(answer["approvals"])] == [asked.call_id]

    await eventually(is_listed, "the API lists the call")
    assert asked.reason == "I will delete the pod, as it hangs."
    await system.replace("orchestrator")
    await system.replace("tool-gateway")
    assert runs_of(lab_calls, session) == []

    answer = system.post("timeline", f"{path}/{asked.call_id}", {"decision": "approve", "comment": "go on"})
    assert answer["message"] == "The call is approved."
    told = await log.until_ended(session)
    runs = runs_of(lab_calls, session)
    assert [run.tool for run in runs] == ["pods_delete"]
    assert faults_of(told, runs, None) == []
    assert told.types[-1] == "session.completed"
    with pytest.raises(AssertionError, match="the call was approved already, by"):
        system.post("timeline", f"{path}/{asked.call_id}", {"decision": "deny"})
