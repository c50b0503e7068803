"""The tool catalog says what living gateways offer, and why a server is not to be had."""

import asyncio
from datetime import UTC, datetime, timedelta
from itertools import permutations

import pytest
from orchestrator_world import World

from tarsy_bus.background_tasks import background_tasks
from tarsy_bus.liveness.failure_detection import Liveness
from tarsy_config.config import Config
from tarsy_contracts.messages.inputs import UnavailableServer
from tarsy_contracts.messages.workers import CatalogTool, ServerCatalogued, WorkerAnnounced
from tarsy_orchestrator.effects import tool_catalog
from tarsy_orchestrator.effects.action_ledger import ActionLedger
from tarsy_orchestrator.effects.spending_ledger import SpendingLedger
from tarsy_orchestrator.effects.tool_catalog import (
    UNKNOWN_SERVER,
    UNSAID,
    ToolCatalog,
    ToolOffer,
    ToolsPatience,
    compose_offer,
)
from tarsy_testing.real_servers import eventually

OWNER = "owner"
NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
LOG = CatalogTool(tool="log", description="", input_schema={}, repeatable=True)


def seen(worker: str, error: str | None = None) -> ServerCatalogued:
    """As this worker sees it: healthy without an error."""
    tools = (LOG,) if error is None else ()
    return ServerCatalogued(server="git", worker_id=worker, healthy=error is None, error=error or "", tools=tools)


def liveness(*living: str) -> Liveness:
    heard = Liveness(OWNER)
    for second, worker in enumerate((OWNER, *living)):
        service = "orchestrator" if worker == OWNER else "tool-gateway"
        heard.note_heartbeat(WorkerAnnounced(worker_id=worker, service=service), NOW + timedelta(seconds=second))
    return heard


async def offer(world: World, living: Liveness, *entries: ServerCatalogued) -> ToolOffer:
    """The offer once the last entry, a server of its own, has been read."""
    last = seen("living").model_copy(update={"server": "last"})
    for entry in (*entries, last):
        key = f"{entry.server}/{entry.worker_id}"
        await world.publisher.publish(world.bus.topics.catalog, entry, key=key, id=key, subject=entry.server)
    catalog = ToolCatalog(
        living, ActionLedger(lambda: datetime.now(UTC)), SpendingLedger(lambda: datetime.now(UTC), Config)
    )

    async def through() -> ToolOffer | None:
        offered = catalog.offer(["git", "last"])
        return offered if any(tool.server == "last" for tool in offered.tools) else None

    async with background_tasks(catalog.follow(world.bus)):
        return await eventually(through, "the catalog has been read")


@pytest.mark.parametrize(
    ("entries", "reason"),
    [
        ([], UNKNOWN_SERVER),
        ([seen("dead", "it refused")], UNKNOWN_SERVER),
        ([seen("dead")], UNKNOWN_SERVER),
        ([seen("living", "it refused")], "it refused"),
        ([seen("living", "it refused"), seen("other", "no such name")], "no such name"),
        ([seen("living", "")], UNSAID),
    ],
)
async def test_a_server_that_no_living_gateway_reaches_comes_with_the_newest_reason(
    world: World, entries: list[ServerCatalogued], reason: str
) -> None:
    offered = await offer(world, liveness("living", "other"), *entries)
    assert offered.unavailable_servers == (UnavailableServer(server="git", reason=reason),)


async def test_a_gateway_that_reaches_it_counts_before_a_newer_one_that_does_not(world: World) -> None:
    offered = await offer(world, liveness("living", "other"), seen("living"), seen("other", "it refused"))
    assert offered.unavailable_servers == ()
    assert [tool.server for tool in offered.tools] == ["git", "last"]


async def read_through(world: World, catalog: ToolCatalog, entry: ServerCatalogued) -> None:
    await world.publisher.publish(world.bus.topics.catalog, entry, key="git/living", id="1", subject="git")

    async def is_known() -> bool:
        reasons = [one.reason for one in catalog.offer(["git"]).unavailable_servers]
        return reasons == [entry.error] * (not entry.healthy)

    await eventually(is_known, f"the catalog says {entry.error or 'that it is there'}")


async def test_a_server_that_starts_is_waited_for_longer_than_one_that_is_down(world: World) -> None:
    catalog = ToolCatalog(
        liveness("living"), ActionLedger(lambda: datetime.now(UTC)), SpendingLedger(lambda: datetime.now(UTC), Config)
    )
    at_once_if_down = ToolsPatience(down_seconds=0.0, starting_seconds=600.0)
    async with background_tasks(catalog.follow(world.bus)):
        waiting = asyncio.create_task(catalog.wait_for(["git"], at_once_if_down))
        await read_through(world, catalog, seen("living", "it starts").model_copy(update={"starting": True}))
        assert not waiting.done()
        await read_through(world, catalog, seen("living"))
        assert [tool.server for tool in (await waiting).tools] == ["git"]

        waiting = asyncio.create_task(catalog.wait_for(["git", "unknown"], at_once_if_down))
        await read_through(world, catalog, seen("living", "it refused"))
        assert not waiting.done()
        waiting.cancel()
        offered = await catalog.wait_for(["git"], at_once_if_down)
        assert [one.reason for one in offered.unavailable_servers] == ["it refused"]


def hear_ourselves(heard: Liveness, first: int, last: int) -> None:
    for second in range(first, last + 1):
        heard.note_heartbeat(WorkerAnnounced(worker_id=OWNER, service="orchestrator"), NOW + timedelta(seconds=second))


async def test_an_outage_of_kafka_takes_no_time_from_the_wait_for_a_gateway() -> None:
    heard = liveness()
    catalog = ToolCatalog(
        heard, ActionLedger(lambda: datetime.now(UTC)), SpendingLedger(lambda: datetime.now(UTC), Config)
    )
    waiting = asyncio.create_task(catalog.wait_for(["git"], ToolsPatience(down_seconds=20.0, starting_seconds=60.0)))

    async def hear(first: int, last: int) -> None:
        hear_ourselves(heard, first, last)
        catalog.wake()
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    await hear(1, 59)
    assert not waiting.done()
    await hear(200, 259)
    assert not waiting.done(), "an outage begins the wait again"
    await hear(260, 260)
    assert waiting.done()
    assert [one.reason for one in (await waiting).unavailable_servers] == [UNKNOWN_SERVER]


def test_the_order_in_which_a_server_lists_its_tools_changes_nothing() -> None:
    """Servers in Go list theirs in the order of a map."""
    tools = [LOG.model_copy(update={"tool": name}) for name in ("logs", "events", "pods")]
    offers = [
        compose_offer({"kubernetes": [seen("living").model_copy(update={"tools": listed})], "git": [seen("living")]})
        for listed in permutations(tools)
    ]
    assert {tuple(one.definition.name for one in offered.tools) for offered in offers} == {
        ("kubernetes__events", "kubernetes__logs", "kubernetes__pods", "git__log")
    }


def test_a_server_without_tools_is_not_missing() -> None:
    offered = compose_offer({"git": [seen("living").model_copy(update={"tools": ()})]})
    assert (offered.tools, offered.unavailable_servers) == ((), ())


async def test_a_start_that_waits_long_for_the_end_of_the_catalog_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool_catalog, "READ_SECONDS", 0.001)
    catalog = ToolCatalog(
        liveness(), ActionLedger(lambda: datetime.now(UTC)), SpendingLedger(lambda: datetime.now(UTC), Config)
    )
    assert catalog.unready_reasons() == []

    async def reasons() -> list[str]:
        return catalog.unready_reasons()

    async with background_tasks(catalog.wait_until_read()):
        await eventually(reasons, "nothing is said of the catalog")
