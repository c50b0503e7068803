"""Timeouts of a stream: until its first chunk, and between two of them."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

from tarsy_llm.protocol import Answer, Delta, ErrorKind, Llm, LlmCallError, LlmRequest

type Parts = AsyncGenerator[Delta | Answer]


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
        seconds = self._limits.first_chunk_seconds
        nothing = LlmCallError(f"the model said nothing within {seconds:g} seconds", kind="first_chunk_timeout")
        return await _part(parts, seconds, silence=nothing, end="provider_error")

    async def _next(self, parts: Parts) -> Delta | Answer:
        seconds = self._limits.stall_seconds
        stalled = LlmCallError(f"the model fell silent for {seconds:g} seconds", kind="stalled")
        return await _part(parts, seconds, silence=stalled, end="cut_off")


async def _part(parts: Parts, seconds: float, *, silence: LlmCallError, end: ErrorKind) -> Delta | Answer:
    try:
        async with asyncio.timeout(seconds):
            return await anext(parts)
    except TimeoutError:
        raise silence from None
    except StopAsyncIteration:
        raise LlmCallError("the model ended without an answer", kind=end) from None
