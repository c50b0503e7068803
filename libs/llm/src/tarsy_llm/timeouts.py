"""Timeouts of a stream: until its first chunk, and between two of them."""

import asyncio
from collections.abc import AsyncGenerator
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


@dataclass(frozen=True, slots=True)
class StreamLimits:
    """Seconds. A model may think for long before it says anything; once it speaks, silence means that it is stuck."""

    first_chunk_seconds: float = 120.0
    stall_seconds: float = 60.0


class LimitedLlm:
    """An `Llm` whose silence ends as an LlmCallError."""

    def __init__(self, llm: Llm, limits: StreamLimits) -> None:
        self._llm = llm
        self._limits = limits

    async def stream(self, request: LlmRequest) -> AsyncGenerator[Delta | Answer]:
        async with aclosing(self._llm.stream(request)) as parts:
            part = await self._first(parts)
            while True:
                yield part
                if isinstance(part, Answer):
                    return
                part = await self._next(parts)

    async def aclose(self) -> None:
        await self._llm.aclose()

    async def _first(self, parts: Parts) -> Delta | Answer:
        return await _part(parts, self._limits.first_chunk_seconds, silence="first_chunk_timeout", end="provider_error")

    async def _next(self, parts: Parts) -> Delta | Answer:
        return await _part(parts, self._limits.stall_seconds, silence="stalled", end="cut_off")


async def _part(parts: Parts, seconds: float, *, silence: Silence, end: ErrorKind) -> Delta | Answer:
    try:
        async with asyncio.timeout(seconds):
            return await anext(parts)
    except TimeoutError:
        raise LlmCallError(SAID_OF_SILENCE[silence].format(seconds), kind=silence) from None
    except StopAsyncIteration:
        raise LlmCallError("the model ended without an answer", kind=end) from None
