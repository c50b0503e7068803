"""Record of a login on `tarsy.mcp-tokens`, read back: a renewal may have taken its number meanwhile."""

from datetime import UTC, datetime
from uuid import uuid4

from tarsy_bus.client.connection import Bus
from tarsy_bus.client.publisher import NotWrittenError, Publisher
from tarsy_cli.logins.errors import ServerLoginError
from tarsy_contracts.messages.mcp_tokens import LOGGED_OUT, token_key
from tarsy_tool_gateway.mcp.logins.login import McpLogin
from tarsy_tool_gateway.mcp.logins.token_keys import NotOpenedError, TokenKeys
from tarsy_tool_gateway.mcp.logins.token_records import TokenRecords
from tarsy_tool_gateway.mcp.logins.token_topic import TokenWriter, read_tokens

SOURCE = "tarsy/command"
ATTEMPTS = 5
KAFKA_SECONDS = 45.0
"""For what is read and written at a time. A reader waits for ever for a broker that went away."""


async def record_login(bus: Bus, keys: TokenKeys, server: str, login: McpLogin | None) -> int:
    """The number under which it counts. A record without a login logs the server out.

    Raises KafkaError and ServerLoginError.
    """
    async with Publisher(bus, source=SOURCE, now=lambda: datetime.now(UTC)).running() as publisher:
        writer = TokenWriter(publisher)
        records = await read_tokens(bus)
        for _ in range(ATTEMPTS):
            number, id = records.next_number(server), str(uuid4())
            sealed = LOGGED_OUT if login is None else keys.seal_login(login, server, number)
            try:
                await writer.write_token(server, number, sealed, id)
            except NotWrittenError as problem:
                raise ServerLoginError(f"Kafka has not taken it: {problem}") from None
            records = await read_tokens(bus)
            counting = records.token(server)
            if counting is not None and counting.key == token_key(server, number, id):
                await writer.drop(records.list_superseded(server))
                return number
    raise ServerLoginError(f"tool gateways renewed the one before it {ATTEMPTS} times meanwhile: try again")


def login_on_record(records: TokenRecords, keys: TokenKeys, server: str) -> McpLogin | None:
    """None also of one that does not open."""
    known = records.token(server)
    if known is None or known.sealed == LOGGED_OUT:
        return None
    try:
        return keys.open_login(known.sealed, server, known.number)
    except (NotOpenedError, ValueError):
        return None
