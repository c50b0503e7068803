"""The headers of our records, as JSON Schemas: CloudEvents 1.0 in Kafka's binary mode (tarsy_contracts.wire.envelope).

They describe what we write. A header is text in UTF-8; headers of others may stand beside ours.
"""

from pydantic import JsonValue

from tarsy_contracts.public.envelope import LOG_OFFSET, REQUIRED_HEADERS
from tarsy_contracts.wire.envelope import ID_DIGITS, REQUIRED

EVENT_ID = rf"^[0-9a-f]{{{ID_DIGITS}}}$"
NUMBER = "[1-9][0-9]{0,17}"


def _text(meaning: str, **more: JsonValue) -> dict[str, JsonValue]:
    return {"type": "string", "description": meaning, **more}


ENVELOPE: dict[str, JsonValue] = {
    "ce_specversion": {"type": "string", "description": "the version of CloudEvents", "const": "1.0"},
    "ce_id": _text("the same for each repeat of the message", minLength=1),
    "ce_type": _text("the type of the message", pattern=r"^[a-z_.]+$"),
    "ce_source": _text("the service that wrote it; most name their process, too", minLength=1),
    "ce_subject": _text("the session's id, or what the topic is keyed by", minLength=1),
    "ce_time": _text(
        "when it was written down: RFC 3339, UTC, milliseconds",
        format="date-time",
        pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$",
    ),
    "ce_dataschema": _text(
        "names the JSON Schema of the value: urn:tarsy:TYPE:VERSION",
        pattern=r"^urn:tarsy:[a-z_.]+:[1-9][0-9]{0,8}$",
    ),
    "content-type": _text("the media type of the value", minLength=1),
    "traceparent": _text("the trace that it belongs to: W3C Trace Context", minLength=1),
}
CHAIN: dict[str, JsonValue] = {
    "ce_id": _text("a digest of the id before and of the event itself", pattern=EVENT_ID),
    "ce_sequence": _text("the event's number in its session, from 1", pattern=f"^{NUMBER}$"),
    "ce_previous": _text("the id of the event before it in its session; the first has none", pattern=EVENT_ID),
    "ce_decided": _text(
        "the highest offset of the inbox that is decided for the session, -1 for none", pattern=f"^(-1|0|{NUMBER})$"
    ),
}
PUBLIC: dict[str, JsonValue] = {
    "ce_id": _text("the same for each repeat of the event", minLength=1),
    "ce_source": _text("the system: the name of this topic", minLength=1),
    "ce_subject": _text("the session's id", minLength=1),
    "ce_time": _text("when it happened: RFC 3339, UTC, milliseconds", format="date-time"),
    "ce_dataschema": _text(
        "names the JSON Schema of the value: urn:tarsy:public:TYPE:VERSION",
        pattern=r"^urn:tarsy:public:tarsy\.[a-z_.]+:[1-9][0-9]{0,8}$",
    ),
    "ce_sequence": _text(
        "the event's number in its session: it rises, with gaps where an event is not public", pattern=f"^{NUMBER}$"
    ),
    LOG_OFFSET: _text("for TARSy itself: where the event lies in the session log", pattern="^[0-9]+$"),
}
PUBLIC_HEADERS: dict[str, JsonValue] = {
    "title": "PublicEventHeaders",
    "description": "The headers of a public event.",
    "type": "object",
    "properties": ENVELOPE | PUBLIC,
    "required": [*REQUIRED_HEADERS, "content-type"],
}
ALWAYS = [*REQUIRED, "content-type"]

HEADERS: dict[str, dict[str, JsonValue]] = {
    "message": {
        "title": "MessageHeaders",
        "description": "The headers of every message of ours.",
        "type": "object",
        "properties": ENVELOPE,
        "required": [*ALWAYS],
    },
    "event": {
        "title": "EventHeaders",
        "description": "The headers of an event of the session log: what a reader judges it by.",
        "type": "object",
        "properties": ENVELOPE | CHAIN,
        "required": [*ALWAYS, "ce_sequence", "ce_decided"],
    },
    "dead-letter": {
        "title": "DeadLetterHeaders",
        "description": "What is added to the headers that the record had: where it lay, and why it could not be read.",
        "type": "object",
        "properties": {
            "dead-letter-topic": _text("the topic that it lay in"),
            "dead-letter-partition": _text("its partition there", pattern="^[0-9]+$"),
            "dead-letter-offset": _text("its offset there", pattern="^[0-9]+$"),
            "dead-letter-reason": _text("what was wrong with it"),
            "dead-letter-service": _text("the service that buried it"),
            "dead-letter-appended": _text(
                "when the original was appended, by the broker: milliseconds since 1970", pattern="^[0-9]+$"
            ),
            "dead-letter-attempt": _text(
                "1, and one more for each time that it was buried after a re-drive", pattern="^[1-9][0-9]*$"
            ),
            "dead-letter-cut": _text("the record was too large to be kept whole", const="true"),
            "dead-letter-unparsable": _text("Kafka's client could not parse the record", const="true"),
        },
        "required": ["dead-letter-topic", "dead-letter-partition", "dead-letter-offset", "dead-letter-reason"],
    },
}
