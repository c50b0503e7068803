"""A login from the first request to its record."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import parse_qs, urlsplit

import httpx2
from aiokafka.errors import KafkaError
from mcp.client.auth import OAuthFlowError
from mcp.client.auth.utils import union_scopes
from mcp.shared.auth import AuthorizationCodeResult
from pydantic import ValidationError

from tarsy_bus.client.connection import Bus
from tarsy_cli.logins.audit import record_act
from tarsy_cli.logins.errors import ServerLoginError
from tarsy_cli.logins.login_record import KAFKA_SECONDS, login_on_record, record_login
from tarsy_cli.logins.loopback import LoopbackListener, listening
from tarsy_tool_gateway.mcp.diagnosis import MisconfiguredError
from tarsy_tool_gateway.mcp.logins.consent import log_in
from tarsy_tool_gateway.mcp.logins.errors import ConsentError
from tarsy_tool_gateway.mcp.logins.login import McpLogin
from tarsy_tool_gateway.mcp.logins.token_keys import TokenKeys
from tarsy_tool_gateway.mcp.logins.token_topic import read_tokens
from tarsy_tool_gateway.mcp.server_plan import LoginClient, WebAddress
from tarsy_tool_gateway.mcp.transports.connections import connections_to
from tarsy_tool_gateway.mcp.transports.token_requests import describe_problem
from tarsy_tool_gateway.results.bytes_in_flight import TooLongError

FAILURES = (
    ConsentError,
    OAuthFlowError,
    ValidationError,
    TooLongError,
    MisconfiguredError,
    httpx2.TransportError,
    OSError,
)

KEEPS = "keeps the login: log in again when it can be used"

type Show = Callable[[str, str], None]
"""Shows the address to open, and the one that waits for the answer."""


@dataclass(frozen=True, slots=True)
class LoginOptions:
    """`scope`: more than is asked for without it. `port`: of the listener, 0 for any. `seconds`: for all of it."""

    scope: str = ""
    port: int = 0
    seconds: float = 300.0


async def log_in_and_record(
    bus: Bus, keys: TokenKeys, address: WebAddress, client: LoginClient, options: LoginOptions, show: Show
) -> McpLogin:
    """Raises ServerLoginError, and KafkaError or TimeoutError where Kafka is away at the beginning."""
    # First: nobody consents to what cannot be kept.
    async with asyncio.timeout(KAFKA_SECONDS):
        await record_act(bus, "login", client.server)
        known = login_on_record(await read_tokens(bus), keys, client.server)
    # A step up keeps what was granted before.
    granted = known.scope if known is not None and options.scope and known.fits(address.url, client) else None
    scope = union_scopes(granted, options.scope) or ""
    try:
        async with asyncio.timeout(options.seconds):
            login = await _ask_consent(address, client, scope, options.port, show)
    except TimeoutError:
        raise ServerLoginError(f"it was not finished within {options.seconds:g} seconds") from None
    except FAILURES as problem:
        raise ServerLoginError(describe_problem(problem)) from None
    await _record_login(bus, keys, client.server, login)
    return login


async def _record_login(bus: Bus, keys: TokenKeys, server: str, login: McpLogin) -> None:
    try:
        async with asyncio.timeout(KAFKA_SECONDS):
            await record_login(bus, keys, server, login)
    except TimeoutError:
        raise ServerLoginError(f"Kafka did not confirm within {KAFKA_SECONDS:g} seconds that it {KEEPS}") from None
    except KafkaError as problem:
        raise ServerLoginError(f"Kafka did not confirm that it {KEEPS} ({type(problem).__name__})") from None


async def _ask_consent(address: WebAddress, client: LoginClient, scope: str, port: int, show: Show) -> McpLogin:
    async with listening(port) as listener, connections_to(address, most=2) as wire:
        return await log_in(
            wire,
            address.url,
            client,
            lambda url: _wait_for_answer(listener, url, show),
            redirect_uri=listener.redirect_uri,
            scope=scope,
            now=lambda: datetime.now(UTC),
        )


async def _wait_for_answer(listener: LoopbackListener, url: str, show: Show) -> AuthorizationCodeResult:
    show(url, listener.redirect_uri)
    return await listener.wait(parse_qs(urlsplit(url).query)["state"][0])
