"""A gateway whose configuration changes: servers come and go, and calls of those that stay are not disturbed."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from gateway_owner import DEAD_AFTER_SECONDS, WAIT_SECONDS, Owner, call, catalogued, let_go, noted, seen_by, until_noted
from prometheus_client import CollectorRegistry
from pydantic import JsonValue

from tarsy_bus.background_tasks import background_tasks
from tarsy_contracts.messages.inputs import ToolCallReported
from tarsy_testing.real_servers import eventually
from tarsy_tool_gateway.app import build
from tarsy_tool_gateway.settings import ToolGatewaySettings

TICKETS: dict[str, JsonValue] = {"custom_patterns": [{"pattern": "INC-[0-9]+", "replacement": "[TICKET]"}]}
STAGE: JsonValue = {"name": "s", "agents": [{"name": "A", "llm_provider": "scripted"}]}


class Gateway:
    """A running gateway, and the file that it runs by."""

    def __init__(self, owner: Owner, folder: Path, calls_file: Path, program: tuple[str, ...]) -> None:
        self.registry = CollectorRegistry()
        self.folder = folder
        self._owner = owner
        self._calls_file = calls_file
        self._program = program

    def configure(self, **servers: dict[str, JsonValue]) -> None:
        """The file names these servers, with what else it says of each."""
        transport: JsonValue = {
            "type": "stdio",
            "command": self._program[0],
            "args": list(self._program[1:]),
            "env": {"CALLS": str(self._calls_file)},
        }
        config: JsonValue = {
            "mcp_servers": {name: {"transport": transport, **more} for name, more in servers.items()},
            "agents": {"A": {"mcp_servers": list(servers)}},
            "agent_chains": {"k": {"alert_types": ["kubernetes"], "stages": [STAGE]}},
            "llm_providers": {"scripted": {"type": "scripted", "script": "tarsy.yaml"}},
        }
        (self.folder / "tarsy.yaml").write_text(json.dumps(config), encoding="utf-8")

    async def result(self, tool: str, server: str = "first", **arguments: str) -> ToolCallReported:
        request = call(tool, server=server, repeatable=True).model_copy(update={"arguments": dict(arguments)})
        await self._owner.ask(request)
        return await self._owner.result(request)

    async def until_withdrawn(self, server: str, worker: str) -> None:
        async def look() -> bool:
            return (await catalogued(self._owner, worker)).get(server, "never") is None

        await eventually(look, f"the catalog entry of {server} is withdrawn")

    def health(self, server: str) -> float | None:
        return self.registry.get_sample_value("tarsy_tool_gateway_server_healthy", {"server": server})

    @property
    def refused(self) -> float | None:
        return self.registry.get_sample_value("tarsy_config_reload_failed", {"service": "tool-gateway"})


@pytest.fixture
async def gateway(
    owner: Owner, tmp_path: Path, calls_file: Path, small_program: tuple[str, ...]
) -> AsyncIterator[Gateway]:
    """It runs with the server `first`."""
    gateway = Gateway(owner, tmp_path, calls_file, small_program)
    gateway.configure(first={})
    settings = ToolGatewaySettings(
        kafka=owner.bus.bootstrap,
        topic_prefix=owner.bus.topics.prefix,
        client="gateway",
        config_dir=tmp_path,
        config_poll_seconds=0.1,
        mcp_ready_seconds=WAIT_SECONDS / 2,
        dead_after_seconds=DEAD_AFTER_SECONDS,
    )
    service, ready = build(settings, gateway.registry), asyncio.Event()

    async def run() -> None:
        await service.run(ready.set)

    async with background_tasks(run()):
        async with asyncio.timeout(WAIT_SECONDS):
            await ready.wait()
        yield gateway


@pytest.mark.timing
async def test_a_server_that_is_added_is_called_and_one_that_is_removed_is_withdrawn_and_the_others_stay(
    owner: Owner, gateway: Gateway
) -> None:
    before = await gateway.result("process_id")
    early = asyncio.create_task(gateway.result("echo", server="second", text="asked before it was configured"))
    await asyncio.wait([early], timeout=0.5)
    gateway.configure(first={}, second={})
    assert (await early).content == "asked before it was configured"
    await seen_by(owner, before.worker_id, healthy=True, server="second")
    assert gateway.health("second") == 1

    gateway.configure(first={})
    await gateway.until_withdrawn("second", before.worker_id)
    gone = await gateway.result("echo", server="second", text="?")
    assert (gone.outcome, gone.content) == ("rejected", "There is no MCP server second. There are: first")
    assert gateway.health("second") is None
    assert (await gateway.result("process_id")).content == before.content


async def test_a_call_of_a_server_that_is_removed_ends_first_masked_by_the_rules_of_that_server(
    owner: Owner, gateway: Gateway, calls_file: Path
) -> None:
    gateway.configure(first={}, second={"data_masking": TICKETS})
    running = call("destroy", server="second", name="INC-4711", seconds=600, timeout=600)
    await owner.ask(running)
    claim = await owner.claim(running)
    await owner.grant(claim)
    await until_noted(calls_file, "destroy INC-4711")

    gateway.configure(first={})
    await gateway.until_withdrawn("second", claim.worker_id)
    let_go(calls_file)
    ended = await owner.result(running)
    assert (ended.outcome, ended.content) == ("ok", "[TICKET] is gone")
    assert noted(calls_file, "destroy INC-4711") == 1


async def test_a_server_that_is_changed_is_started_again_and_its_running_call_ends_with_its_result(
    owner: Owner, gateway: Gateway, calls_file: Path
) -> None:
    before = await gateway.result("process_id")
    running = call("slow", repeatable=True, seconds=600, timeout=600)
    await owner.ask(running)
    await until_noted(calls_file, "slow begins")
    gateway.configure(first={"max_concurrent_calls": 7})

    async def look() -> bool:
        return (await gateway.result("process_id")).content != before.content

    await eventually(look, "another program serves it")
    assert owner.all(ToolCallReported, running) == []
    let_go(calls_file)
    assert (await owner.result(running)).content == "at last"
    await seen_by(owner, before.worker_id, healthy=True)


async def test_rules_of_masking_hold_at_once_and_cut_no_session(gateway: Gateway) -> None:
    before = await gateway.result("process_id")
    gateway.configure(first={"data_masking": TICKETS})

    async def look() -> bool:
        return (await gateway.result("echo", text="see INC-4711")).content == "see [TICKET]"

    await eventually(look, "the new pattern masks")
    assert (await gateway.result("process_id")).content == before.content


async def test_a_pattern_that_the_masker_cannot_use_keeps_the_old_configuration(gateway: Gateway) -> None:
    broken: JsonValue = [{"pattern": "INC-([0-9]+)", "replacement": "$2"}]
    gateway.configure(first={"data_masking": {"custom_patterns": broken}}, second={})

    async def look() -> bool:
        return gateway.refused == 1

    await eventually(look, "the metric says that it is refused")
    assert (await gateway.result("echo", text="INC-1")).content == "INC-1"
    gateway.configure(first={}, second={})
    assert (await gateway.result("echo", server="second", text="there")).content == "there"
    assert gateway.refused == 0
