"""The MCP half of a gateway, without Kafka, as a process of its own. A line on its input is the next step.

It connects a sound server; then hostile ones, whose huge results it asks for; then it drops these.
"""

import asyncio
import sys
from contextlib import AsyncExitStack
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

from connections import plan_to
from gateway_owner import call, until_noted

from tarsy_masking.masker import Masker
from tarsy_tool_gateway.mcp.connection import McpConnection
from tarsy_tool_gateway.mcp.health import HealthCheck
from tarsy_tool_gateway.mcp.sdk_logs import mute_values_in_sdk_logs
from tarsy_tool_gateway.mcp.server_plan import HttpTransport, StdioTransport, TransportPlan
from tarsy_tool_gateway.mcp.tool_server import McpToolServer
from tarsy_tool_gateway.results.results import prepare

PROGRAM = Path(__file__).parents[1] / "wrong_answers" / "raw_server.py"
OFTEN = HealthCheck(every_seconds=0.5, within_seconds=60)
FLOODS = ("tools", "schema", "notifications", "line")
HOSTILE_SECONDS = 20.0
WAVES = 2
LEAST_RESULT = 29 * 1024 * 1024

MASKER = Masker.default(b"k" * 32)


def program(folder: Path, flood: str) -> StdioTransport:
    environment = {"CALLS": str(folder / f"calls-{flood}"), "MODE": "stdio", "PYTHONPATH": str(PROGRAM.parents[1])}
    return StdioTransport(sys.executable, (str(PROGRAM),), environment | {"FLOOD": flood}, protocol="legacy")


def connection_to(transport: TransportPlan) -> McpConnection:
    return McpConnection(plan_to(transport), mask=MASKER.mask, connect_seconds=60, checking=OFTEN)


async def step() -> None:
    sys.stdout.write("done\n")
    sys.stdout.flush()
    if not await asyncio.to_thread(sys.stdin.readline):
        sys.exit(1)


async def ask(connection: McpConnection, tool: str, least: int) -> None:
    output = await McpToolServer(connection, ready_seconds=90).call(call(tool, repeatable=True, timeout=120))
    assert output.outcome == "ok"
    assert (await asyncio.to_thread(prepare, output.text, MASKER.mask)).size > least


async def be_attacked(folder: Path, urls: list[str]) -> None:
    hostile = [connection_to(program(folder, flood)) for flood in FLOODS]
    hostile += [connection_to(HttpTransport(url, protocol="legacy")) for url in urls]
    async with asyncio.TaskGroup() as tasks:
        running = [tasks.create_task(each.run()) for each in hostile]
        await asyncio.gather(*(until_noted(folder / f"calls-{flood}", "tools/list") for flood in FLOODS))
        generous = connection_to(program(folder, "none"))
        running.append(tasks.create_task(generous.run()))
        for _ in range(WAVES):
            await ask(generous, "huge", LEAST_RESULT)
        await asyncio.sleep(HOSTILE_SECONDS)
        for each in (*hostile, generous):
            each.stop()
        await asyncio.wait(running)


async def main(folder: Path, urls: list[str]) -> None:
    mute_values_in_sdk_logs()
    async with AsyncExitStack() as stack:
        tasks = await stack.enter_async_context(asyncio.TaskGroup())
        sound = connection_to(program(folder, "sound"))
        tasks.create_task(sound.run())
        await ask(sound, "right", 0)
        await step()
        await be_attacked(folder, urls)
        await ask(sound, "right", 0)
        await step()
        sound.stop()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2:]))
