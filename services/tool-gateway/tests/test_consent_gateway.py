"""A server that wants a person's consent behind the whole gateway: without a login, with one, renewed."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4

import httpx2
import pytest
from gateway_owner import WAIT_SECONDS, Owner, call, catalogued
from prometheus_client import CollectorRegistry
from pydantic import SecretStr

from tarsy_contracts.messages.workers import ServerCatalogued
from tarsy_service.process.service import Service
from tarsy_testing.real_servers import eventually
from tarsy_testing.servers.consent_server import ConsentServer, consent, consent_server
from tarsy_tool_gateway.app import build, now
from tarsy_tool_gateway.mcp.logins.consent import log_in
from tarsy_tool_gateway.mcp.logins.token_keys import TokenKeys
from tarsy_tool_gateway.mcp.logins.token_topic import TokenWriter
from tarsy_tool_gateway.mcp.server_plan import LoginClient
from tarsy_tool_gateway.settings import ToolGatewaySettings

NAME = "remote"
KEY = "0123456789abcdef0123456789abcdef"
COMMAND = f"run `tarsy servers login {NAME}`"
CONFIGURATION = """
mcp_servers:
  remote:
    transport:
      type: http
      url: {url}
      oauth: {{grant: authorization_code, issuer: "{issuer}"}}
agents: {{A: {{mcp_servers: [remote]}}}}
agent_chains: {{k: {{alert_types: [kubernetes], stages: [{{name: s, agents: [{{name: A}}]}}]}}}}
llm_providers: {{scripted: {{type: scripted, script: tarsy.yaml}}}}
defaults: {{llm_provider: scripted}}
"""


@pytest.fixture
async def server() -> AsyncIterator[ConsentServer]:
    async with consent_server() as server:
        yield server


@pytest.fixture
async def worker(owner: Owner, server: ConsentServer, tmp_path: Path) -> AsyncIterator[asyncio.Task[None]]:
    """A gateway that is ready, although nobody has logged in."""
    text = CONFIGURATION.format(url=server.url, issuer=server.issuer)
    (tmp_path / "tarsy.yaml").write_text(text, encoding="utf-8")
    settings = ToolGatewaySettings(
        kafka=owner.bus.bootstrap,
        topic_prefix=owner.bus.topics.prefix,
        client="remote",
        config_dir=tmp_path,
        token_key=SecretStr(KEY),
    )
    ready = asyncio.Event()
    service = build(settings, CollectorRegistry())
    running = asyncio.create_task(run(service, ready))
    async with asyncio.timeout(WAIT_SECONDS):
        await ready.wait()
    await eventually(lambda: is_ready(service), "the gate is open")
    yield running
    running.cancel()
    await asyncio.wait([running], timeout=WAIT_SECONDS)
    assert running.cancelled()


async def run(service: Service, ready: asyncio.Event) -> None:
    await service.run(ready.set)


async def is_ready(service: Service) -> bool:
    return not service.unready_reasons()


@pytest.mark.timing
async def test_a_server_without_a_login_names_the_command_and_works_after_it(
    owner: Owner, server: ConsentServer, worker: asyncio.Task[None]
) -> None:
    early = call("echo", server=NAME, repeatable=True, timeout=5, text="too early")
    await owner.ask(early)
    result = await owner.result(early)
    assert result.outcome == "unavailable"
    assert COMMAND in result.content
    seen = await eventually(lambda: entry(owner, result.worker_id, healthy=False), "the catalog says so")
    assert (seen.login_needed, seen.misconfigured) == (True, False)
    assert COMMAND in seen.error

    await log_in_and_record(owner, server)
    seen = await eventually(lambda: entry(owner, result.worker_id, healthy=True), "it is reached after the login")
    assert (seen.login_needed, [tool.tool for tool in seen.tools]) == (False, ["echo"])

    server.expire()
    late = call("echo", server=NAME, repeatable=True, text="renewed")
    await owner.ask(late)
    assert (await owner.result(late)).content == "renewed"
    assert len(server.refreshes) == 1

    server.needed_scope = "tools.write"
    refused = call("echo", server=NAME, repeatable=True, text="too little scope")
    await owner.ask(refused)
    assert f"run `tarsy servers login {NAME} --scope 'tools.write'`" in (await owner.result(refused)).content


async def entry(owner: Owner, worker: str, *, healthy: bool) -> ServerCatalogued | None:
    seen = (await catalogued(owner, worker)).get(NAME)
    return seen if seen is not None and seen.healthy is healthy and not seen.starting else None


async def log_in_and_record(owner: Owner, server: ConsentServer) -> None:
    client = LoginClient(NAME, server.issuer)
    async with httpx2.AsyncHTTPTransport(trust_env=False) as wire:
        login = await log_in(wire, server.url, client, consent, redirect_uri="http://127.0.0.1:9/cb", now=now)
    sealed = TokenKeys([KEY.encode()]).seal(login.model_dump_json().encode(), NAME, 1)
    await TokenWriter(owner.publisher).write_token(NAME, 1, sealed, str(uuid4()))
