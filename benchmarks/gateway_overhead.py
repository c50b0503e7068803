"""What the tool gateway adds to a tool call: `python benchmarks/gateway_overhead.py [--calls 1000] [--at-once 50]`.

The same instant tool, called with the SDK's client alone, through the gateway's connection, and through a whole gateway
in a process of its own, from the queue to the inbox. First one after the other, for the time of a call; then several
at once, for the CPU of the process that makes them. The three take turns, so that a busy moment meets them all.
"""

import argparse
import asyncio
import statistics
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

import uvloop
from gateways import ANSWER_SECONDS, SERVER, Asking, Gateways, asking, new_request, prepared
from mcp import Client
from processes import used
from saying import load_told, say, tail
from tool_server import TOOL

from tarsy_tool_gateway.mcp.connection import McpConnection
from tarsy_tool_gateway.mcp.sdk_logs import mute_values_in_sdk_logs
from tarsy_tool_gateway.mcp.server_plan import HttpTransport, ServerPlan
from tarsy_tool_gateway.mcp.tool_server import McpToolServer
from tarsy_worker.claim_types import ServerLimits

ROUNDS = 10
READY_SECONDS = 20.0


@dataclass
class Way:
    """One way to call the tool. `cpu`: the seconds that the process has used which makes the calls."""

    name: str
    call: Callable[[], Awaitable[None]]
    cpu: Callable[[], float]
    milliseconds: list[float] = field(default_factory=list)
    cpu_seconds: float = 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=1_000)
    parser.add_argument("--at-once", type=int, default=50)
    given = parser.parse_args()
    with load_told(), prepared(tool_seconds=0, concurrent=given.at_once) as gateways:
        uvloop.run(measure(gateways, given.calls, given.at_once))


async def measure(gateways: Gateways, calls: int, at_once: int) -> None:
    url = gateways.around.tools_url
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(Client(url))
        await client.list_tools()
        tools = await stack.enter_async_context(connection(url, at_once))
        owner = await stack.enter_async_context(asking(gateways.system.bus))
        (process,) = await gateways.start(1)
        ways = (
            Way("the SDK's client alone", lambda: bare(client), time.process_time),
            Way("the gateway's connection", lambda: connected(tools), time.process_time),
            Way("a whole gateway, queue to inbox", lambda: whole(owner), lambda: used(process.process.pid).cpu_seconds),
        )
        for way in ways:
            await repeat(way, calls // ROUNDS, at_once)
        for _ in range(ROUNDS):
            for way in ways:
                await one_by_one(way, calls // ROUNDS)
        for _ in range(ROUNDS):
            for way in ways:
                await at_the_same_time(way, calls // ROUNDS, at_once)
        report(ways, calls)


async def one_by_one(way: Way, calls: int) -> None:
    for _ in range(calls):
        began = time.perf_counter()
        await way.call()
        way.milliseconds.append((time.perf_counter() - began) * 1000)


async def at_the_same_time(way: Way, calls: int, at_once: int) -> None:
    before = way.cpu()
    await repeat(way, calls, at_once)
    way.cpu_seconds += way.cpu() - before


async def repeat(way: Way, calls: int, at_once: int) -> None:
    left = iter(range(calls))

    async def one_after_the_other() -> None:
        for _ in left:
            await way.call()

    async with asyncio.TaskGroup() as group:
        for _ in range(at_once):
            group.create_task(one_after_the_other())


def report(ways: tuple[Way, ...], calls: int) -> None:
    alone = ways[0]
    for way in ways:
        cpu = way.cpu_seconds / calls * 1000
        median = statistics.median(way.milliseconds)
        times = f"{median / statistics.median(alone.milliseconds):.1f} times the time"
        say(f"{way.name}: {tail(way.milliseconds)}; {cpu:.2f} ms of CPU a call")
        if way is not alone:
            say(f"  {times}, {way.cpu_seconds / alone.cpu_seconds:.1f} times the CPU of the SDK's client alone")


async def bare(client: Client) -> None:
    result = await client.call_tool(TOOL, {"what": "pods"}, read_timeout_seconds=ANSWER_SECONDS)
    assert not result.is_error


async def connected(tools: McpToolServer) -> None:
    said = await tools.call(new_request())
    assert said.outcome == "ok", said


async def whole(owner: Asking) -> None:
    told = await owner.call()
    assert told.outcome == "ok", told


@asynccontextmanager
async def connection(url: str, at_once: int) -> AsyncIterator[McpToolServer]:
    mute_values_in_sdk_logs()
    plan = ServerPlan(SERVER, HttpTransport(url), limits=ServerLimits(concurrent=at_once, queue=at_once))
    one = McpConnection(plan, mask=str, connect_seconds=READY_SECONDS)
    async with asyncio.TaskGroup() as group:
        group.create_task(one.run())
        await one.wait_ready(READY_SECONDS)
        try:
            yield McpToolServer(one, READY_SECONDS)
        finally:
            one.stop()


if __name__ == "__main__":
    main()
