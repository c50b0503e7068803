"""`kill -9` of any process in the middle of the demo's investigation: it ends as the undisturbed one does."""

import asyncio
from pathlib import Path

from tarsy_contracts import events as e
from tarsy_testing.real_servers import eventually
from tarsy_testing.servers.public_topic import until_all_is_public
from tarsy_testing.story.incident import executions
from tarsy_testing.system.investigation import Investigation, submit
from tarsy_testing.system.system import System
from tarsy_verification.invariants import faults_of
from tarsy_verification.session_log import SessionLog
from tarsy_verification.tool_runs import runs_of

type Told = dict[str, SessionLog]


async def faults(investigation: Investigation, log: SessionLog, lab_calls: Path, told_before: Told) -> list[str]:
    """Compared with what the same alert leads to when nothing happens to anybody."""
    runs = runs_of(lab_calls, investigation.session_id)
    if "undisturbed" not in told_before:
        told_before["undisturbed"] = await submit(investigation.system).until_ended()
    return faults_of(log, runs, told_before["undisturbed"])


def outcome_of(log: SessionLog, tool: str) -> e.ToolCallCompleted:
    call = next(event for event in log.events(e.ToolCallRequested) if event.tool == tool)
    return next(event for event in log.events(e.ToolCallCompleted) if event.call_id == call.call_id)


async def test_the_orchestrator_dies_while_the_model_answers(
    system: System, lab_calls: Path, told_before: Told
) -> None:
    await system.start_all()
    investigation = submit(system)
    await investigation.until_streaming("Only the pod of the new release crashes")
    await system.replace("orchestrator")
    log = await investigation.until_ended()
    assert executions(lab_calls, "pods_delete") == 1
    assert await faults(investigation, log, lab_calls, told_before) == []


async def test_the_orchestrator_dies_while_a_tool_runs(
    system: System, lab_calls: Path, lab_hold: Path, told_before: Told
) -> None:
    """The result is waiting in the inbox when the next owner comes: the tool is not run again."""
    await system.start_all()
    investigation = await held_in(system, lab_calls, lab_hold, "pods_log")
    await replace_in_it(system, service="orchestrator", lab_hold=lab_hold)
    log = await investigation.until_ended()
    assert executions(lab_calls, "pods_log") == 1
    assert await faults(investigation, log, lab_calls, told_before) == []


async def test_the_tool_gateway_dies_while_a_repeatable_tool_runs(
    system: System, lab_calls: Path, lab_hold: Path, told_before: Told
) -> None:
    await system.start_all()
    investigation = await held_in(system, lab_calls, lab_hold, "pods_log")
    dead = system.of("tool-gateway")
    dead.kill()
    await asyncio.to_thread(lab_hold.unlink)
    # Another one that is there before the death is noticed runs it, and nothing has to be released.
    await investigation.until("tool_call.released")
    await system.until_ready(system.start("tool-gateway", port=dead.port))
    log = await investigation.until_ended()
    assert outcome_of(log, "pods_log").outcome == "ok"
    assert await faults(investigation, log, lab_calls, told_before) == []


async def test_the_tool_gateway_dies_while_a_destructive_tool_runs(
    system: System, lab_calls: Path, lab_hold: Path, told_before: Told
) -> None:
    """Nobody can know whether it took effect: it ends as unknown, the agent is told, and it does not run again."""
    await system.start_all()
    investigation = await held_in(system, lab_calls, lab_hold, "pods_delete")
    await replace_in_it(system, service="tool-gateway", lab_hold=lab_hold)
    log = await investigation.until_ended()
    assert outcome_of(log, "pods_delete").outcome == "unknown"
    assert executions(lab_calls, "pods_delete") == 1
    assert log.types[-1] == "session.completed"
    assert await faults(investigation, log, lab_calls, told_before) == []


async def test_the_summarizer_dies_while_it_summarises(system: System, lab_calls: Path, told_before: Told) -> None:
    await system.start_all()
    investigation = submit(system)
    await investigation.until_streaming("The log covers 100,000 lines")
    await system.replace("summarizer")
    log = await investigation.until_ended()
    assert await faults(investigation, log, lab_calls, told_before) == []


async def test_the_projector_dies_and_its_tables_end_as_if_it_had_not(system: System) -> None:
    await system.start_all()
    investigation = submit(system)
    await investigation.until("tool_call.completed")
    await system.replace("timeline")
    log = await investigation.until_ended()
    other = submit(system)
    await other.until_ended()
    assert shown(await timeline(investigation, log)) == shown(await timeline(other, await other.log()))
    await until_all_is_public(system.bus)


async def timeline(investigation: Investigation, log: SessionLog) -> list[dict[str, object]]:
    """The session's timeline as the API tells it, once all of the log is projected."""
    path = f"/api/v1/sessions/{investigation.session_id}"

    async def look() -> bool:
        session = investigation.system.get(path)
        return isinstance(session, dict) and session.get("last_number") == len(log.accepted)

    await eventually(look, "the projection of the whole session")
    rows = investigation.system.get(f"{path}/timeline")
    assert isinstance(rows, list)
    return [dict(row) for row in rows if isinstance(row, dict)]


def shown(rows: list[dict[str, object]]) -> list[tuple[object, ...]]:
    """What people see of it. Two calls at once may end in any order, so the log's own numbers are left out."""
    return [(row["event_type"], row["status"], row["content"]) for row in rows]


async def held_in(system: System, lab_calls: Path, lab_hold: Path, tool: str) -> Investigation:
    """An investigation whose call of the tool does not end before the file is gone: the log knows who runs it."""
    await asyncio.to_thread(lab_hold.write_text, tool, "utf-8")
    investigation = submit(system)
    await running_tool(investigation, lab_calls, tool)
    return investigation


async def replace_in_it(system: System, *, service: str, lab_hold: Path) -> None:
    """The process dies while the tool is held, and the tool goes on before another one takes its place."""
    dead = system.of(service)
    dead.kill()
    await asyncio.to_thread(lab_hold.unlink)
    await system.until_ready(system.start(service, port=dead.port))


async def running_tool(investigation: Investigation, lab_calls: Path, tool: str) -> None:
    """Waits until the lab runs the tool and the log knows who does."""

    async def look() -> bool:
        return executions(lab_calls, tool) == 1

    await eventually(look, f"{tool} runs", seconds=180)
    log = await investigation.log()
    call = next(event for event in log.events(e.ToolCallRequested) if event.tool == tool)

    async def claimed() -> bool:
        return any(event.call_id == call.call_id for event in (await investigation.log()).events(e.ToolCallStarted))

    await eventually(claimed, f"the claim of {tool} on the log")
