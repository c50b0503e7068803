"""Act at an MCP server, a login or a logout, with the client, the keys and the Kafka that a command's options name."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from tarsy_bus.client.connection import Bus
from tarsy_cli.console.terminal import fail
from tarsy_cli.kafka_of_home import bus_of_home, exit_on_kafka_failure
from tarsy_cli.logins.client_of_config import client_of_config, token_keys_of_home
from tarsy_cli.logins.errors import ServerLoginError
from tarsy_service.telemetry.logs import configure_logs
from tarsy_tool_gateway.mcp.logins.token_keys import TokenKeys
from tarsy_tool_gateway.mcp.server_plan import LoginClient, WebAddress

type Act[Found] = Callable[[Bus, TokenKeys, WebAddress, LoginClient], Coroutine[Any, Any, Found]]


@dataclass(frozen=True, slots=True)
class LoginSources:
    """`config`: tarsy.yaml, or its folder. `kafka` is empty for that of the home."""

    config: Path
    home: Path
    kafka: str
    topic_prefix: str


def run_act[Found](name: Literal["login", "logout"], server: str, sources: LoginSources, act: Act[Found]) -> Found:
    """Ends the command with a sentence when the act fails."""
    # The sentence names what is wrong; the SDK's lines would hold answers of servers.
    configure_logs("CRITICAL", logging.NullHandler())
    bus = bus_of_home(sources.home, sources.kafka, sources.topic_prefix)
    try:
        address, client = client_of_config(sources.config, server)
        keys = token_keys_of_home(sources.home)
        with exit_on_kafka_failure(bus):
            return asyncio.run(act(bus, keys, address, client))
    except ServerLoginError as problem:
        raise fail(f"The {name} at {server} did not succeed: {problem}.") from None
