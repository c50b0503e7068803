"""A call of a tool of an MCP server, and what came of it."""

import asyncio
from dataclasses import dataclass

import pydantic
from mcp import MCPError

from tarsy_contracts.events import Outcome
from tarsy_contracts.requests import ToolCallRequest
from tarsy_tool_gateway.calls import Limits
from tarsy_tool_gateway.connection import CallTimedOut, Connection, NotSent, ServerUnreachable, SessionDied
from tarsy_tool_gateway.rendering import text_of
from tarsy_tool_gateway.servers import Said

REFUSED_CODES = (-32601, -32602)
"""Method not found and invalid params: the server did not run anything."""


@dataclass(frozen=True, slots=True)
class McpTools:
    """The tools of one MCP server. `ready_seconds`: how long a call waits for a session."""

    connection: Connection
    ready_seconds: float

    @property
    def limits(self) -> Limits:
        return self.connection.plan.limits

    async def call(self, request: ToolCallRequest) -> Said:
        """Never raises for what a server does. Only what is repeatable, or surely did not run, is tried once more."""
        connection = self.connection
        seconds = min(request.timeout_seconds, connection.plan.call_seconds or request.timeout_seconds)
        deadline = asyncio.get_running_loop().time() + seconds
        try:
            return await _attempt(connection, request, deadline, self.ready_seconds)
        except NotSent:
            pass
        except SessionDied as problem:
            if not request.repeatable:
                return _maybe_ran(request, str(problem))
        try:
            return await _attempt(connection, request, deadline, self.ready_seconds)
        except NotSent as problem:
            return _unreachable(request, problem)
        except SessionDied as problem:
            return _maybe_ran(request, str(problem))


async def _attempt(connection: Connection, request: ToolCallRequest, deadline: float, ready_seconds: float) -> Said:
    """Raises NotSent, SessionDied."""
    clock = asyncio.get_running_loop().time
    try:
        await connection.wait_ready(min(deadline - clock(), ready_seconds))
        refusal = _refusal(connection, request)
        if refusal is not None:
            return Said("rejected", refusal)
        result = await connection.call(request.tool, request.arguments, max(0.1, deadline - clock()))
    except ServerUnreachable as problem:
        return _unreachable(request, problem)
    except CallTimedOut:
        return _maybe_ran(request, "it did not answer in time")
    except MCPError as problem:
        outcome: Outcome = "rejected" if problem.code in REFUSED_CODES else "tool_error"
        return Said(outcome, f"The MCP server {request.server} answered with an error: {problem.message}")
    except (RuntimeError, pydantic.ValidationError) as problem:
        # It ran, but what it answered fits neither the protocol nor its own schema.
        return Said(
            "tool_error", f"The MCP server {request.server} answered what cannot be read: {_first_line(problem)}"
        )
    return Said("tool_error" if result.is_error else "ok", text_of(result))


def _unreachable(request: ToolCallRequest, problem: Exception) -> Said:
    return Said("unavailable", f"The MCP server {request.server} cannot be reached: {problem}")


def _maybe_ran(request: ToolCallRequest, why: str) -> Said:
    """A repeatable tool that may have run can be called again; of any other nobody knows what happened."""
    if request.repeatable:
        return Said("unavailable", f"The MCP server {request.server} gave no result: {why}.")
    return Said("unknown", f"Nobody knows whether {request.tool} has run: {why}.")


def _refusal(connection: Connection, request: ToolCallRequest) -> str | None:
    """Why the call is not even sent, in words that an agent can act on."""
    if request.tool not in connection.tools:
        known = ", ".join(sorted(connection.tools))
        return f"The MCP server {request.server} has no tool {request.tool}. It has: {known}"
    return connection.checks.wrong(request.tool, request.arguments)


def _first_line(problem: Exception) -> str:
    return str(problem).partition("\n")[0][:1000]
