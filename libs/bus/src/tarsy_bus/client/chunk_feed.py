"""Text of one run of a call that streams: what gathers until it is sent, and what was said until then."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator, Callable, Iterable

from tarsy_contracts.messages.chunks import MOST_SO_FAR, LlmChunk, SummaryChunk, TextSoFar

MOST_MASKED = 4 * 1024
"""Characters that are masked at once: a millisecond or so. Others have their turn before the next."""

type Part = str
type MakeChunk = Callable[[int, Part, str], LlmChunk | SummaryChunk]
type MaskText = Callable[[Part, str], Iterable[tuple[Part, str]]]


def pass_masked(part: Part, text: str) -> Iterable[tuple[Part, str]]:
    """For text that is masked before it is put."""
    return ((part, text),)


class ChunkFeed:
    """Chunks of one run of a call, numbered in the order in which they are written."""

    def __init__(self, session_id: str, make: MakeChunk, mask: MaskText = pass_masked) -> None:
        """`mask` gets all text that has gathered, when it is sent: one look at several tokens, and none at those that
        are dropped. It does not raise."""
        self.session_id = session_id
        self.traceparent: str | None = None
        self._make = make
        self._mask = mask
        self._texts: list[tuple[Part, list[str]]] = []
        self._index = 0
        self._said = _Said()

    def add(self, part: Part, text: str) -> None:
        if not self._texts or self._texts[-1][0] != part:
            self._texts.append((part, []))
        self._texts[-1][1].append(text)

    async def drain(self) -> AsyncGenerator[LlmChunk | SummaryChunk]:
        texts, self._texts = self._texts, []
        for part, pieces in texts:
            text = "".join(pieces)
            for begin in range(0, len(text), MOST_MASKED):
                if begin:
                    await asyncio.sleep(0)
                for masked_part, masked in self._mask(part, text[begin : begin + MOST_MASKED]):
                    if masked:
                        chunk = self._make(self._index, masked_part, masked)
                        self._said.note(chunk)
                        self._index += 1
                        yield chunk

    def text_so_far(self) -> TextSoFar | None:
        """All that was drained; None of a run that has said nothing yet, or more than one record should hold."""
        return self._said.to_message()

    def size(self) -> int:
        return sum(len(piece) for _, pieces in self._texts for piece in pieces)


class _Said:
    """The text of a run until now, for readers that begin now."""

    def __init__(self) -> None:
        self._last: LlmChunk | SummaryChunk | None = None
        self._pieces: defaultdict[str, list[str]] = defaultdict(list)
        self._size = 0

    def note(self, chunk: LlmChunk | SummaryChunk) -> None:
        self._last = chunk
        self._size += len(chunk.text)
        if self._size > MOST_SO_FAR:
            self._pieces.clear()
        else:
            self._pieces[chunk.part if isinstance(chunk, LlmChunk) else "summary"].append(chunk.text)

    def to_message(self) -> TextSoFar | None:
        last = self._last
        if last is None or self._size > MOST_SO_FAR:
            return None
        return TextSoFar(
            call_id=last.call_id,
            execution_id=last.execution_id,
            run=last.run,
            index=last.index,
            thinking="".join(self._pieces["thinking"]),
            text="".join(self._pieces["text"]),
            summary="".join(self._pieces["summary"]),
        )
