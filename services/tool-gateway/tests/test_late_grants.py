"""A gateway that slept runs no grant that it reads when it wakes: its call may have been taken from it."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from connections import connected
from gateway_owner import WAIT_SECONDS, Owner, call, noted, until_noted
from opentelemetry.trace import NoOpTracer
from prometheus_client import CollectorRegistry

from tarsy_bus.background_tasks import background_tasks
from tarsy_bus.client.connection import Bus
from tarsy_bus.liveness.pulse import Pulse
from tarsy_tool_gateway.app import assemble
from tarsy_tool_gateway.builtin.runbooks.rules import RunbookRules
from tarsy_tool_gateway.mcp.server_plan import ServerPlan
from tarsy_tool_gateway.mcp.tool_server import CUT_OFF, McpToolServer
from tarsy_tool_gateway.settings import ToolGatewaySettings
from tarsy_tool_gateway.tool_servers import ToolOutput

type NewPlan = Callable[..., ServerPlan]
LIMIT_SECONDS = 1_000.0
"""Above what a busy machine may delay an announcement."""


class Clock:
    """Of the gateway's pulse. It stands still, and is put on by the test."""

    seconds = 0.0

    def __call__(self) -> float:
        return self.seconds

    def sleep(self) -> None:
        self.seconds += LIMIT_SECONDS + 1


@asynccontextmanager
async def gateway(bus: Bus, clock: Clock, *plans: ServerPlan) -> AsyncIterator[Pulse]:
    settings = ToolGatewaySettings(kafka=bus.bootstrap, topic_prefix=bus.topics.prefix, client="gateway")
    pulse = Pulse(LIMIT_SECONDS, clock)
    made = assemble(settings, CollectorRegistry(), plans, RunbookRules(), NoOpTracer())
    ready = asyncio.Event()
    async with background_tasks(replace(made, worker=replace(made.worker, pulse=pulse)).run(ready.set)):
        async with asyncio.timeout(WAIT_SECONDS):
            await ready.wait()
        yield pulse


@pytest.mark.parametrize("announced_meanwhile", [False, True], ids=["still unheard", "heard again before it reads on"])
async def test_a_grant_that_is_read_after_a_sleep_is_given_back(
    bus: Bus, owner: Owner, new_plan: NewPlan, calls_file: Path, announced_meanwhile: bool
) -> None:
    clock = Clock()
    async with gateway(bus, clock, new_plan("first")) as pulse:
        request = call("destroy", name="api-7")
        await owner.ask(request)
        claim = await owner.claim(request)
        clock.sleep()
        if announced_meanwhile:
            pulse.note_acknowledgement(clock())
        await owner.grant(claim)
        given_back = await owner.not_started(request)
        assert given_back.claim_id == claim.claim_id
        pulse.note_acknowledgement(clock())
        await owner.ask(request)
        await owner.grant(await owner.another_claim(claim))
        await owner.result(request)
    assert noted(calls_file, "destroy api-7") == 1


async def test_a_grant_is_run_as_long_as_the_gateway_is_heard(
    bus: Bus, owner: Owner, new_plan: NewPlan, calls_file: Path
) -> None:
    async with gateway(bus, Clock(), new_plan("first")):
        request = call("destroy", name="api-7")
        await owner.ask(request)
        await owner.grant(await owner.claim(request))
        await until_noted(calls_file, "destroy api-7")
        assert (await owner.result(request)).outcome == "ok"


async def test_a_tool_is_not_started_when_the_gateway_slept_while_the_call_waited_for_its_session(
    new_plan: NewPlan, calls_file: Path
) -> None:
    async with connected(new_plan("first")) as connection:
        tools = McpToolServer(connection, ready_seconds=WAIT_SECONDS)
        said = await tools.call(call("destroy", name="api-7"), may_start=lambda: False)
        assert said == ToolOutput("unavailable", CUT_OFF)
        assert noted(calls_file, "destroy api-7") == 0
        assert (await tools.call(call("destroy", name="api-7"))).outcome == "ok"
