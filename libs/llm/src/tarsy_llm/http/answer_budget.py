"""Budget of one answer: how much a model may write, and how much may come over the wire for it."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass

from tarsy_llm.protocol import LlmCallError

CHARACTERS_PER_TOKEN = 8
"""Twice what a token has on average."""
MOST_BYTES = 2_000_000
TOKEN_BYTES = 8
"""A piece counts as one token at least: an answer of empty pieces ends, too."""
ENVELOPE_BYTES = 2_048
"""Servers wrap so much around a piece at most. All else counts as the answer."""
MOST_AT_ONCE = 16 * 1024
"""Bytes that are handed on at once. Lines without a word take about 10 ms with any splitter."""
ESCAPED_BYTES = 6
"""A byte of text takes up to so many in JSON (`\\u001b`)."""


@dataclass(slots=True)
class Written:
    """Counts of the text, thoughts and arguments of calls that a model has written so far."""

    pieces: int = 0
    characters: int = 0
    bytes: int = 0

    def add(self, text: str) -> None:
        self.pieces += 1
        self.characters += len(text)
        self.bytes += len(text) if text.isascii() else len(text.encode(errors="replace"))


class AnswerBudget:
    """`tokens`: the most that the model was allowed; None where nobody said."""

    def __init__(self, provider: str, tokens: int | None) -> None:
        self._provider = provider
        self._most_characters = None if tokens is None else tokens * CHARACTERS_PER_TOKEN
        self._received = 0
        self.written = Written()

    def check(self) -> None:
        """Raises LlmCallError once more was written than allowed."""
        if self._most_characters is not None and self.written.characters > self._most_characters:
            raise self._error(
                f"it has more than {self._most_characters} characters, {CHARACTERS_PER_TOKEN} for each output token"
            )
        if self.written.bytes + self.written.pieces * TOKEN_BYTES > MOST_BYTES:
            self._check_bytes()

    def receive(self, size: int) -> None:
        """Counts bytes on the wire, whatever they are. Raises LlmCallError once they are more than allowed."""
        self._received += size
        if self._received > MOST_BYTES:
            self._check_bytes()

    async def count_bytes(self, chunks: AsyncIterator[bytes]) -> AsyncGenerator[bytes]:
        """The same bytes, with turns for others between. Raises LlmCallError once they are more than allowed."""
        async for chunk in chunks:
            self.receive(len(chunk))
            for begin in range(0, len(chunk), MOST_AT_ONCE):
                if begin:
                    await asyncio.sleep(0)
                yield chunk[begin : begin + MOST_AT_ONCE]

    def make_error(self) -> LlmCallError:
        return self._error(f"it has more than {MOST_BYTES} bytes")

    def _check_bytes(self) -> None:
        written = max(self.written.bytes, self.written.pieces * TOKEN_BYTES)
        wrapping = self.written.pieces * ENVELOPE_BYTES + self.written.bytes * ESCAPED_BYTES
        if written + max(0, self._received - wrapping) > MOST_BYTES:
            raise self.make_error()

    def _error(self, why: str) -> LlmCallError:
        return LlmCallError(f"the answer of {self._provider} was broken off: {why}", kind="answer_too_long")
