"""Access to `tarsy.mcp-tokens`: what a record means, and what is written."""

from collections.abc import Iterable

import structlog
from pydantic import ValidationError

from tarsy_bus.client.connection import Bus
from tarsy_bus.client.publisher import NotWrittenError, Publisher
from tarsy_bus.readers.partition_reader import Record, read_to_end
from tarsy_bus.readers.records import parse_record
from tarsy_contracts.events.recorded import UnknownTypeError, UnreadableValueError
from tarsy_contracts.messages.mcp_tokens import McpRefreshClaimed, McpTokenSealed, claim_key, token_key, token_of_key
from tarsy_contracts.wire.envelope import Headers
from tarsy_contracts.wire.message import Message
from tarsy_tool_gateway.mcp.logins.token_records import TokenRecords

log = structlog.get_logger(__name__)

KINDS: dict[str, type[Message]] = {kind.type: kind for kind in (McpTokenSealed, McpRefreshClaimed)}
NO_HEADERS: Headers = []


def take(records: TokenRecords, record: Record) -> None:
    """An unreadable record changes nothing."""
    key = (record.key or b"").decode(errors="replace")
    if record.value is None:
        if (found := token_of_key(key)) is not None:
            records.drop(found[0], key)
        return
    delivery = parse_record(record)
    if delivery is None:
        return
    try:
        seen = delivery.decode(KINDS)
    except (UnknownTypeError, UnreadableValueError, ValidationError) as problem:
        log.warning("mcp_token.unreadable", offset=record.offset, reason=type(problem).__name__)
        return
    match seen:
        case McpTokenSealed() if token_of_key(key) == (seen.server, seen.number):
            records.accept_token(seen, key)
        case McpRefreshClaimed() if key == claim_key(seen.server):
            records.accept_claim(seen, delivery.appended_at)
        case _:
            log.warning("mcp_token.unreadable", offset=record.offset, reason="its key is that of another record")


async def read_tokens(bus: Bus) -> TokenRecords:
    """All of the topic, to its end as it is now. Raises KafkaError."""
    records = TokenRecords()
    await read_to_end(bus, bus.topics.mcp_tokens, {0: 0}, lambda record: take(records, record))
    return records


class TokenWriter:
    """The caller reads back whether a record counts."""

    def __init__(self, publisher: Publisher) -> None:
        self._publisher = publisher
        self._topic = publisher.topics.mcp_tokens

    async def write_token(self, server: str, number: int, sealed: str, id: str) -> int:
        """The offset of its record. Raises NotWrittenError."""
        message, key = McpTokenSealed(server=server, number=number, sealed=sealed), token_key(server, number, id)
        written = await self._publisher.publish(self._topic, message, key=key, id=id, subject=server)
        return int(written.offset)

    async def claim(self, server: str, number: int, claimant: str, id: str) -> int:
        """The offset of its record. Raises NotWrittenError."""
        message = McpRefreshClaimed(server=server, number=number, claimant=claimant)
        written = await self._publisher.publish(self._topic, message, key=claim_key(server), id=id, subject=server)
        return int(written.offset)

    async def drop(self, keys: Iterable[str]) -> None:
        """Tombstones, best effort: what stays does not count."""
        try:
            for key in keys:
                await self._publisher.write(self._topic, key=key.encode(), value=None, headers=NO_HEADERS)
        except NotWrittenError:
            log.warning("mcp_token.not_dropped")
