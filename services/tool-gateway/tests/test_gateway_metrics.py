"""What the gateway shows of its servers and its load, while it happens."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from connections import odd
from gateway_owner import DEAD_AFTER_SECONDS, WAIT_SECONDS, Owner, call, until_noted
from opentelemetry.trace import NoOpTracer
from prometheus_client import CollectorRegistry

from tarsy_bus.background_tasks import background_tasks
from tarsy_testing.real_servers import eventually
from tarsy_tool_gateway.app import assemble
from tarsy_tool_gateway.builtin.runbooks.rules import RunbookRules
from tarsy_tool_gateway.mcp.progress import LEAST_PAUSE_SECONDS
from tarsy_tool_gateway.mcp.server_plan import ServerPlan, StdioTransport
from tarsy_tool_gateway.settings import ToolGatewaySettings

type NewPlan = Callable[..., ServerPlan]


class Shown:
    def __init__(self) -> None:
        self.registry = CollectorRegistry()

    def value(self, name: str, server: str = "first", **labels: str) -> float | None:
        return self.registry.get_sample_value(f"tarsy_tool_gateway_{name}", {"server": server, **labels})

    async def until(self, name: str, value: float, server: str = "first") -> None:
        async def look() -> bool:
            return self.value(name, server) == value

        await eventually(look, f"{name} of {server} is {value}")


@asynccontextmanager
async def showing(owner: Owner, *plans: ServerPlan) -> AsyncIterator[Shown]:
    settings = ToolGatewaySettings(
        kafka=owner.bus.bootstrap,
        topic_prefix=owner.bus.topics.prefix,
        client="gateway",
        dead_after_seconds=DEAD_AFTER_SECONDS,
    )
    shown, ready = Shown(), asyncio.Event()
    async with background_tasks(assemble(settings, shown.registry, plans, RunbookRules(), NoOpTracer()).run(ready.set)):
        async with asyncio.timeout(WAIT_SECONDS):
            await ready.wait()
        yield shown


async def test_running_waiting_and_busy_calls_are_shown_by_server(
    owner: Owner, new_plan: NewPlan, calls_file: Path
) -> None:
    async with showing(owner, new_plan(concurrent=1, queue=1), new_plan("second")) as shown:
        slow = [call("slow", repeatable=True, timeout=600, seconds=600) for _ in range(2)]
        await owner.ask(slow[0])
        await until_noted(calls_file, "slow begins")
        await owner.ask(slow[1])
        await shown.until("calls_running", 1)
        await shown.until("calls_queued", 1)
        third = call("echo", repeatable=True, text="too much")
        await owner.ask(third)
        assert (await owner.not_started(third)).reason == "busy"
        assert (shown.value("busy_refusals_total"), shown.value("busy_refusals_total", "second")) == (1, 0)

        held = call("destroy", server="second", name="db")
        await owner.ask(held)
        await owner.claim(held)
        await shown.until("calls_held", 1, "second")
        assert shown.value("calls_running", "second") == 0


async def test_a_server_that_cannot_be_reached_is_not_healthy_and_one_that_came_back_is_counted(
    owner: Owner, new_plan: NewPlan
) -> None:
    missing = ServerPlan("missing", StdioTransport("/nonexistent/server"), new_plan().limits)
    async with showing(owner, new_plan(), missing) as shown:
        request = call("echo", repeatable=True, text="ready")
        await owner.ask(request)
        await owner.result(request)
        assert (shown.value("server_healthy"), shown.value("server_healthy", "missing")) == (1, 0)
        assert shown.value("server_reconnects_total") == 0
        await shown.until("server_misconfigured", 1, "missing")
        assert shown.value("server_misconfigured") == 0

        dying = call("die_once", repeatable=True, marker="died")
        await owner.ask(dying)
        await owner.result(dying)
        assert (shown.value("server_healthy"), shown.value("server_reconnects_total")) == (1, 1)
        assert shown.value("server_reconnects_total", "missing") == 0
        assert shown.value("sessions_ended_total", reason="ended") == 1
        assert shown.value("sessions_ended_total", reason="silent") == 0
        assert shown.value("call_retries_total", reason="session_ended") == 1
        assert shown.value("call_retries_total", reason="throttled") == 0


async def test_progress_is_counted_told_or_dropped(owner: Owner, calls_file: Path) -> None:
    async with showing(owner, odd(calls_file)) as shown:
        request = call("progress", repeatable=True, timeout=600)
        began = asyncio.get_running_loop().time()
        await owner.ask(request)

        async def all_counted() -> bool:
            counted = shown.value("progress_chunks_total"), shown.value("progress_dropped_total")
            return sum(number or 0 for number in counted) == 200

        await eventually(all_counted, "each of two hundred words was told or dropped")
        took = asyncio.get_running_loop().time() - began
        told = shown.value("progress_chunks_total")
        await owner.cancel(request)
        await owner.result(request)
    assert told is not None
    assert 1 <= told <= took / LEAST_PAUSE_SECONDS + 1


async def test_a_catalog_that_was_shortened_is_counted_once_for_its_tools(owner: Owner, calls_file: Path) -> None:
    async with showing(owner, odd(calls_file, "wordy")) as shown:
        await shown.until("catalog_shortened_total", 1)
