"""Kafka's records as ours: the envelope read, the body left alone until somebody wants it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

import structlog
from aiokafka import ConsumerRecord
from aiokafka.structs import RecordMetadata

from tarsy_bus.acceptance import ChainLink
from tarsy_bus.client.record_parsing import UnparsableRecord
from tarsy_contracts.events import EVENTS
from tarsy_contracts.events.recorded import RecordedEvent, UnknownTypeError, UnreadableValueError, decode
from tarsy_contracts.wire.envelope import Envelope, EnvelopeError
from tarsy_contracts.wire.message import Message

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Delivery:
    """A record of one of our topics whose envelope could be read. `appended_at` is the broker's stamp."""

    envelope: Envelope
    value: bytes | None
    topic: str
    partition: int
    offset: int
    appended_at: datetime

    def decode[M: Message](self, kinds: Mapping[str, type[M]]) -> M:
        """Raises UnknownTypeError or UnreadableValueError."""
        return decode(kinds, self.envelope, self.value)

    def mark(self) -> ChainLink:
        """The fields that the acceptance rule judges by, when this is a record of the session log."""
        return ChainLink(
            session_id=self.envelope.subject,
            type=self.envelope.type,
            event_id=self.envelope.id,
            previous=self.envelope.previous,
            number=self.envelope.sequence or 0,
            offset=self.offset,
        )

    def to_recorded_event(self) -> RecordedEvent:
        """The event of an accepted record of the session log; None in it when this code cannot read its body."""
        try:
            event = self.decode(EVENTS)
        except (UnknownTypeError, UnreadableValueError):
            event = None
        return RecordedEvent(
            envelope=self.envelope,
            event=event,
            partition=self.partition,
            offset=self.offset,
            appended_at=self.appended_at,
        )


def delivery(record: "ConsumerRecord[bytes, bytes]") -> Delivery:
    """Raises EnvelopeError."""
    if isinstance(record, UnparsableRecord):
        raise EnvelopeError(record.problem)
    return Delivery(
        envelope=Envelope.from_headers(record.headers),
        value=record.value,
        topic=record.topic,
        partition=record.partition,
        offset=record.offset,
        appended_at=append_time(record),
    )


def append_time(record: "ConsumerRecord[bytes, bytes] | RecordMetadata") -> datetime:
    return datetime.fromtimestamp(record.timestamp / 1000, UTC)


def parse_record(record: "ConsumerRecord[bytes, bytes]") -> Delivery | None:
    """The record with its envelope; None (and a line in the log) when it has none of ours."""
    try:
        return delivery(record)
    except EnvelopeError as problem:
        log.warning(
            "record.unreadable",
            topic=record.topic,
            partition=record.partition,
            offset=record.offset,
            reason=str(problem),
        )
        return None


def parse_message[M: Message](
    record: "ConsumerRecord[bytes, bytes]", kinds: Mapping[str, type[M]], warning: str
) -> M | None:
    """The message of the record; None, and a line in the log, when this code cannot read it.

    `warning`: the event of that line for a record of ours. `kinds`: the messages that the topic has, by their types.
    """
    found = parse_record(record)
    if found is None:
        return None
    try:
        return found.decode(kinds)
    except (UnknownTypeError, UnreadableValueError) as problem:
        log.warning(warning, partition=record.partition, offset=record.offset, reason=str(problem))
        return None
