"""Records of Kafka as ours."""

from datetime import UTC, datetime

import pytest
from aiokafka import ConsumerRecord

from tarsy_bus.acceptance import ChainLink
from tarsy_bus.readers.partition_reader import Record
from tarsy_bus.readers.records import delivery, parse_record
from tarsy_contracts.events import SessionCancelled
from tarsy_contracts.events.recorded import UnknownTypeError, UnreadableValueError
from tarsy_contracts.messages.control import CONTROLS, CallCancelled
from tarsy_contracts.wire.envelope import Envelope, EnvelopeError, Headers
from tarsy_contracts.wire.message import Message

TIME = datetime(2026, 11, 22, 3, 0, tzinfo=UTC)


def record(headers: Headers, value: bytes | None) -> Record:
    """As aiokafka hands it on, stamped by the broker a second after it was written."""
    return ConsumerRecord(
        topic="tarsy.sessions",
        partition=3,
        offset=41,
        timestamp=int(TIME.timestamp() * 1000) + 1000,
        timestamp_type=1,
        key=b"s",
        value=value,
        checksum=None,
        serialized_key_size=1,
        serialized_value_size=1,
        headers=tuple(headers),
    )


def written(message: Message, *, value: bytes | None = None, type: str | None = None) -> Record:
    envelope = Envelope(
        id="2",
        type=type or message.type,
        version=1,
        source="test",
        subject="s",
        time=TIME,
        sequence=7,
        previous="1",
        decided=5,
    )
    return record(envelope.headers(), message.to_bytes() if value is None else value)


EVENT = SessionCancelled(author="bob")


def test_a_delivery_says_what_it_is_where_it_lies_and_when_the_broker_took_it() -> None:
    found = delivery(written(EVENT))
    assert (found.topic, found.partition, found.offset) == ("tarsy.sessions", 3, 41)
    assert found.appended_at == datetime(2026, 11, 22, 3, 0, 1, tzinfo=UTC)
    assert (found.envelope.id, found.envelope.time) == ("2", TIME)


def test_a_mark_is_what_the_headers_say() -> None:
    assert delivery(written(EVENT)).mark() == ChainLink("s", "session.cancelled", "2", "1", 7, 41)


def test_a_recorded_event_carries_its_place() -> None:
    recorded = delivery(written(EVENT)).to_recorded_event()
    assert recorded.event == EVENT
    assert (recorded.session_id, recorded.number, recorded.partition, recorded.offset) == ("s", 7, 3, 41)


@pytest.mark.parametrize(
    "unreadable", [written(EVENT, type="from.the.future"), written(EVENT, value=b"{"), written(EVENT, value=b"{}")]
)
def test_an_event_that_cannot_be_read_is_on_record_all_the_same(unreadable: Record) -> None:
    """The chain goes on: only its content is unknown here."""
    recorded = delivery(unreadable).to_recorded_event()
    assert recorded.event is None
    assert recorded.number == 7


def test_a_body_is_read_by_the_table_that_the_reader_wants() -> None:
    cancelled = CallCancelled(call_id="c")
    assert delivery(written(cancelled)).decode(CONTROLS) == cancelled
    with pytest.raises(UnknownTypeError):
        delivery(written(EVENT)).decode(CONTROLS)
    with pytest.raises(UnreadableValueError):
        delivery(written(cancelled, value=b"{}")).decode(CONTROLS)


def test_a_record_without_our_headers_is_no_delivery() -> None:
    with pytest.raises(EnvelopeError, match="header ce_specversion is missing"):
        delivery(record([], b"{}"))


def test_a_record_without_our_headers_is_passed_over_by_who_only_reads() -> None:
    assert parse_record(record([("ce_id", b"\xff")], b"{}")) is None
    assert parse_record(written(EVENT)) == delivery(written(EVENT))
