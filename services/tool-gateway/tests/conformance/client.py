"""The client that the conformance suite of MCP starts: one session of the gateway, which calls the tools it finds.

The suite appends the address of its server; its scenario, and what is to be called in it, stand in the environment.
"""

import asyncio
import os
import re
import sys
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import httpx2
from person import MemoryLogins, logging_in
from pydantic import BaseModel, JsonValue

from tarsy_config.sections.servers import McpServerConfig
from tarsy_contracts.messages.requests import ToolCallRequest
from tarsy_tool_gateway.mcp.connection import McpConnection
from tarsy_tool_gateway.mcp.failures import CallFailedError
from tarsy_tool_gateway.mcp.server_plan import LoginClient, plan_of
from tarsy_tool_gateway.mcp.tool_server import McpToolServer
from tarsy_tool_gateway.mcp.transports.login_tokens import NO_LOGINS, Logins

SECONDS = 90.0
CREDENTIALS = ("auth/client-credentials-basic",)
CLIENT_ADDRESS = "https://conformance-test.local/client-metadata.json"
"""The suite's own, of a client that is no other's."""
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
SERVER = "conformance"
ARGUMENTS: dict[str, dict[str, JsonValue]] = {"add_numbers": {"a": 2, "b": 3}, "valid_tool": {"region": "north"}}


class Call(BaseModel):
    name: str
    arguments: dict[str, JsonValue]


class Context(BaseModel):
    toolCalls: tuple[Call, ...] = ()
    client_id: str = ""
    client_secret: str = ""


async def talk(url: str, scenario: str, context: Context) -> None:
    if scenario.startswith("auth/") and scenario not in CREDENTIALS:
        await with_a_person(url, scenario, context)
    else:
        await session(url, scenario, context, await oauth_of(url, context), NO_LOGINS)


async def with_a_person(url: str, scenario: str, context: Context) -> None:
    client_id = context.client_id or (CLIENT_ADDRESS if scenario == "auth/basic-cimd" else None)
    secret = context.client_secret or None

    async def client_of() -> LoginClient:
        return LoginClient(SERVER, await issuer_of(url), client_id, secret)

    async def one_session(logins: MemoryLogins, client: LoginClient) -> str:
        given = {"issuer": client.issuer, "client_id": client_id, "client_secret": secret}
        oauth: dict[str, JsonValue] = {name: value for name, value in given.items() if value is not None}
        return await session(url, scenario, context, {"grant": "authorization_code", **oauth}, logins)

    await logging_in(url, client_of, one_session)


async def oauth_of(url: str, context: Context) -> dict[str, JsonValue] | None:
    if not context.client_id:
        return None
    return {"issuer": await issuer_of(url), "client_id": context.client_id, "client_secret": context.client_secret}


async def session(url: str, scenario: str, context: Context, oauth: dict[str, JsonValue] | None, logins: Logins) -> str:
    """What it said of a login that is missing."""
    transport: dict[str, JsonValue] = {"type": "http", "url": url}
    if oauth is not None:
        transport["oauth"] = oauth
    server = McpServerConfig.model_validate({"transport": transport, "elicitation": "accept_defaults"})
    connection = McpConnection(plan_of(SERVER, server), mask=str, connect_seconds=SECONDS, logins=logins)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(connection.run())
        try:
            await connection.wait_ready(SECONDS, once_tried=0 if oauth is not None else None)
        except CallFailedError as failure:
            connection.stop()
            if oauth is None:
                raise
            return failure.why
        tools, told = McpToolServer(connection, ready_seconds=SECONDS), ""
        for call in context.toolCalls or calls(scenario, connection):
            said = await tools.call(request(call))
            sys.stdout.write(f"{call.name}: {said}\n")
            told = told or (str(said) if "tarsy servers login" in str(said) else "")
        connection.stop()
    return told


async def issuer_of(url: str) -> str:
    """The operator knows it; the suite has it on a port of its own each time."""
    address = httpx2.URL(url)
    async with httpx2.AsyncClient(timeout=SECONDS) as asking:
        refusal = await asking.post(url, json=PING)
        named = re.search(r'resource_metadata="([^"]+)"', refusal.headers.get("www-authenticate", ""))
        places = [
            *([named[1]] if named else []),
            *(
                address.copy_with(path=path)
                for path in (
                    f"/.well-known/oauth-protected-resource{address.path}",
                    "/.well-known/oauth-protected-resource",
                )
            ),
        ]
        for place in places:
            metadata = await asking.get(place)
            if metadata.status_code == httpx2.codes.OK:
                return str(metadata.json()["authorization_servers"][0])
    return str(address.copy_with(path="/"))


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


def main() -> None:
    context = Context.model_validate_json(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")
    asyncio.run(talk(sys.argv[1], os.environ["MCP_CONFORMANCE_SCENARIO"], context))
