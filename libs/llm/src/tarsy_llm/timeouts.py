"""Timeouts of a stream: until its first chunk, and between two of them; and turns for others while it is fast."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Literal

from tarsy_llm.protocol import Answer, Delta, ErrorKind, Llm, LlmCallError, LlmRequest

type Parts = AsyncGenerator[Delta | Answer]
type Silence = Literal["first_chunk_timeout", "stalled"]

SAID_OF_SILENCE: dict[Silence, str] = {
    "first_chunk_timeout": "the model said nothing within {:g} seconds",
    "stalled": "the model fell silent for {:g} seconds",
}

MOST_CHARACTERS = 2_048
"""Length of a delta. Masking one, and looking for repetition in it, takes a millisecond or so."""
TURN_SECONDS = 0.005
"""A stream whose pieces are there already holds the event loop for little longer than this."""


@dataclass(frozen=True, slots=True)
class StreamLimits:
    """Seconds. A model may think for long before it says anything; once it speaks, silence means that it is stuck."""

    first_chunk_seconds: float = 120.0
    stall_seconds: float = 60.0


class LimitedLlm:
    """An `Llm` whose silence ends as an LlmCallError, and whose haste keeps nobody else from the event loop."""

    def __init__(self, llm: Llm, limits: StreamLimits, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._llm = llm
        self._limits = limits
        self._monotonic = monotonic

    async def stream(self, request: LlmRequest) -> AsyncGenerator[Delta | Answer]:
        async with aclosing(self._llm.stream(request)) as parts:
            part = await self._first(parts)
            turn_began = self._monotonic()
            while not isinstance(part, Answer):
                for delta in _short(part):
                    yield delta
                    # The caller's work counts, too.
                    if self._monotonic() - turn_began >= TURN_SECONDS:
                        await asyncio.sleep(0)
                        turn_began = self._monotonic()
                part = await self._next(parts)
            yield part

    async def aclose(self) -> None:
        await self._llm.aclose()

    async def _first(self, parts: Parts) -> Delta | Answer:
        return await _part(parts, self._limits.first_chunk_seconds, silence="first_chunk_timeout", end="provider_error")

    async def _next(self, parts: Parts) -> Delta | Answer:
        return await _part(parts, self._limits.stall_seconds, silence="stalled", end="cut_off")


def _short(delta: Delta) -> Iterator[Delta]:
    if len(delta.text) <= MOST_CHARACTERS:
        yield delta
        return
    for begin in range(0, len(delta.text), MOST_CHARACTERS):
        yield Delta(part=delta.part, text=delta.text[begin : begin + MOST_CHARACTERS])


async def _part(parts: Parts, seconds: float, *, silence: Silence, end: ErrorKind) -> Delta | Answer:
    try:
        async with asyncio.timeout(seconds):
            return await anext(parts)
    except TimeoutError:
        raise LlmCallError(SAID_OF_SILENCE[silence].format(seconds), kind=silence) from None
    except StopAsyncIteration:
        raise LlmCallError("the model ended without an answer", kind=end) from None
