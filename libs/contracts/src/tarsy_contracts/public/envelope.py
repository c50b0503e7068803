"""CloudEvents 1.0 in Kafka's binary mode: the headers of public events, read and written."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from pydantic import JsonValue
from pydantic_core import from_json

from tarsy_contracts.public.model import PREFIX
from tarsy_contracts.wire.envelope import EnvelopeError

type PublicHeaders = list[tuple[str, bytes]]

LOG_OFFSET = "tarsy_offset"
REQUIRED_HEADERS = (
    *("ce_specversion", "ce_id", "ce_type", "ce_source", "ce_subject", "ce_time", "ce_dataschema"),
    *("ce_sequence", LOG_OFFSET),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicEnvelope:
    """`subject` is the session's id, `sequence` the event's number in it: they rise, and not all are public.

    `log_offset`: where the event lies in the same partition of the session log.
    """

    id: str
    type: str
    source: str
    subject: str
    time: str
    dataschema: str
    sequence: int
    log_offset: int
    traceparent: str | None = None

    def headers(self) -> PublicHeaders:
        pairs = [
            ("ce_specversion", "1.0"),
            ("ce_id", self.id),
            ("ce_type", self.type),
            ("ce_source", self.source),
            ("ce_subject", self.subject),
            ("ce_time", self.time),
            ("ce_dataschema", self.dataschema),
            ("ce_sequence", str(self.sequence)),
            (LOG_OFFSET, str(self.log_offset)),
            ("content-type", "application/json"),
        ]
        if self.traceparent is not None:
            pairs.append(("traceparent", self.traceparent))
        return [(name, value.encode()) for name, value in pairs]

    @classmethod
    def from_headers(cls, headers: Sequence[tuple[str, bytes]]) -> Self:
        """Raises EnvelopeError for what is no public event."""
        try:
            found = {name: value.decode() for name, value in headers if name in (*REQUIRED_HEADERS, "traceparent")}
            if missing := [name for name in REQUIRED_HEADERS if not found.get(name)]:
                raise EnvelopeError(f"header {missing[0]} is missing")
            if not found["ce_dataschema"].startswith(f"{PREFIX}{found['ce_type']}:"):
                raise EnvelopeError("header ce_dataschema does not name the type and a version")
            return cls(
                id=found["ce_id"],
                type=found["ce_type"],
                source=found["ce_source"],
                subject=found["ce_subject"],
                time=found["ce_time"],
                dataschema=found["ce_dataschema"],
                sequence=int(found["ce_sequence"]),
                log_offset=int(found[LOG_OFFSET]),
                traceparent=found.get("traceparent"),
            )
        except (UnicodeDecodeError, AttributeError):
            raise EnvelopeError("a header is not UTF-8 text") from None
        except ValueError as problem:
            if isinstance(problem, EnvelopeError):
                raise
            raise EnvelopeError("a header is not a decimal number") from None

    def to_structured(self, value: bytes) -> dict[str, JsonValue]:
        """The event as one JSON object: CloudEvents' JSON format. Raises ValueError where the value is no JSON."""
        optional: dict[str, JsonValue] = {} if self.traceparent is None else {"traceparent": self.traceparent}
        return {
            "specversion": "1.0",
            "id": self.id,
            "type": self.type,
            "source": self.source,
            "subject": self.subject,
            "time": self.time,
            "dataschema": self.dataschema,
            "datacontenttype": "application/json",
            "sequence": str(self.sequence),
            **optional,
            "data": from_json(value),
        }
