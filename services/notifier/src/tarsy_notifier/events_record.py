"""A record of `tarsy.events`, read as far as notifications need it: pure."""

from dataclasses import dataclass

from tarsy_bus.client.record_parsing import UnparsableRecord
from tarsy_bus.readers.partition_reader import Record
from tarsy_contracts.public.envelope import PublicEnvelope
from tarsy_contracts.public.model import PublicEvent
from tarsy_contracts.wire.envelope import EnvelopeError
from tarsy_notifier.notification import KINDS

TYPES = {kind.type: kind for kind in KINDS}


@dataclass(frozen=True, slots=True)
class EventRecord:
    """`event` is None for the types that nobody is told of."""

    envelope: PublicEnvelope
    event: PublicEvent | None
    value: bytes


def read_record(record: Record) -> EventRecord:
    """Raises EnvelopeError or ValidationError for what is no public event."""
    if isinstance(record, UnparsableRecord):
        raise EnvelopeError(record.problem)
    envelope = PublicEnvelope.from_headers(record.headers)
    kind, value = TYPES.get(envelope.type), record.value or b""
    return EventRecord(envelope, None if kind is None else kind.model_validate_json(value), value)
