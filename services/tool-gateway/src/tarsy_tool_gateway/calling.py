"""One call, and what came of it: every way in which it can go wrong has one outcome."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

import pydantic
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # it has no types of its own
from jsonschema.exceptions import SchemaError, best_match  # type: ignore[import-untyped]
from mcp import MCPError
from mcp_types import Tool
from pydantic import JsonValue
from referencing import Registry
from referencing.exceptions import Unresolvable

from tarsy_contracts.events import Outcome
from tarsy_contracts.requests import ToolCallRequest
from tarsy_tool_gateway.connection import CallTimedOut, Connection, NotSent, ServerUnreachable, SessionDied
from tarsy_tool_gateway.rendering import text_of

REFUSED_CODES = (-32601, -32602)
"""Method not found and invalid params: the server did not run anything."""


@dataclass(frozen=True, slots=True)
class Said:
    """`text` is as the server or we put it: not masked yet."""

    outcome: Outcome
    text: str


async def call_tool(connections: Mapping[str, Connection], request: ToolCallRequest, *, ready_seconds: float) -> Said:
    """Never raises for what a server does. Only what is repeatable, or surely did not run, is tried a second time."""
    connection = connections.get(request.server)
    if connection is None:
        return Said("rejected", f"There is no MCP server {request.server}. There are: {', '.join(sorted(connections))}")
    seconds = min(request.timeout_seconds, connection.plan.call_seconds or request.timeout_seconds)
    deadline = asyncio.get_running_loop().time() + seconds
    try:
        return await _attempt(connection, request, deadline, ready_seconds)
    except NotSent:
        pass
    except SessionDied as problem:
        if not request.repeatable:
            return _maybe_ran(request, str(problem))
    try:
        return await _attempt(connection, request, deadline, ready_seconds)
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
    tool = connection.tools.get(request.tool)
    if tool is None:
        known = ", ".join(sorted(connection.tools))
        return f"The MCP server {request.server} has no tool {request.tool}. It has: {known}"
    return _wrong_arguments(tool, request.arguments)


def _wrong_arguments(tool: Tool, arguments: dict[str, JsonValue]) -> str | None:
    try:
        Draft202012Validator.check_schema(tool.input_schema)
        # With a registry of its own, no reference of a stranger's schema is fetched from anywhere.
        validator = Draft202012Validator(tool.input_schema, registry=Registry())
        error = best_match(validator.iter_errors(arguments))
    except (SchemaError, Unresolvable, RecursionError):
        return None  # the server has to judge the arguments itself
    if error is None:
        return None
    place = "/".join(str(part) for part in error.absolute_path)
    return f"The arguments do not fit {tool.name}: {error.message}" + (f" (at /{place})" if place else "")


def _first_line(problem: Exception) -> str:
    return str(problem).partition("\n")[0][:1000]
