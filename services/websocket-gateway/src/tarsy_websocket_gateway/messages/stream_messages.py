"""Messages of streamed text: pure."""

from datetime import datetime

from tarsy_contracts.api.websocket import StreamBegunAgain, StreamedProgress, TimelineEventCreated
from tarsy_contracts.messages.chunks import Progress
from tarsy_contracts.timeline.changes import ROWS_PER_EVENT
from tarsy_contracts.wire.envelope import wire_time
from tarsy_contracts.wire.ids import timeline_event_id
from tarsy_websocket_gateway.messages.outgoing import Outgoing, TextDelta, encode
from tarsy_websocket_gateway.messages.running_calls import Call, Part


def encode_created(call: Call, part: Part, last_number: int) -> Outgoing:
    """Sorts the streaming item to where it would appear if the call completed now."""
    message = TimelineEventCreated(
        type="timeline_event.created",
        event_id=part.event_id,
        session_id=call.session_id,
        stage_id=call.stage_id,
        execution_id=call.execution_id,
        event_type=part.event_type,
        status="streaming",
        content="",
        metadata={},
        sequence_number=(last_number + 1) * ROWS_PER_EVENT + list(call.parts).index(part.event_id),
        timestamp=wire_time(call.time),
        number=None,
    )
    return encode(message)


def delta(call: Call, part: Part, text: str) -> TextDelta:
    return TextDelta(call.session_id, part.event_id, call.run, call.index, text, call.time)


def reset(call: Call, part: Part) -> Outgoing:
    message = StreamBegunAgain(
        type="stream.reset",
        event_id=part.event_id,
        session_id=call.session_id,
        run=call.run,
        timestamp=wire_time(call.time),
        number=None,
    )
    return encode(message)


def progress(session_id: str, chunk: Progress, time: datetime) -> Outgoing:
    """Not kept: a later client waits for the next word."""
    message = StreamedProgress(
        type="stream.progress",
        event_id=timeline_event_id(chunk.call_id, "llm_tool_call"),
        session_id=session_id,
        text=chunk.text,
        run=chunk.run,
        index=chunk.index,
        timestamp=wire_time(time),
        number=None,
    )
    return encode(message)


def tell_text(call: Call) -> list[Outgoing | TextDelta]:
    """The text so far. A client that has resumed may have some of it, so that it begins again."""
    call.untold = False
    messages: list[Outgoing | TextDelta] = []
    for part in call.parts.values():
        messages.append(reset(call, part))
        if part.pieces:
            messages.append(delta(call, part, "".join(part.pieces)))
    return messages
