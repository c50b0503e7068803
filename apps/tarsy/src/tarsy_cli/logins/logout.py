"""A logout: the login is forgotten here first, then its token is taken back at the authorization server."""

import asyncio
from dataclasses import dataclass

from tarsy_bus.client.connection import Bus
from tarsy_cli.logins.audit import record_act
from tarsy_cli.logins.login_record import KAFKA_SECONDS, login_on_record, record_login
from tarsy_contracts.messages.mcp_tokens import LOGGED_OUT
from tarsy_tool_gateway.mcp.logins.errors import NotRenewedError
from tarsy_tool_gateway.mcp.logins.refresh import revoke
from tarsy_tool_gateway.mcp.logins.token_keys import TokenKeys
from tarsy_tool_gateway.mcp.logins.token_topic import read_tokens
from tarsy_tool_gateway.mcp.server_plan import LoginClient, WebAddress

REVOKE_SECONDS = 15.0
NO_ENDPOINT = "it has no endpoint for that"
NOT_OPENED = "the login does not open with the key of this machine, or is for another address"


@dataclass(frozen=True, slots=True)
class LoggedOut:
    """`was_there`: there was a login. `kept_because`: why its token counts at the authorization server on."""

    was_there: bool
    kept_because: str = ""


async def log_out(bus: Bus, keys: TokenKeys, address: WebAddress, client: LoginClient) -> LoggedOut:
    """Raises ServerLoginError, and KafkaError or TimeoutError where Kafka is away."""
    async with asyncio.timeout(KAFKA_SECONDS):
        await record_act(bus, "logout", client.server)
        records = await read_tokens(bus)
        token = records.token(client.server)
        if token is None or token.sealed == LOGGED_OUT:
            return LoggedOut(was_there=False)
        login = login_on_record(records, keys, client.server)
        await record_login(bus, keys, client.server, None)
    # The token goes to the authorization server that the login was at, and to no other.
    if login is None or not login.fits(address.url, client):
        return LoggedOut(was_there=True, kept_because=NOT_OPENED)
    try:
        async with asyncio.timeout(REVOKE_SECONDS):
            revoked = await revoke(address, client, login)
    except TimeoutError:
        return LoggedOut(was_there=True, kept_because=f"it did not answer within {REVOKE_SECONDS:g} seconds")
    except NotRenewedError as problem:
        return LoggedOut(was_there=True, kept_because=str(problem))
    return LoggedOut(was_there=True, kept_because="" if revoked else NO_ENDPOINT)
