"""The client that the conformance suite of MCP starts: one session of the gateway, which calls the tools it finds.

The suite appends the address of its server; its scenario, and what is to be called in it, stand in the environment.
"""

import asyncio
import json
import os
import sys
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import httpx2
from pydantic import BaseModel, JsonValue

from tarsy_config.servers import McpServerConfig
from tarsy_contracts.requests import ToolCallRequest
from tarsy_tool_gateway.mcp.connection import McpConnection
from tarsy_tool_gateway.mcp.server_plan import plan_of
from tarsy_tool_gateway.mcp.tool_server import McpToolServer

SECONDS = 90.0
SERVER = "conformance"
ARGUMENTS: dict[str, dict[str, JsonValue]] = {"add_numbers": {"a": 2, "b": 3}, "valid_tool": {"region": "north"}}


class Call(BaseModel):
    name: str
    arguments: dict[str, JsonValue]


class Context(BaseModel):
    toolCalls: tuple[Call, ...] = ()
    client_id: str = ""
    client_secret: str = ""


async def main(url: str, scenario: str, context: Context) -> None:
    transport: dict[str, JsonValue] = {"type": "http", "url": url}
    if context.client_id:
        client = {"client_id": context.client_id, "client_secret": context.client_secret}
        transport["oauth"] = {"issuer": await issuer_of(url), **client}
    server = McpServerConfig.model_validate({"transport": transport, "elicitation": "accept_defaults"})
    connection = McpConnection(plan_of(SERVER, server), mask=str, connect_seconds=SECONDS)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(connection.run())
        await connection.wait_ready(SECONDS)
        tools = McpToolServer(connection, ready_seconds=SECONDS)
        for call in context.toolCalls or calls(scenario, connection):
            said = await tools.call(request(call))
            sys.stdout.write(f"{call.name}: {said}\n")
        connection.stop()


async def issuer_of(url: str) -> str:
    """The operator knows it; the suite has it on a port of its own each time."""
    address = httpx2.URL(url)
    async with httpx2.AsyncClient() as asking:
        metadata = await asking.get(address.copy_with(path=f"/.well-known/oauth-protected-resource{address.path}"))
    issuer: str = metadata.json()["authorization_servers"][0]
    return issuer


def calls(scenario: str, connection: McpConnection) -> list[Call]:
    if scenario == "json-schema-2020-12-preservation":
        seen = connection.tools["json_schema_2020_12_tool"].input_schema
        return [Call(name="json_schema_echo", arguments={"schema": seen})]
    return [Call(name=name, arguments=ARGUMENTS.get(name, {})) for name in connection.tools]


def request(call: Call) -> ToolCallRequest:
    return ToolCallRequest(
        session_id=str(uuid4()),
        call_id=str(uuid4()),
        server=SERVER,
        tool=call.name,
        arguments=call.arguments,
        repeatable=False,
        timeout_seconds=SECONDS,
        not_after=datetime.now(UTC) + timedelta(seconds=SECONDS),
    )


if __name__ == "__main__":
    given = Context.model_validate(json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT", "{}")))
    asyncio.run(main(sys.argv[1], os.environ["MCP_CONFORMANCE_SCENARIO"], given))
