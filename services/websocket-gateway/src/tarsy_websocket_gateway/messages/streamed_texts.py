"""Streamed text of running calls: pure.

A newer run replaces the text of an older one; what is older, was seen, or belongs to an ended call is dropped.
"""

from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import assert_never

from tarsy_contracts.api.websocket import StreamBegunAgain, StreamedProgress, TimelineEventCreated
from tarsy_contracts.messages.chunks import Chunk, LlmChunk, Progress, SummaryChunk
from tarsy_contracts.timeline.changes import LLM_EVENT_TYPES, ROWS_PER_EVENT, llm_timeline_event_id
from tarsy_contracts.wire.envelope import wire_time
from tarsy_contracts.wire.ids import timeline_event_id
from tarsy_websocket_gateway.messages.outgoing import Outgoing, TextDelta, encode

CALL_BYTES = 256 * 1024
MOST_CALLS = 512
MOST_CHARACTERS = 32 * 1024 * 1024
"""Limit for all running calls together."""
MOST_ENDED = 20_000


@dataclass(slots=True)
class Part:
    """One timeline event that grows. `logged`: the log has announced it, so that history has it too."""

    event_id: str
    event_type: str
    logged: bool = False
    pieces: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Call:
    call_id: str
    session_id: str
    execution_id: str | None
    time: datetime
    stage_id: str | None = None
    run: int = -1
    index: int = -1
    size: int = 0
    parts: dict[str, Part] = field(default_factory=dict)
    untold: bool = False
    """It streamed before somebody watched, and its text is still being read: clients get it once, when it is whole."""
    _event_ids: dict[str, str] = field(default_factory=dict)
    """The timeline event of each kind of chunk: each chunk asks for it."""

    def part_of(self, chunk: LlmChunk | SummaryChunk) -> Part | None:
        """None of a timeline event that nobody knows yet."""
        kind = chunk.part if isinstance(chunk, LlmChunk) else chunk.type
        event_id = self._event_ids.get(kind)
        if event_id is None:
            event_id = self._event_ids[kind] = _part_of_chunk(chunk).event_id
        return self.parts.get(event_id)

    def add(self, chunk: LlmChunk | SummaryChunk) -> Part:
        part = _part_of_chunk(chunk)
        self.parts[part.event_id] = part
        return part


class Streams:
    """Bounded: of very many running calls the longest silent one is given up; its final event comes all the same."""

    def __init__(self, most_characters: int = MOST_CHARACTERS) -> None:
        self._most_characters = most_characters
        self._calls: OrderedDict[str, Call] = OrderedDict()
        self.size = 0
        self._of_session: defaultdict[str, set[str]] = defaultdict(set)
        self._ended: OrderedDict[str, None] = OrderedDict()
        self._over: dict[str, frozenset[str]] = {}

    def begin(self, session_id: str, ended: frozenset[str]) -> None:
        """`ended`: the timeline events and executions of the session that have ended until now."""
        self._over[session_id] = ended

    def list_running_calls(self, session_id: str) -> list[Call]:
        return [self._calls[call_id] for call_id in sorted(self._of_session.get(session_id, ()))]

    def take(
        self,
        session_id: str,
        chunk: Chunk,
        time: datetime,
        last_number: int,
        stage_id: str | None = None,
        *,
        replayed: bool = False,
    ) -> list[Outgoing | TextDelta]:
        """Returns what clients of the session get for a chunk. `stage_id` is that of its execution.

        `replayed`: it streamed before somebody watched the session. The text of a call that begins so is told by
        `tell_caught_up`, or with the first chunk that is live.
        """
        if chunk.call_id in self._ended:
            return []
        if isinstance(chunk, Progress):
            return [progress(session_id, chunk, time)]
        if chunk.call_id not in self._calls and self._had_ended(session_id, chunk):
            self.end([chunk.call_id])
            return []
        begins = chunk.call_id not in self._calls
        call = self._get_or_begin_call(chunk.call_id, session_id, chunk.execution_id, time)
        call.untold = call.untold or (begins and replayed)
        call.stage_id = call.stage_id or stage_id
        if (chunk.run, chunk.index) <= (call.run, call.index):
            return []
        messages: list[Outgoing | TextDelta] = []
        if chunk.run > call.run:
            self.size -= call.size
            messages += _begin_new_run(call, chunk.run, time)
        call.index, call.time = chunk.index, time
        part = call.part_of(chunk)
        if part is None:
            part = call.add(chunk)
            messages.append(encode_created(call, part, last_number))
            if replayed and not call.untold:
                messages.append(reset(call, part))
        self._keep(call, part, chunk.text)
        if call.untold:
            return messages if replayed else [*messages, *_tell_text(call)]
        return [*messages, delta(call, part, chunk.text)]

    def tell_caught_up(self, session_id: str) -> list[Outgoing | TextDelta]:
        """The texts of the session's running calls that nobody was told yet: all that streamed before is read."""
        untold = [call for call in self.list_running_calls(session_id) if call.untold]
        return [message for call in untold for message in _tell_text(call)]

    def announce(self, call_id: str, session_id: str, part: Part, time: datetime) -> list[Outgoing]:
        """The log announced `part`. Text that came before is sent again behind it, as its announcement has none."""
        call = self._get_or_begin_call(call_id, session_id, None, time)
        early = call.parts.setdefault(part.event_id, part)
        early.logged = True
        text = "" if call.untold else "".join(early.pieces)
        return [reset(call, early), delta(call, early, text).to_outgoing()] if text else []

    def end(self, call_ids: Iterable[str]) -> list[Part]:
        """These calls have ended; returns what clients know of them from chunks."""
        parts: list[Part] = []
        for call_id in call_ids:
            call = self._calls.pop(call_id, None)
            if call is not None:
                parts += call.parts.values()
                self.size -= call.size
                self._forget_call(call)
            self._ended[call_id] = None
            if len(self._ended) > MOST_ENDED:
                self._ended.popitem(last=False)
        return parts

    def forget(self, session_id: str) -> None:
        """Nobody watches the session any longer."""
        for call in self.list_running_calls(session_id):
            del self._calls[call.call_id]
            self.size -= call.size
        self._of_session.pop(session_id, None)
        self._over.pop(session_id, None)

    def _keep(self, call: Call, part: Part, text: str) -> None:
        """As far as there is room: the final event has what is left out."""
        if call.size + len(text) <= CALL_BYTES:
            call.size += len(text)
            self.size += len(text)
            part.pieces.append(text)
        while self.size > self._most_characters and len(self._calls) > 1:
            self.end([next(iter(self._calls))])

    def _had_ended(self, session_id: str, chunk: LlmChunk | SummaryChunk) -> bool:
        """For calls that ended before anyone watched the session: the log read from then on does not end them again."""
        signs = signs_of_end(chunk.call_id, chunk.execution_id, [_part_of_chunk(chunk).event_id])
        return not self._over.get(session_id, frozenset()).isdisjoint(signs)

    def _get_or_begin_call(self, call_id: str, session_id: str, execution_id: str | None, time: datetime) -> Call:
        call = self._calls.get(call_id)
        if call is None:
            call = self._calls[call_id] = Call(call_id, session_id, execution_id, time)
            self._of_session[session_id].add(call_id)
            if len(self._calls) > MOST_CALLS:
                self.end([next(iter(self._calls))])
        self._calls.move_to_end(call_id)
        return call

    def _forget_call(self, call: Call) -> None:
        calls = self._of_session[call.session_id]
        calls.discard(call.call_id)
        if not calls:
            del self._of_session[call.session_id]


def signs_of_end(call_id: str, execution_id: str | None, parts: Iterable[str]) -> set[str]:
    """Timeline events and executions, one of which at least has ended where the call has.

    A failed call shows as an error (contracts.timeline).
    """
    return {*parts, timeline_event_id(call_id, "error"), execution_id or ""}


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


def _begin_new_run(call: Call, run: int, time: datetime) -> Sequence[Outgoing]:
    """A newer run: clients forget the text of the older one before they get any of the new."""
    written = [part for part in call.parts.values() if part.pieces]
    call.run, call.size, call.time = run, 0, time
    for part in written:
        part.pieces.clear()
    return [] if call.untold else [reset(call, part) for part in written]


def _tell_text(call: Call) -> list[Outgoing | TextDelta]:
    """The text so far. A client that has resumed may have some of it, so it begins again."""
    call.untold = False
    messages: list[Outgoing | TextDelta] = []
    for part in call.parts.values():
        messages.append(reset(call, part))
        if part.pieces:
            messages.append(delta(call, part, "".join(part.pieces)))
    return messages


def _part_of_chunk(chunk: LlmChunk | SummaryChunk) -> Part:
    match chunk:
        case LlmChunk():
            return Part(llm_timeline_event_id(chunk.call_id, chunk.part), LLM_EVENT_TYPES[chunk.part])
        case SummaryChunk():
            return summary_part(chunk.call_id)
        case _:
            assert_never(chunk)


def summary_part(summary_id: str) -> Part:
    return Part(timeline_event_id(summary_id, "mcp_tool_summary"), "mcp_tool_summary")
