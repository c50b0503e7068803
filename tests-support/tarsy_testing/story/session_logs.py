"""Session logs made of events, chained as an orchestrator chains them."""

from datetime import UTC, datetime
from uuid import uuid4

from tarsy_bus.readers.records import Delivery
from tarsy_contracts import events as e
from tarsy_contracts.conversation import Usage
from tarsy_contracts.wire.envelope import Envelope, event_id
from tarsy_verification.session_log import SessionLog

SESSION = str(uuid4())
AT = datetime(2026, 11, 22, tzinfo=UTC)


def answer(call_id: str) -> e.LlmCallCompleted:
    return e.LlmCallCompleted(
        llm_call_id=call_id,
        execution_id="x",
        thinking="",
        text="",
        tool_calls=(),
        usage=Usage(),
        model="m",
        duration_ms=1,
    )


def log_of(*events: e.Event) -> SessionLog:
    log, previous = SessionLog(), None
    for number, event in enumerate(events, start=1):
        value = event.to_bytes()
        id = event_id(previous=previous, type=event.type, subject=SESSION, sequence=number, time=AT, value=value)
        envelope = Envelope(
            id=id,
            type=event.type,
            version=event.version,
            source="test",
            subject=SESSION,
            time=AT,
            sequence=number,
            previous=previous,
        )
        delivery = Delivery(envelope, value, "tarsy.sessions", 0, number, AT)
        log.written.append(delivery)
        log.accepted.append(delivery.to_recorded_event())
        previous = id
    return log
