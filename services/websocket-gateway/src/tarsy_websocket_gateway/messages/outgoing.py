"""Messages as they go out: encoded once, for however many clients."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from tarsy_contracts.api.websocket import ServerMessage, StreamedText
from tarsy_contracts.api.websocket_model import WebSocketMessage
from tarsy_contracts.wire.envelope import wire_time
from tarsy_service.http.websocket_frames import frame_text, text_frame


@dataclass(frozen=True, slots=True)
class TextDelta:
    """More text of a timeline event. Neighbours of the same run can become one."""

    session_id: str
    event_id: str
    run: int
    index: int
    text: str
    time: datetime

    def continues(self, earlier: "TextDelta") -> bool:
        return (self.event_id, self.run) == (earlier.event_id, earlier.run)

    def to_outgoing(self) -> "Outgoing":
        message = StreamedText(
            type="stream.chunk",
            event_id=self.event_id,
            session_id=self.session_id,
            delta=self.text,
            run=self.run,
            index=self.index,
            timestamp=wire_time(self.time),
            number=None,
        )
        return Outgoing(message.type, message.to_text(), None, self.event_id, self)


@dataclass(slots=True, init=False)
class Outgoing:
    """`event_id` names the timeline event that it is about. `delta`: the text that it streams, if it does.

    A reply belongs to no session.
    """

    type: str
    frame: bytes
    number: int | None
    event_id: str | None
    delta: TextDelta | None
    session_id: str | None

    def __init__(
        self,
        type: str,
        text: str,
        number: int | None = None,
        event_id: str | None = None,
        delta: TextDelta | None = None,
        session_id: str | None = None,
    ) -> None:
        self.type = type
        self.frame = text_frame(text)
        self.number = number
        self.event_id = event_id
        self.delta = delta
        self.session_id = session_id

    @property
    def text(self) -> str:
        return frame_text(self.frame)

    @property
    def size(self) -> int:
        """In bytes."""
        return len(self.frame)


def encode(message: ServerMessage) -> Outgoing:
    number: int | None = getattr(message, "number", None)
    event_id: str | None = getattr(message, "event_id", None)
    session_id: str | None = getattr(message, "session_id", None)
    return Outgoing(message.type, message.to_text(), number, event_id, session_id=session_id)


def encode_logged(message: ServerMessage) -> Outgoing:
    """An event of the log brought it: it is a position for Go TARSy's clients."""
    return encode(message.model_copy(update={"db_event_id": getattr(message, "number", None)}))


def reply(message: WebSocketMessage) -> Outgoing:
    """Belongs to no session."""
    return Outgoing("", message.to_text())


def join_deltas(parts: Iterable[Outgoing | TextDelta]) -> list[Outgoing]:
    """In order. Text of one timeline event that follows upon itself becomes one message."""
    found: list[Outgoing | list[TextDelta]] = []
    for part in parts:
        last = found[-1] if found else None
        if isinstance(part, Outgoing):
            found.append(part)
        elif isinstance(last, list) and part.continues(last[-1]):
            last.append(part)
        else:
            found.append([part])
    return [one if isinstance(one, Outgoing) else _join_deltas(one) for one in found]


def _join_deltas(deltas: Sequence[TextDelta]) -> Outgoing:
    last = deltas[-1]
    return (last if len(deltas) == 1 else replace(last, text="".join(one.text for one in deltas))).to_outgoing()
