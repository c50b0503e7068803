"""A server over HTTP behind the whole gateway, from the configuration to the catalog."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from gateway_owner import WAIT_SECONDS, Owner, call, catalogued, seen_by
from http_servers import HttpServer
from prometheus_client import CollectorRegistry

from tarsy_contracts.messages.workers import ServerCatalogued
from tarsy_processes.ports import free_port
from tarsy_testing.real_servers import eventually
from tarsy_tool_gateway.app import build
from tarsy_tool_gateway.settings import ToolGatewaySettings

SECRET = "hunter2-very-secret"
CONFIGURATION = """
mcp_servers:
  remote:
    transport:
      type: http
      url: {url}
      bearer_token: "{{{{.REMOTE_TOKEN}}}}"
    repeatable_tools: [destroy]
agents: {{A: {{mcp_servers: [remote]}}}}
agent_chains: {{k: {{alert_types: [kubernetes], stages: [{{name: s, agents: [{{name: A}}]}}]}}}}
llm_providers: {{scripted: {{type: scripted, script: tarsy.yaml}}}}
defaults: {{llm_provider: scripted}}
"""


@pytest.fixture
def server(calls_file: Path) -> Iterator[HttpServer]:
    server = HttpServer(free_port(), "legacy", {"CALLS": str(calls_file), "TOKEN": SECRET})
    yield server
    server.kill()


@pytest.fixture
def settings(owner: Owner, server: HttpServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ToolGatewaySettings:
    monkeypatch.setenv("REMOTE_TOKEN", SECRET)
    (tmp_path / "tarsy.yaml").write_text(CONFIGURATION.format(url=server.url), encoding="utf-8")
    return ToolGatewaySettings(
        kafka=owner.bus.bootstrap, topic_prefix=owner.bus.topics.prefix, client="remote", config_dir=tmp_path
    )


@pytest.mark.timing
async def test_a_server_that_is_down_keeps_no_gateway_from_starting_and_is_catalogued_when_it_comes_up(
    owner: Owner, server: HttpServer, settings: ToolGatewaySettings
) -> None:
    ready = asyncio.Event()
    gateway = asyncio.create_task(run(settings, ready))
    try:
        async with asyncio.timeout(WAIT_SECONDS):
            await ready.wait()
        early = call("destroy", server="remote", repeatable=True, timeout=1, name="db")
        await owner.ask(early)
        result = await owner.result(early)
        assert result.outcome == "unavailable"

        seen = await eventually(lambda: refused(owner, result.worker_id), "it was tried, and the catalog says so")
        assert (seen.healthy, seen.tools) == (False, ())

        await server.start()
        found = await seen_by(owner, result.worker_id, healthy=True, server="remote")
        assert {tool.tool: tool.repeatable for tool in found.tools}["destroy"] is True

        late = call("destroy", server="remote", repeatable=True, name="db")
        await owner.ask(late)
        assert (await owner.result(late)).content == "db is gone"
    finally:
        gateway.cancel()
        await asyncio.wait([gateway], timeout=WAIT_SECONDS)
        assert gateway.cancelled()


async def run(settings: ToolGatewaySettings, ready: asyncio.Event) -> None:
    await build(settings, CollectorRegistry()).run(ready.set)


async def refused(owner: Owner, worker: str) -> ServerCatalogued | None:
    seen = (await catalogued(owner, worker)).get("remote")
    return seen if seen is not None and "ConnectError" in seen.error else None
