"""The service as it is put together: the API and the metric tell of what gateways say."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime
from typing import Any

import asyncpg
import httpx2
import pytest
import pytest_asyncio

from tarsy_bus.background_tasks import background_tasks
from tarsy_bus.client.connection import Bus
from tarsy_contracts import events as e
from tarsy_contracts.alert import Alert
from tarsy_contracts.chain import ResolvedChain
from tarsy_contracts.messages.held import SessionSetAside, input_key, marker_key, position_headers
from tarsy_testing.real_servers import WAIT_SECONDS, eventually
from tarsy_testing.servers.telling_gateways import TellingGateway, announce_all, publishing

type NewSession = Callable[[], Any]
type RunningApi = Callable[..., AbstractAsyncContextManager[httpx2.AsyncClient]]
type Append = Callable[..., Awaitable[int]]

ALERT = Alert(alert_type="t", data="d", source="api", author="ann")
CHAIN = ResolvedChain(chain_id="default", stages=(), summary_llm_provider="scripted")

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def client(system_bus: Bus, module_schema: str, running_api: RunningApi) -> AsyncIterator[httpx2.AsyncClient]:
    async with running_api(system_bus, module_schema, wait_seconds=WAIT_SECONDS) as client:
        yield client


async def warnings_of(client: httpx2.AsyncClient) -> list[dict[str, Any]]:
    """None while the service has not read all that gateways said: then the API answers 503."""
    answer = await client.get("/api/v1/system/warnings")
    return list(answer.json()["warnings"]) if answer.status_code == 200 else []


async def until_measured(client: httpx2.AsyncClient, *lines: str) -> None:
    async def look() -> bool:
        return set(lines) <= set((await client.get("/metrics")).text.splitlines())

    await eventually(look, f"{lines} are measured")


async def test_a_warning_is_told_by_the_api_and_counted_by_the_metric(
    client: httpx2.AsyncClient, system_bus: Bus
) -> None:
    async with publishing(system_bus) as publisher:
        one = TellingGateway(publisher)
        async with background_tasks(announce_all([one])):
            await one.says("git", error="hung")

            async def warned() -> bool:
                return [each["server_id"] for each in await warnings_of(client)] == ["git"]

            await eventually(warned, "the warning")
            await until_measured(client, 'tarsy_timeline_warnings{category="mcp_health"} 1.0')
            ready = (await client.get("/ready")).json()
            assert ready["degraded"] == {"timeline": ["The MCP server git cannot be reached."]}
            await one.says("git")
            await until_measured(client, 'tarsy_timeline_warnings{category="mcp_health"} 0.0')
            servers = (await client.get("/api/v1/system/mcp-servers")).json()["servers"]
            assert [each["id"] for each in servers] == ["git"]


async def test_the_overview_has_the_queue_the_lag_and_the_processes_that_live(
    client: httpx2.AsyncClient, system_bus: Bus, append: Append, new_session: NewSession
) -> None:
    session = new_session().add(e.SessionStarted(input_id="i", alert=ALERT, chain=CHAIN))
    async with publishing(system_bus) as publisher:
        gateway = TellingGateway(publisher)
        async with background_tasks(announce_all([gateway])):
            await append(system_bus, 3, session.records)

            async def shown() -> bool:
                answer = await client.get("/api/v1/system/overview")
                if answer.status_code != 200:
                    return False
                body = answer.json()
                waits = body["queue"] == {"running": 0, "waiting": 1, "waiting_since": "2026-11-22T10:00:00.000Z"}
                lives = [one["service"] for one in body["workers"]] == ["tool-gateway"]
                caught_up = (body["projection"]["partitions"], body["projection"]["lag_records"]) == (12, 0)
                return waits and lives and caught_up and bool(body["version"])

            await eventually(shown, "the overview")
            deleted = e.SessionDeleted(request_id="r", author="ann")
            await append(system_bus, 3, session.add(deleted).records[1:])

            async def gone() -> bool:
                body = (await client.get("/api/v1/system/overview")).json()
                return bool(body["queue"] == {"running": 0, "waiting": 0, "waiting_since": None})

            await eventually(gone, "nobody waits")


async def test_while_the_projector_waits_the_api_answers_and_ready_says_why(
    client: httpx2.AsyncClient,
    system_bus: Bus,
    database_url: str,
    module_schema: str,
    append: Append,
    new_session: NewSession,
) -> None:
    """A table is gone without which it cannot go on, and the API can."""
    session = new_session()
    session.add(e.SessionStarted(input_id="i", alert=ALERT, chain=CHAIN))
    connection = await asyncpg.connect(database_url)
    await connection.execute(f"alter table {module_schema}.positions rename to gone")
    try:
        await append(system_bus, 0, session.records)

        async def unready() -> bool:
            answer = await client.get("/ready")
            return answer.status_code == 503 and "UndefinedTableError" in answer.text

        await eventually(unready, "ready says why")
        assert (await client.get("/api/v1/sessions")).json()["sessions"] == []
    finally:
        await connection.execute(f"alter table {module_schema}.gone rename to positions")
        await connection.close()

    async def projected() -> bool:
        answers = [await client.get(f"/api/v1/sessions/{session.id}/status"), await client.get("/ready")]
        return [one.status_code for one in answers] == [200, 200]

    await eventually(projected, "the projector has gone on")


async def test_what_could_not_be_projected_is_told_by_the_api_and_the_metrics(
    client: httpx2.AsyncClient, system_bus: Bus, append: Append, new_session: NewSession
) -> None:
    session, odd = new_session(), e.StageStarted(stage_id="\x00", index=1, name="n")
    session.add(e.SessionStarted(input_id="i", alert=ALERT, chain=CHAIN), odd)
    async with publishing(system_bus) as publisher:
        one = TellingGateway(publisher)
        async with background_tasks(announce_all([one])):
            await append(system_bus, 1, session.records)

            async def warned() -> bool:
                found = [each for each in await warnings_of(client) if each["category"] == "projection"]
                return bool(found) and session.id in found[0]["details"]

            await eventually(warned, "the warning")
            await until_measured(
                client,
                "tarsy_timeline_unprojected_records 1.0",
                'tarsy_timeline_unprojected_total{type="stage.started"} 1.0',
                'tarsy_timeline_warnings{category="projection"} 1.0',
            )


async def test_sessions_that_are_set_aside_are_listed_warned_of_and_counted(
    client: httpx2.AsyncClient, system_bus: Bus
) -> None:
    """Until the tombstones of the marker and of all inputs are there."""
    topic, marker, waiting = system_bus.topics.held, marker_key("abc"), input_key("abc", 7).encode()
    own = system_bus.partition_of_session("abc")
    began = datetime(2026, 11, 22, 10, 0, tzinfo=UTC)

    async def listed() -> list[tuple[str, str, int]]:
        body = (await client.get("/api/v1/system/held-sessions")).json()
        assert body["total_items"] == len(body["sessions"])
        return [(each["session_id"], each["reason"], each["inputs"]) for each in body["sessions"]]

    async def until_listed(*expected: tuple[str, str, int]) -> None:
        async def look() -> bool:
            return await listed() == list(expected)

        await eventually(look, f"{expected} are listed")

    async with publishing(system_bus) as publisher, background_tasks(announce_all([TellingGateway(publisher)])):
        why = SessionSetAside(reason="decision", detail="KeyError at alert.received")
        await publisher.publish(topic, why, key=marker, id="m", subject="abc", partition=own)
        await publisher.write(topic, key=waiting, value=b"{}", headers=position_headers(7, began), partition=own)
        await until_listed(("abc", "decision", 1))

        async def warned() -> bool:
            found = [each for each in await warnings_of(client) if each["category"] == "sessions"]
            details = "abc: a decision on an input failed (KeyError at alert.received)"
            return [each["details"] for each in found] == [details]

        await eventually(warned, "the warning")
        await until_measured(client, 'tarsy_timeline_warnings{category="sessions"} 1.0')

        await publisher.write(topic, key=marker.encode(), value=None, headers=[], partition=own)
        await until_listed(("abc", "unknown", 1))
        await publisher.write(topic, key=waiting, value=None, headers=[], partition=own)
        await until_listed()
