"""What the gateway has to know of each MCP server, out of the configuration."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tarsy_config.servers import McpServer
from tarsy_tool_gateway.calls import Limits


@dataclass(frozen=True, slots=True)
class ServerPlan:
    """`environment` comes on top of the few variables that every child gets (PATH, HOME ...); nothing is inherited.

    `call_seconds` bounds a single call when it is less than what the request allows.
    """

    name: str
    command: str
    limits: Limits
    arguments: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    call_seconds: float | None = None
    repeatable_tools: frozenset[str] = frozenset()


def plan_of(name: str, server: McpServer) -> ServerPlan:
    transport = server.transport
    return ServerPlan(
        name=name,
        command=transport.command,
        arguments=transport.args,
        environment={key: value.get_secret_value() for key, value in transport.env.items()},
        call_seconds=transport.timeout,
        repeatable_tools=frozenset(server.repeatable_tools),
        limits=Limits(concurrent=server.max_concurrent_calls, queue=server.queue_size),
    )
