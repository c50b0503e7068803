"""Records of the stream as chunks. Tens of thousands come at once when many clients begin: two headers are read."""

from datetime import datetime

from tarsy_bus.client.record_parsing import UnparsableRecord
from tarsy_bus.readers.partition_reader import Record
from tarsy_bus.readers.records import parse_record
from tarsy_contracts.events.recorded import UnknownTypeError, UnreadableValueError
from tarsy_contracts.messages.chunks import CHUNKS, Chunk
from tarsy_contracts.wire.envelope import time_from_wire

KINDS: dict[bytes | None, type[Chunk]] = {kind.dataschema().encode(): kind for kind in CHUNKS.values()}
"""By the schema that their writers name. Chunks of other versions are read as all other messages are."""


def read_chunk(record: Record) -> tuple[Chunk, datetime] | None:
    """The chunk, and when it was sent; None of a record that holds none, or that cannot be read."""
    headers = dict(record.headers or ())
    kind = KINDS.get(headers.get("ce_dataschema"))
    if kind is not None and not isinstance(record, UnparsableRecord):
        try:
            return kind.model_validate_json(record.value or b""), time_from_wire(headers["ce_time"].decode())
        except (ValueError, KeyError, AttributeError):
            return None
    delivery = parse_record(record)
    try:
        return None if delivery is None else (delivery.decode(CHUNKS), delivery.envelope.time)
    except (UnknownTypeError, UnreadableValueError):
        return None
