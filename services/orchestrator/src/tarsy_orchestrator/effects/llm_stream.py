"""Streaming of an LLM call: chunks of the answer are published while the model writes it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import structlog

from tarsy_bus.publisher import NotWrittenError, TooLargeError
from tarsy_contracts.chunks import LlmChunk
from tarsy_contracts.ids import derived_id
from tarsy_llm.protocol import Delta
from tarsy_masking.streaming import LineCutter, PieceMasker
from tarsy_orchestrator.effects.dependencies import Dependencies
from tarsy_service.supervision import not_cancelled_from_inside
from tarsy_session.effects import LlmCallEffect

log = structlog.get_logger(__name__)

LONG_LINE = 400
"""A line that grows beyond this is cut at a blank."""
UNSENT_AT_MOST = 100
"""A model that is faster than Kafka waits for it here."""
PARTS = ("thinking", "text")


class ChunkPublisher:
    """Publishes the chunks of one run of a call: whole lines, masked. A secret cut in two would slip through."""

    def __init__(self, deps: Dependencies, session_id: str, effect: LlmCallEffect) -> None:
        mask = deps.masker.for_session(session_id).mask
        self._deps = deps
        self._session_id = session_id
        self._requested = effect.pending.requested
        self._run = int(deps.now().timestamp() * 1000)
        self._index = 0
        self._broken = False
        self._part: str | None = None
        self._cutters = {part: LineCutter(LONG_LINE) for part in PARTS}
        self._maskers = {part: PieceMasker(mask) for part in PARTS}
        self._unsent: asyncio.Queue[tuple[str, str, bool]] = asyncio.Queue(UNSENT_AT_MOST)
        """Part, text, and whether the other part follows: then nothing of this one is held back."""

    async def take(self, delta: Delta) -> None:
        if self._part is not None and self._part != delta.part:
            await self._put(self._part, self._cutters[self._part].rest(), ends=True)
        self._part = delta.part
        text = self._cutters[delta.part].take(delta.text)
        if text:
            await self._put(delta.part, text)

    async def _put(self, part: str, text: str, *, ends: bool = False) -> None:
        if not self._broken:
            await self._unsent.put((part, text, ends))

    async def send(self) -> None:
        """Sends until it is cancelled. Chunks are only to look at: the answer does not wait when one cannot be sent."""
        try:
            await not_cancelled_from_inside("chunks", self._send_all())
        except Exception as problem:  # noqa: BLE001 - whatever it is
            log.error("chunks.broke", session_id=self._session_id, problem=type(problem).__name__)
            self._broken = True
            while not self._unsent.empty():
                self._unsent.get_nowait()

    async def _send_all(self) -> None:
        while True:
            part, text, ends = await self._unsent.get()
            masked = self._maskers[part].take(text)
            if ends:
                masked += self._maskers[part].rest()
            if masked:
                await self._publish(part, masked)

    async def _publish(self, part: str, text: str) -> None:
        call_id = self._requested.llm_call_id
        chunk = LlmChunk(
            call_id=call_id,
            execution_id=self._requested.execution_id,
            run=self._run,
            index=self._index,
            part="thinking" if part == "thinking" else "text",
            text=text,
        )
        self._index += 1
        publisher = self._deps.publisher
        id = derived_id("chunk", call_id, self._run, chunk.index)
        try:
            await publisher.publish(
                publisher.topics.stream, chunk, key=self._session_id, id=id, subject=self._session_id
            )
        except (NotWrittenError, TooLargeError) as problem:
            log.warning("chunk.not_written", session_id=self._session_id, reason=str(problem))


@asynccontextmanager
async def sending(chunks: ChunkPublisher) -> AsyncIterator[None]:
    """Sends while the body runs. Unsent chunks are dropped at its end: the answer replaces them and must not wait."""
    task = asyncio.create_task(chunks.send(), name="chunks")
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])
