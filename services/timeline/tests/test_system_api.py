"""What the API says of MCP servers, of what tool gateways told on a real Kafka."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime
from operator import itemgetter
from typing import Any

import httpx2
import pytest
import pytest_asyncio

from tarsy_bus.background_tasks import background_tasks
from tarsy_bus.client.connection import Bus
from tarsy_bus.client.publisher import Publisher
from tarsy_contracts.messages.workers import CatalogTool, ToolAnnotations
from tarsy_service.supervision import Supervisor
from tarsy_testing.real_servers import eventually
from tarsy_testing.servers.telling_gateways import (
    DEAD_SOON,
    TellingGateway,
    announce_all,
    asking,
    publishing,
    telling_bus,
    tool,
    watching,
)
from tarsy_timeline.system.server_watch import ServerWatch
from tarsy_timeline.system.worker_liveness import SURE_SECONDS, WorkerLiveness

SERVERS = "/api/v1/system/mcp-servers"
WARNINGS = "/api/v1/system/warnings"
HOSTILE = "<img src=x onerror=alert(1)> <script>alert(2)</script>"
WAIT_SECONDS = 90.0

type Body = dict[str, Any]
type Gateways = Callable[[], TellingGateway]


@pytest_asyncio.fixture
async def bus(kafka_bootstrap: str) -> AsyncIterator[Bus]:
    async with telling_bus(kafka_bootstrap) as bus:
        yield bus


@pytest_asyncio.fixture
async def publisher(bus: Bus) -> AsyncIterator[Publisher]:
    async with publishing(bus) as publisher:
        yield publisher


@pytest.fixture
def one(publisher: Publisher) -> TellingGateway:
    return TellingGateway(publisher)


@pytest.fixture
def other(publisher: Publisher) -> TellingGateway:
    return TellingGateway(publisher)


async def asked(client: httpx2.AsyncClient, path: str) -> Body:
    answer = await client.get(path)
    assert answer.status_code == 200, answer.text
    found: Body = answer.json()
    return found


async def until(client: httpx2.AsyncClient, path: str, holds: Callable[[Body], bool], what: str) -> Body:
    async def look() -> Body | None:
        body = await asked(client, path)
        return body if holds(body) else None

    return await eventually(look, what)


def messages(body: Body) -> list[str]:
    return [warning["message"] for warning in body["warnings"]]


async def test_a_server_is_told_with_gos_keys_and_with_what_each_worker_sees(bus: Bus, one: TellingGateway) -> None:
    annotated = CatalogTool(
        tool="pods", description="Lists pods.", input_schema={"type": "object", "properties": {"ns": {}}},
        repeatable=True, annotations=ToolAnnotations(title="Pods", read_only=True),
    )  # fmt: skip
    await one.announce()
    await one.says("kubernetes", annotated)
    async with watching(bus) as client:
        body = await asked(client, SERVERS)

        [server] = body["servers"]
        [worker] = server.pop("workers")
        [told] = server.pop("tools")
        assert server == {
            "id": "kubernetes", "healthy": True, "misconfigured": False, "error": None, "tool_count": 1,
            "last_check": "2026-11-22T10:00:30.000Z", "protocol_version": "2025-11-25",
            "server_version": "kubernetes 1.2", "denied_count": 0, "refused_count": 0, "refused_tools": [],
            "login_needed": False, "logged_in_until": None, "starting": False, "known_as": "",
        }  # fmt: skip
        assert worker["worker_id"] == one.worker_id
        assert worker["healthy"] is True
        assert worker["error"] is None
        assert worker["tool_count"] == 1
        assert worker["checked_at"] == "2026-11-22T10:00:30.000Z"
        assert told["name"] == "pods"
        assert told["description"] == "Lists pods."
        assert told["repeatable"] is True
        assert (told["read_only"], told["allowed"], told["approval"]) == (True, None, False)
        assert told["annotations"] == {
            "title": "Pods", "read_only": True, "destructive": None, "idempotent": None, "open_world": None,
        }  # fmt: skip
        assert told["input_schema"] is None

        [without] = (await asked(client, f"{SERVERS}?tools=none"))["servers"]
        assert (without["tools"], without["tool_count"]) == ([], 1)
        alone = await asked(client, f"{SERVERS}/kubernetes")
        assert alone["tools"][0]["input_schema"] == {"type": "object", "properties": {"ns": {}}}
        assert {name: alone[name] for name in server} == server


async def test_a_warning_comes_when_a_server_is_lost_and_goes_when_it_is_back(bus: Bus, one: TellingGateway) -> None:
    await one.announce()
    await one.says("grafana", tool("query"))
    async with watching(bus) as client, background_tasks(announce_all([one])):
        assert await asked(client, WARNINGS) == {"warnings": [], "server_count": 1}

        before = datetime.now(UTC)
        await one.says("grafana", tool("query"), error="connection refused")
        first = await until(client, WARNINGS, lambda body: body["warnings"] != [], "a warning")
        [warning] = first["warnings"]
        assert warning["category"] == "mcp_health"
        assert warning["server_id"] == "grafana"
        assert warning["message"] == "The MCP server grafana cannot be reached."
        assert warning["details"] == "connection refused"
        began = datetime.fromisoformat(warning["created_at"])
        assert abs((began - before).total_seconds()) < 300
        [server] = (await asked(client, SERVERS))["servers"]
        assert (server["healthy"], server["error"], server["tool_count"]) == (False, "connection refused", 1)

        await one.says("grafana", error="timed out")
        again = await until(client, WARNINGS, lambda body: body["warnings"][0]["details"] == "timed out", "the news")
        assert again["warnings"] == [warning | {"details": "timed out"}], "the same warning, begun at the same time"

        await one.says("grafana", tool("query"))
        await until(client, WARNINGS, lambda body: body["warnings"] == [], "the warning is cleared")
        [server] = (await asked(client, SERVERS))["servers"]
        assert (server["healthy"], server["error"]) == (True, None)


async def test_another_instance_tells_the_same_of_what_was_before_it(bus: Bus, one: TellingGateway) -> None:
    await one.announce()
    await one.says("grafana", error="connection refused")
    await asyncio.sleep(0.05)  # so that the second record has another stamp
    await one.says("grafana", error="timed out")
    async with watching(bus) as first, watching(bus) as second, background_tasks(announce_all([one])):
        bodies = [await asked(client, WARNINGS) for client in (first, second)]
    assert len(bodies[0]["warnings"]) == 1
    assert bodies[0] == bodies[1]


async def test_workers_that_disagree_are_a_warning_and_the_newest_healthy_one_has_the_tools(
    bus: Bus, one: TellingGateway, other: TellingGateway
) -> None:
    for gateway in (one, other):
        await gateway.announce()
    await other.says("git", tool("log"), tool("show"))
    await one.says("git", tool("log"))
    async with watching(bus) as client, background_tasks(announce_all([one, other])):
        body = await until(client, SERVERS, lambda body: len(body["servers"][0]["workers"]) == 2, "both")
        assert [told["name"] for told in body["servers"][0]["tools"]] == ["log"]
        [warning] = (await asked(client, WARNINGS))["warnings"]
        assert warning["message"] == "The MCP server git offers different tools to different tool gateways."
        assert warning["details"] == "Not all of them have show."

        await one.says("git", error="no such command: git", misconfigured=True)
        said = await until(client, WARNINGS, lambda body: "wrongly" in "".join(messages(body)), "the warning")
        assert messages(said) == ["The MCP server git is configured wrongly."]
        assert said["warnings"][0]["details"] == "no such command: git"
        [server] = (await asked(client, SERVERS))["servers"]
        assert (server["healthy"], server["misconfigured"], server["error"]) == (True, True, None)
        assert [told["name"] for told in server["tools"]] == ["log", "show"]

        await one.says("git", error="hung")
        said = await until(client, WARNINGS, lambda body: "1 of 2" in "".join(messages(body)), "the warning")
        assert messages(said) == ["The MCP server git is reached by 1 of 2 tool gateways."]


async def test_the_entries_of_a_worker_vanish_when_it_leaves_or_falls_silent(
    bus: Bus, one: TellingGateway, other: TellingGateway, publisher: Publisher
) -> None:
    third = TellingGateway(publisher)
    gateways = (one, other, third)
    for gateway in gateways:
        await gateway.announce()
        await gateway.says("git", tool("log"))

    def has_workers(*expected: TellingGateway) -> Callable[[Body], bool]:
        ids = {gateway.worker_id for gateway in expected}
        return lambda body: {worker["worker_id"] for worker in body["servers"][0]["workers"]} == ids

    async with watching(bus, dead_after=DEAD_SOON) as client, background_tasks(announce_all([other])):
        async with background_tasks(announce_all([one])):
            async with background_tasks(announce_all([third])):
                await until(client, SERVERS, has_workers(*gateways), "all are there")
            await third.announce(leaving=True)
            await until(client, SERVERS, has_workers(one, other), "the one that left is not there")
        await until(client, SERVERS, has_workers(other), "the silent one is not there")
        await until(client, WARNINGS, lambda body: body["warnings"] == [], "nothing is wrong with the other")


async def test_when_the_last_gateway_dies_its_servers_are_said_to_be_unreported(bus: Bus, one: TellingGateway) -> None:
    await one.announce()
    await one.says("git", tool("log"))
    async with watching(bus, dead_after=DEAD_SOON) as client:
        body = await until(client, WARNINGS, lambda body: body["warnings"] != [], "warnings")

        general, particular = body["warnings"]
        assert (general["message"], general["server_id"]) == ("No tool gateway is running.", None)
        assert particular["message"] == "No running tool gateway reports the MCP server git."
        assert general["created_at"] == particular["created_at"]
        [server] = (await asked(client, SERVERS))["servers"]
        assert (server["healthy"], server["workers"], server["tools"]) == (False, [], [])
        assert server["error"] == "No running tool gateway reports it."
        assert server["last_check"] == general["created_at"]


async def test_a_server_that_is_withdrawn_is_not_there_any_more(bus: Bus, one: TellingGateway) -> None:
    await one.announce()
    await one.says("git", error="hung")
    await one.says("grafana")
    async with watching(bus) as client, background_tasks(announce_all([one])):
        await until(client, SERVERS, lambda body: len(body["servers"]) == 2, "both servers")
        await one.withdraws("git")
        body = await until(client, SERVERS, lambda body: len(body["servers"]) == 1, "one server")
        assert body["servers"][0]["id"] == "grafana"
        assert await asked(client, WARNINGS) == {"warnings": [], "server_count": 1}
        assert (await client.get(f"{SERVERS}/git")).status_code == 404


async def test_what_cannot_be_read_changes_nothing(bus: Bus, one: TellingGateway, publisher: Publisher) -> None:
    await one.announce()
    await one.says("git", tool("log"))
    key = f"git/{one.worker_id}".encode()
    await publisher.write(bus.topics.catalog, key=key, value=b"no envelope", headers=[])
    await publisher.write(bus.topics.workers, key=b"x", value=b"no envelope", headers=[])
    async with watching(bus) as client:
        [server] = (await asked(client, SERVERS))["servers"]
        assert server["healthy"] is True


async def test_hostile_names_come_out_as_they_are_and_can_be_asked_for(bus: Bus, one: TellingGateway) -> None:
    await one.announce()
    await one.says(HOSTILE, tool(HOSTILE, HOSTILE))
    async with watching(bus) as client:
        answer = await client.get(SERVERS)
        assert answer.headers["content-type"] == "application/json"
        [server] = answer.json()["servers"]
        assert server["id"] == HOSTILE
        [told] = server["tools"]
        assert (told["name"], told["description"]) == (HOSTILE, HOSTILE)


TIMES_PLAIN = 30
"""What is measured: the whole way through the API, against the same words written as JSON and read again."""


async def cpu_seconds[T](work: Callable[[], Awaitable[T]]) -> tuple[float, T]:
    began = time.process_time()
    done = await work()
    return time.process_time() - began, done


@pytest.mark.timing
async def test_a_catalog_of_a_thousand_tools_is_answered_fast_and_the_list_is_bounded(
    bus: Bus, one: TellingGateway
) -> None:
    schema = {"type": "object", "properties": {f"p{number}": {"type": "string"} for number in range(10)}}
    tools = [
        CatalogTool(tool=f"tool_{number}", description="d" * 2_000, input_schema=schema, repeatable=False)
        for number in range(1_200)
    ]  # fmt: skip
    await one.announce()
    await one.says("large", *tools)
    async with watching(bus) as client, background_tasks(announce_all([one])):
        await asked(client, SERVERS)

        async def all_of_it() -> tuple[dict[str, Any], dict[str, Any]]:
            listed, whole = await asked(client, SERVERS), await asked(client, f"{SERVERS}/large")
            await asked(client, WARNINGS)
            return listed, whole

        took, (listed, whole) = min([await cpu_seconds(all_of_it) for _ in range(3)], key=itemgetter(0))

        async def written_and_read() -> None:
            for body in (listed, whole):
                json.loads(json.dumps(body))

        plain, _ = min([await cpu_seconds(written_and_read) for _ in range(3)], key=itemgetter(0))
        [server] = listed["servers"]

    assert server["tool_count"] == 1_200
    assert len(server["tools"]) == 1_000
    assert {len(told["description"]) for told in server["tools"]} == {1_000}
    assert len(whole["tools"]) == 1_200
    assert {len(told["description"]) for told in whole["tools"]} == {2_000}
    assert took < TIMES_PLAIN * plain, f"{took:.3f} s against {plain:.3f} s"


async def test_until_the_catalog_was_read_the_answer_is_503_after_a_bounded_wait() -> None:
    watch = ServerWatch(
        Bus(bootstrap="127.0.0.1:1", topics=None, client="test"),  # type: ignore[arg-type]  # it is never run
        WorkerLiveness(), wait_seconds=0.05, now=lambda: datetime.now(UTC),
    )  # fmt: skip
    async with asking(watch) as client:
        for path in (SERVERS, WARNINGS, f"{SERVERS}/git"):
            answer = await client.get(path)
            assert answer.status_code == 503
            assert answer.headers["content-type"] == "application/problem+json"
            assert "has not been read to its end" in answer.json()["detail"]


async def test_what_was_known_is_not_told_when_kafka_has_been_silent_for_long(bus: Bus, one: TellingGateway) -> None:
    seconds = 1_000.0
    watch = ServerWatch(
        bus, WorkerLiveness(monotonic=lambda: seconds), wait_seconds=WAIT_SECONDS, now=lambda: datetime.now(UTC)
    )  # fmt: skip
    await one.announce()
    await one.says("git")
    async with asking(watch) as client:
        async with background_tasks(watch.run(Supervisor())):
            assert len((await asked(client, SERVERS))["servers"]) == 1
        seconds += SURE_SECONDS + 1
        for path in (SERVERS, WARNINGS):
            answer = await client.get(path)
            assert answer.status_code == 503
            assert answer.json()["detail"].startswith("Kafka has not said for a while")
        assert watch.count_warnings("mcp_health") == 0


@pytest.mark.parametrize("query", ["tools=all", "tools="])
async def test_what_is_asked_wrongly_is_a_problem(query: str) -> None:
    watch = ServerWatch(
        Bus(bootstrap="127.0.0.1:1", topics=None, client="test"),  # type: ignore[arg-type]  # it is never run
        WorkerLiveness(), wait_seconds=0.05, now=lambda: datetime.now(UTC),
    )  # fmt: skip
    async with asking(watch) as client:
        answer = await client.get(f"{SERVERS}?{query}")
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["pointer"] == "/tools"
