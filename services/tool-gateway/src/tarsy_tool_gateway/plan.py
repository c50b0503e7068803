"""What the gateway has to know of each MCP server, out of the configuration."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import assert_never

from tarsy_config.servers import McpServer
from tarsy_config.transports import Transport
from tarsy_tool_gateway.calls import Limits


@dataclass(frozen=True, slots=True)
class StdioTransport:
    """`environment` comes on top of the few variables that every child gets (PATH, HOME ...); nothing is inherited."""

    command: str
    arguments: tuple[str, ...] = field(default=(), repr=False)
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class HttpTransport:
    """`headers` are sent with every request. `ca_file` is trusted instead of the CAs of the system."""

    url: str = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    verify: bool = True
    ca_file: Path | None = None


type TransportPlan = StdioTransport | HttpTransport


@dataclass(frozen=True, slots=True)
class ServerPlan:
    """`call_seconds` bounds a single call when it is less than what the request allows."""

    name: str
    transport: TransportPlan
    limits: Limits
    call_seconds: float | None = None
    repeatable_tools: frozenset[str] = frozenset()


def plan_of(name: str, server: McpServer) -> ServerPlan:
    return ServerPlan(
        name=name,
        transport=_transport(server.transport),
        call_seconds=server.transport.timeout,
        repeatable_tools=frozenset(server.repeatable_tools),
        limits=Limits(concurrent=server.max_concurrent_calls, queue=server.queue_size),
    )


def _transport(given: Transport) -> TransportPlan:
    match given.type:
        case "stdio":
            assert given.command is not None  # load_config refuses this
            environment = {name: value.get_secret_value() for name, value in given.env.items()}
            return StdioTransport(given.command, given.args, environment)
        case "http":
            assert given.url is not None  # load_config refuses this
            headers = {name: value.get_secret_value() for name, value in given.headers.items()}
            if given.bearer_token is not None:
                headers["Authorization"] = f"Bearer {given.bearer_token.get_secret_value()}"
            return HttpTransport(given.url, headers, given.verify_ssl, given.ca_file)
        case _:
            assert_never(given.type)
