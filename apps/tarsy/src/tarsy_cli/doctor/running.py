"""Checks of a TARSy that runs: its page, whether it is ready, and what its gateways see of MCP servers."""

import shutil
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
from pydantic import ValidationError

from tarsy_cli.console.units import format_count
from tarsy_cli.credentials import key_headers
from tarsy_cli.doctor.configuration import require_config
from tarsy_cli.doctor.findings import CheckResult, NotCheckedError, failure, ok, warning
from tarsy_cli.doctor.setup import Setup
from tarsy_config.chain_agents import chain_agents
from tarsy_contracts.api.agent_tools import AgentTools, agent_tools
from tarsy_contracts.api.system import McpServer, McpServers
from tarsy_local.ready_answer import ReadyAnswer

SECONDS = 8.0
UNKNOWN = "This is not what a TARSy of this version answers."


async def check_page(setup: Setup) -> AsyncIterator[CheckResult]:
    address = _require_address(setup)
    try:
        page, ready = await _fetch(f"{address}/"), await _fetch(f"{address}/ready")
    except httpx2.HTTPError as problem:
        yield failure(
            f"{address} does not answer ({_describe_problem(problem)}).",
            "Check whether it runs, and which proxy is in front of it.",
        )
        return
    if page.status_code != 200 or "html" not in page.headers.get("content-type", ""):
        yield failure(
            f"{address}/ answers {page.status_code}, and not with the page.", "Check what is in front of this address."
        )
    else:
        yield ok(f"The page is at {address}/.")
    for finding in _judge_ready(ready):
        yield finding


def _judge_ready(answer: httpx2.Response) -> list[CheckResult]:
    try:
        ready = ReadyAnswer.model_validate_json(answer.content)
    except ValidationError:
        return [failure(f"/ready answers {answer.status_code}. {UNKNOWN}", "Check what serves this address.")]
    reasons = [f"{name}: {one}" for name, ones in ready.reasons.items() for one in ones]
    reasons += [name for name in ready.waiting_for if name not in ready.reasons]
    degraded = [f"{name}: {one}" for name, ones in ready.degraded.items() for one in ones]
    if answer.status_code != 200 or not ready.ready:
        why = "; ".join(reasons) or "it gives no reason"
        return [failure(f"It is not ready ({why}).", "`tarsy logs` shows what its services say.")]
    return [warning(f"Part of its work has stopped: {one}.", "docs/operations/ says more.") for one in degraded] or [
        ok("It is ready.")
    ]


async def check_servers(setup: Setup) -> AsyncIterator[CheckResult]:
    if not setup.api:
        async for finding in _check_programs(setup):
            yield finding
        raise NotCheckedError(
            f"MCP servers are seen by tool gateways, and {setup.why_not}.",
            "Start it with `tarsy up`, or name one with --url.",
        )
    try:
        answer = await _fetch(f"{setup.api}/system/mcp-servers")
        answer.raise_for_status()
        servers = McpServers.model_validate_json(answer.content).servers
    except httpx2.HTTPError as problem:
        raise NotCheckedError(
            f"The API does not list MCP servers ({_describe_problem(problem)}).", "See page."
        ) from None
    except ValidationError:
        raise NotCheckedError(UNKNOWN) from None
    for server in servers:
        yield _judge_server(server)
    for found in agent_tools(chain_agents(require_config(setup)), servers):
        yield judge_agent(found)
    if not servers:
        yield warning("No tool gateway has reported an MCP server.", "Configure one, and see that a gateway runs.")


def judge_agent(found: AgentTools) -> CheckResult:
    """An agent without any tool fails: its investigations rest on nothing."""
    name = f"{found.agent.agent} ({found.agent.chain_id}, {found.agent.stage})"
    without = [sentence for sentence, one in zip(found.sentences, found.withheld, strict=True) if not one.offered]
    if found.count and not without:
        return ok(f"{name} has {format_count(found.count, 'tool')}.")
    if found.count or found.starting:
        return warning(" ".join(without), "`tarsy servers` lists the tools of each agent.")
    return failure(f"{name} has no tools. {' '.join(without)}", "Allow them, or name them in `read_only_tools`.")


def _judge_server(server: McpServer) -> CheckResult:
    if server.healthy:
        return ok(f"{server.id} is healthy and has {server.tool_count} tools.")
    if server.starting:
        return warning(f"{server.id} is starting: {server.error or 'no reason is known'}.", "Look again in a minute.")
    kind = "is configured wrongly" if server.misconfigured else "cannot be reached"
    return failure(f"{server.id} {kind}: {server.error or 'no reason is known'}.", "docs/operations/mcp-servers.md")


async def _check_programs(setup: Setup) -> AsyncIterator[CheckResult]:
    """Programs of stdio servers are on the path, or beside our own interpreter, where `tarsy up` looks too."""
    path = f"{Path(sys.prefix) / 'bin'}:{setup.environ.get('PATH', '')}"
    for name, server in require_config(setup).mcp_servers.items():
        command = server.transport.command
        if command and shutil.which(command, path=path) is None:
            yield failure(f"The program of {name}, {command}, is not there.", f"Install {command}, or name its path.")


def _require_address(setup: Setup) -> str:
    if not setup.api:
        raise NotCheckedError(f"There is no page to look at: {setup.why_not}.", "Name a TARSy elsewhere with --url.")
    return setup.address


async def _fetch(url: str) -> httpx2.Response:
    try:
        async with httpx2.AsyncClient(headers=key_headers(), timeout=SECONDS) as client:
            return await client.get(url)
    except httpx2.InvalidURL as problem:
        raise httpx2.UnsupportedProtocol(str(problem)) from None


def _describe_problem(problem: Exception) -> str:
    return str(problem) or type(problem).__name__
