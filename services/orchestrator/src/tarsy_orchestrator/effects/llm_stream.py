"""Streaming of an LLM call: chunks of the answer are published while the model writes it."""

from collections.abc import Iterator
from contextlib import contextmanager

import structlog

from tarsy_bus.client.chunk_feed import ChunkFeed
from tarsy_contracts.messages.chunks import LlmChunk
from tarsy_llm.protocol import Delta
from tarsy_orchestrator.effects.dependencies import Dependencies
from tarsy_orchestrator.effects.streamed_words import StreamedWords
from tarsy_session.effects import LlmCallEffect

log = structlog.get_logger(__name__)

PARTS = ("thinking", "text")


class ChunkPublisher:
    """Publishes the chunks of one run of a call, masked: what may become a secret is held back."""

    def __init__(self, deps: Dependencies, session_id: str, effect: LlmCallEffect, words: StreamedWords) -> None:
        """`words` keeps what is sent."""
        masker = deps.masker.for_session(session_id)
        self._sender = deps.chunks
        self._session_id = session_id
        self._requested = effect.pending.requested
        self._run = deps.runs.next()
        self._streams = {part: masker.stream() for part in PARTS}
        self._part: str | None = None
        self._words = words
        self._feed = ChunkFeed(session_id, self._make_chunk, self._mask_or_hold)
        self._broken = False

    async def take(self, delta: Delta) -> None:
        """Chunks are only to look at: the answer does not fail when they do."""
        if self._broken:
            return
        try:
            await self._sender.put(self._feed, delta.part, delta.text)
        except Exception as problem:  # noqa: BLE001 - whatever it is
            self._break_off(problem)

    def _mask_or_hold(self, part: str, text: str) -> list[tuple[str, str]]:
        """The text that may go out now. When the part changes, so does what was held back of the other one."""
        if self._broken:
            return []
        try:
            before, self._part = self._part, part
            held_back = [] if before is None or before == part else [(before, self._streams[before].pause())]
            sent = [*held_back, (part, self._streams[part].take(text))]
        except Exception as problem:  # noqa: BLE001 - whatever it is
            self._break_off(problem)
            return []
        for sent_part, masked in sent:
            self._words.add(sent_part, masked)
        return sent

    def _break_off(self, problem: Exception) -> None:
        log.error("chunks.broke", session_id=self._session_id, problem=type(problem).__name__)
        self._broken = True

    def drop(self) -> None:
        self._sender.drop(self._feed)

    def _make_chunk(self, index: int, part: str, text: str) -> LlmChunk:
        return LlmChunk(
            call_id=self._requested.llm_call_id,
            execution_id=self._requested.execution_id,
            run=self._run,
            index=index,
            part="thinking" if part == "thinking" else "text",
            text=text,
        )


@contextmanager
def dropping_unsent(chunks: ChunkPublisher) -> Iterator[None]:
    """Drops the unsent chunks after the body: the answer replaces them and must not wait."""
    try:
        yield
    finally:
        chunks.drop()
