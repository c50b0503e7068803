"""An agent reads skills: through every service, to the API and the page."""

from pydantic import JsonValue

from tarsy_contracts import events as e
from tarsy_testing.story.live_log import LiveLog
from tarsy_testing.system.chains import ask_for, rows
from tarsy_testing.system.investigation import shown
from tarsy_testing.system.system import System
from tarsy_verification.invariants import chain_faults

SECRET = "fake-skill-password-7731"


async def test_an_agent_loads_a_skill_a_file_of_it_and_one_that_is_not_there(system: System, log: LiveLog) -> None:
    session = ask_for(system, "skilled").session_id
    told = await log.until_ended(session)
    assert (told.types[-1], chain_faults(told)) == ("session.completed", [])
    assert told.types[:2] == ["session.started", "session.skills_recorded"]
    (begun, *_) = told.events(e.ExecutionStarted)
    assert [(one.name, one.required) for one in begun.skills] == [("house", True), ("disks", False)]
    results = told.events(e.ToolCallCompleted)
    assert [one.outcome for one in results] == ["ok", "ok", "tool_error"]
    assert not any(SECRET in record.event.to_bytes().decode() for record in told.accepted if record.event is not None)

    await shown(system, session, told)
    path = f"/api/v1/sessions/{session}"
    answer = table(system.get(f"{path}/trace/skills"))
    skills = {str(one["name"]): one for one in rows(answer["skills"])}
    assert {name: one["loaded_by"] for name, one in skills.items()} == {
        "clouds": [], "disks": [begun.execution_id], "house": [],
    }  # fmt: skip
    assert str(skills["disks"]["body"]).startswith("Look at inodes first")
    assert rows(skills["disks"]["files"])[0]["path"] == "references/nfs.md"
    assert [skills[one.name]["digest"] for one in begun.skills] == [one.digest for one in begun.skills]
    timeline = rows(system.get(f"{path}/timeline"))
    (said,) = [one for one in timeline if one["event_type"] == "skill_loaded"]
    assert said["content"] == "In the instructions: house\n\nTo be loaded: disks"
    calls = [str(one["content"]) for one in timeline if one["event_type"] == "llm_tool_call"]
    assert "NFS of the shop is read only at night." in calls[1]
    assert "There is no skill 'clouds' for you." in calls[2]


def table(value: JsonValue) -> dict[str, JsonValue]:
    assert isinstance(value, dict)
    return value
