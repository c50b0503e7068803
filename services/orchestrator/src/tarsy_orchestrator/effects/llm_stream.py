"""Streaming of an LLM call: chunks of the answer are published while the model writes it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import structlog

from tarsy_bus.publisher import NotWritten, TooLarge
from tarsy_contracts.chunks import LlmChunk
from tarsy_contracts.identities import derived_id
from tarsy_llm.protocol import Delta
from tarsy_orchestrator.effects.dependencies import Dependencies
from tarsy_orchestrator.effects.stream_lines import Lines, MaskedLines
from tarsy_orchestrator.session.effects import LlmCallEffect
from tarsy_service.supervision import not_cancelled_from_inside

log = structlog.get_logger(__name__)

UNSENT_AT_MOST = 100
"""A model that is faster than Kafka waits for it here."""


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
        self._lines: dict[str, Lines] = {"thinking": Lines(), "text": Lines()}
        self._masked: dict[str, MaskedLines] = {"thinking": MaskedLines(mask), "text": MaskedLines(mask)}
        self._unsent: asyncio.Queue[tuple[str, str]] = asyncio.Queue(UNSENT_AT_MOST)

    async def take(self, delta: Delta) -> None:
        other = "text" if delta.part == "thinking" else "thinking"
        for part, text in ((other, self._lines[other].rest()), (delta.part, self._lines[delta.part].take(delta.text))):
            if text and not self._broken:
                await self._unsent.put((part, text))

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
            part, text = await self._unsent.get()
            masked = self._masked[part].masked(text)
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
        except (NotWritten, TooLarge) as problem:
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
