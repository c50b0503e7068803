"""A planted secret reaches none of log, queues, results, stream, model, database, API, WebSocket or our own logs."""

import asyncio
import json
from contextlib import suppress

import asyncpg
from websockets.asyncio.client import connect

from tarsy_contracts.events import SessionCompleted
from tarsy_lab.incidents import read_incident
from tarsy_testing.story.incident import EVERY_INCIDENT, planted_secrets
from tarsy_testing.system.chains import rows
from tarsy_testing.system.investigation import everything, shown, submit, subscribe
from tarsy_testing.system.system import System


def found_in(text: str) -> list[str]:
    """The secrets that a text holds, as they are or as JSON writes them."""
    return [secret for secret in planted_secrets() if secret in text or json.dumps(secret)[1:-1] in text]


async def test_no_planted_secret_of_any_incident_leaves_the_doors(system: System) -> None:
    """All incidents at the same time. The model's own check is in its scripts: a turn that meets a planted secret fails
    the session, and so does one that misses what its incident should have told it."""
    await system.start_all()
    investigations = [submit(system, incident) for incident in EVERY_INCIDENT]
    person = asyncio.create_task(approve_all(system))
    live = "\n".join(await asyncio.gather(*(watched(system, one.session_id) for one in investigations)))
    person.cancel()
    for incident, investigation in zip(EVERY_INCIDENT, investigations, strict=True):
        log = await investigation.until_ended()
        completed = log.accepted[-1].event
        assert isinstance(completed, SessionCompleted), completed
        marks = read_incident(incident).expected_root_cause
        await shown(system, investigation.session_id, log)
        assert [mark for mark in marks if mark not in completed.final_analysis] == [], incident.name

    topics = system.bus.topics
    for_operators_only = {topics.alerts, topics.dead_letters}
    names = [topic.name for topic in topics.all() if topic.name not in for_operators_only]
    records = await everything(system, names)
    assert {record.topic for record in records} >= {topics.sessions, topics.results, topics.stream, topics.tool_calls}
    for record in records:
        text = b"\n".join([record.key or b"", record.value or b"", *(value for _, value in record.headers)])
        assert found_in(text.decode(errors="replace")) == [], f"{record.topic} offset {record.offset}"

    assert found_in(await database_dump(system)) == []
    assert found_in(live) == []
    for investigation in investigations:
        for path in ("", "/timeline", "/status"):
            assert found_in(json.dumps(system.get(f"/api/v1/sessions/{investigation.session_id}{path}"))) == []
    for process in system.processes:
        assert found_in(process.log.read_text(errors="replace")) == [], process.name


def test_the_search_would_find_every_planted_secret() -> None:
    assert found_in("\n".join(planted_secrets())) == planted_secrets()


async def approve_all(system: System) -> None:
    """A person says yes to each call that waits, once its dry run has ended."""
    while True:
        answer = await asyncio.to_thread(system.get, "/api/v1/approvals")
        assert isinstance(answer, dict)
        for one in rows(answer["approvals"]):
            if one["dry_run_status"] != "streaming":
                path = f"/api/v1/sessions/{one['session_id']}/approvals/{one['call_id']}"
                with suppress(AssertionError):  # decided a moment ago, and the list is behind
                    await asyncio.to_thread(system.post, "timeline", path, {"decision": "approve"})
        await asyncio.sleep(0.2)


async def watched(system: System, session_id: str) -> str:
    """All that a WebSocket client gets of a session, to its end."""
    url = system.of("websocket-gateway").url.replace("http", "ws", 1)
    async with connect(f"{url}/api/v1/ws", max_size=None) as socket:
        seen = await subscribe(socket, session_id)
        async for text in socket:
            seen.append(str(text))
            payload = json.loads(text)
            if payload.get("type") == "session.status" and payload.get("status") in ("completed", "failed"):
                break
    return "\n".join(seen)


async def database_dump(system: System) -> str:
    connection = await asyncpg.connect(system.database_url)
    try:
        tables = await connection.fetch(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = $1", system.database_schema
        )
        rows = []
        for table in tables:
            name = f'"{system.database_schema}"."{table["table_name"]}"'
            rows += [str(row[0]) for row in await connection.fetch(f"SELECT row_to_json(t)::text FROM {name} t")]
    finally:
        await connection.close()
    assert rows
    return "\n".join(rows)
