"""Streamed text of running calls: pure.

A newer run replaces the text of an older one; what is older, was seen, or belongs to an ended call is dropped.
"""

from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime

from tarsy_contracts.messages.chunks import Chunk, LlmChunk, Progress, SummaryChunk, TextSoFar
from tarsy_websocket_gateway.messages.outgoing import Outgoing, TextDelta
from tarsy_websocket_gateway.messages.running_calls import Call, Part, part_of_chunk, parts_so_far, signs_of_end
from tarsy_websocket_gateway.messages.stream_messages import delta, encode_created, progress, reset, tell_text

CALL_BYTES = 256 * 1024
MOST_CALLS = 512
MOST_CHARACTERS = 32 * 1024 * 1024
"""Limit for all running calls together."""
MOST_ENDED = 20_000


class Streams:
    """Bounded: of very many running calls the longest silent one is given up; its final event comes all the same."""

    def __init__(self, most_characters: int = MOST_CHARACTERS) -> None:
        self._most_characters = most_characters
        self._calls: OrderedDict[str, Call] = OrderedDict()
        self.size = 0
        self._of_session: defaultdict[str, set[str]] = defaultdict(set)
        self._ended: OrderedDict[str, None] = OrderedDict()
        self._over: dict[str, frozenset[str]] = {}
        self._torn: set[str] = set()

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
        if isinstance(chunk, TextSoFar):
            return self._take_so_far(call, chunk, time, last_number, replayed=replayed)
        return self._take_text(call, chunk, time, last_number, replayed=replayed)

    def _take_text(
        self, call: Call, chunk: LlmChunk | SummaryChunk, time: datetime, last_number: int, *, replayed: bool
    ) -> list[Outgoing | TextDelta]:
        if (chunk.run, chunk.index) <= (call.run, call.index):
            return []
        if call.run < 0 and chunk.index > 0:
            call.torn = call.untold = True
            self._torn.add(call.session_id)
        elif chunk.run > call.run:
            call.torn = call.lacks_chunk = False
        call.lacks_chunk |= chunk.index > (call.index + 1 if chunk.run == call.run else 0)
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
            return messages if replayed or call.torn else [*messages, *tell_text(call)]
        return [*messages, delta(call, part, chunk.text)]

    def _take_so_far(
        self, call: Call, chunk: TextSoFar, time: datetime, last_number: int, *, replayed: bool
    ) -> list[Outgoing | TextDelta]:
        """All that the run has said, for a call whose beginning is not known. Nothing new where it is."""
        if chunk.run < call.run or (chunk.run == call.run and chunk.index < call.index):
            return []
        if (chunk.run, chunk.index) == (call.run, call.index) and not (call.torn or call.lacks_chunk):
            return []
        messages: list[Outgoing | TextDelta] = []
        self._clear_text(call)
        call.run, call.index, call.time = chunk.run, chunk.index, time
        call.torn = call.lacks_chunk = False
        for part, text in parts_so_far(chunk):
            known = call.parts.get(part.event_id)
            if known is None:
                call.parts[part.event_id] = known = part
                messages.append(encode_created(call, part, last_number))
            self._keep(call, known, text)
        call.untold = True
        return messages if replayed else [*messages, *tell_text(call)]

    def _clear_text(self, call: Call) -> None:
        self.size -= call.size
        call.size = 0
        for part in call.parts.values():
            part.pieces.clear()

    def take_torn_sessions(self) -> set[str]:
        """Sessions of which a call is known since the last question, but for its beginning."""
        torn, self._torn = self._torn, set()
        return torn

    def knows_beginnings(self, session_id: str) -> bool:
        """Whether some call of the session is known, and each from its beginning."""
        calls = self.list_running_calls(session_id)
        return any(call.run >= 0 for call in calls) and not any(call.torn for call in calls)

    def rewind(self, session_id: str) -> None:
        """Chunks of the session are read again, from before its torn calls began."""
        for call in self.list_running_calls(session_id):
            if call.torn:
                self._clear_text(call)
                call.run = call.index = -1

    def give_up_beginnings(self, session_id: str) -> None:
        """Nobody has them any longer: texts are told as far as they are known."""
        for call in self.list_running_calls(session_id):
            call.torn = False

    def tell_caught_up(self, session_id: str) -> list[Outgoing | TextDelta]:
        """The text of the session's running calls, as far as nobody was told: all that streamed before is read."""
        untold = [call for call in self.list_running_calls(session_id) if call.untold and not call.torn]
        return [message for call in untold for message in tell_text(call)]

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

    def _had_ended(self, session_id: str, chunk: LlmChunk | SummaryChunk | TextSoFar) -> bool:
        """For calls that ended before anyone watched the session: the log read from then on does not end them again."""
        parts = [part for part, _ in parts_so_far(chunk)] if isinstance(chunk, TextSoFar) else [part_of_chunk(chunk)]
        signs = signs_of_end(chunk.call_id, chunk.execution_id, [part.event_id for part in parts])
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


def _begin_new_run(call: Call, run: int, time: datetime) -> Sequence[Outgoing]:
    """A newer run: clients forget the text of the older one before they get any of the new."""
    written = [part for part in call.parts.values() if part.pieces]
    call.run, call.size, call.time = run, 0, time
    for part in written:
        part.pieces.clear()
    return [] if call.untold else [reset(call, part) for part in written]
