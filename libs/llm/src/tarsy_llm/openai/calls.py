"""Calls of a streamed chat completion, put together from pieces that servers number, name and repeat as they like."""

import json
from dataclasses import dataclass, field

from pydantic import ConfigDict, JsonValue

from tarsy_llm.http.answer_budget import Written
from tarsy_llm.http.lenient_model import LenientModel, parse_json

MOST_EXTRA_BYTES = 256 * 1024
MOST_PIECES = 1_000
"""Arguments in more pieces are not read after each one. Calls that are glued to them are parted at the end."""


class FunctionDelta(LenientModel):
    name: str | None = None
    arguments: str | dict[str, JsonValue] | None = None


class ToolCallDelta(LenientModel):
    """Fields that are not known here go back with the call as they came (Gemini's thought signatures)."""

    model_config = ConfigDict(extra="allow")

    index: int | None = None
    id: str | None = None
    type: str | None = None
    function: FunctionDelta | None = None


@dataclass(slots=True)
class StreamedCall:
    """`late`: it began after the model had ended."""

    id: str = ""
    name: str = ""
    pieces: list[str] = field(default_factory=list)
    late: bool = False
    extra: dict[str, JsonValue] = field(default_factory=dict)

    @property
    def arguments(self) -> str:
        return "".join(self.pieces)

    @property
    def whole(self) -> bool:
        """Nothing can be added to its arguments."""
        if len(self.pieces) > MOST_PIECES or not (self.pieces and self.pieces[-1].rstrip()[-1:] in ("}", "l", '"')):
            return False
        try:
            parse_json(self.arguments)
        except ValueError:
            return False
        return True

    def repeats(self, other: "StreamedCall") -> bool:
        return self.late and not other.late and (self.name, self.arguments) == (other.name, other.arguments)


class CallCollector:
    def __init__(self, written: Written) -> None:
        self._written = written
        self._last: dict[int | None, StreamedCall] = {}
        """By index."""
        self._begun: list[StreamedCall] = []

    @property
    def calls(self) -> list[StreamedCall]:
        """Some servers tell all calls again at their end: those are made once."""
        return [call for call in self._begun if not any(call.repeats(other) for other in self._begun)]

    def take(self, piece: ToolCallDelta, *, late: bool = False) -> None:
        call = self._call_of(piece, late=late)
        call.id = call.id or piece.id or ""
        extra = {key: value for key, value in (piece.model_extra or {}).items() if value is not None}
        if len(json.dumps(extra)) <= MOST_EXTRA_BYTES:
            call.extra |= extra
        if piece.function is None:
            return
        named = piece.function.name or ""
        call.name = named if not call.name else call.name
        given = piece.function.arguments
        arguments = "" if given is None else given if isinstance(given, str) else json.dumps(given)
        if arguments:
            call.pieces.append(arguments)
            self._written.add(arguments)

    def _call_of(self, piece: ToolCallDelta, *, late: bool) -> StreamedCall:
        """Some servers give every call the same index, some none, some no ids, some a new id with each piece."""
        same = self._last.get(piece.index)
        if same is None or self._begins(same, piece):
            same = self._last[piece.index] = StreamedCall(late=late)
            self._begun.append(same)
        return same

    def _begins(self, before: StreamedCall, piece: ToolCallDelta) -> bool:
        """A piece without a name goes on with the call before, and so does one that repeats name and id."""
        name = (piece.function.name if piece.function is not None else None) or ""
        if not name or (piece.id and piece.id == before.id):
            return False
        if before.name and name != before.name:
            return True
        # The same tool again: a call of its own once the one before is whole.
        return bool(before.name) and (before.whole or (not before.pieces and bool(piece.id)))
