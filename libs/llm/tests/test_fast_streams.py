"""Streams whose pieces are there already: whoever listens gives others their turn."""

import asyncio
from collections.abc import AsyncGenerator
from itertools import count

from asking import request

from tarsy_contracts.conversation import Usage
from tarsy_llm.protocol import Answer, Delta, LlmRequest
from tarsy_llm.timeouts import MOST_CHARACTERS, LimitedLlm, StreamLimits

PIECES = 1_000
ANSWER = Answer(thinking="", text="", tool_calls=(), usage=Usage(), model="m")


class AtOnce:
    """Never waits."""

    def __init__(self, text: str, pieces: int) -> None:
        self._text, self._pieces = text, pieces

    async def stream(self, request: LlmRequest) -> AsyncGenerator[Delta | Answer]:
        for _ in range(self._pieces):
            yield Delta(part="text", text=self._text)
        yield ANSWER

    async def aclose(self) -> None:
        """Holds nothing."""


async def turns_of_others(llm: AtOnce) -> tuple[int, list[str]]:
    """Each look at the clock takes a millisecond."""
    clock, turns, ended = count(), 0, False

    async def another() -> None:
        nonlocal turns
        while not ended:
            turns += 1
            await asyncio.sleep(0)

    other = asyncio.create_task(another())
    limited = LimitedLlm(llm, StreamLimits(), lambda: next(clock) / 1_000)
    texts = [part.text async for part in limited.stream(request()) if isinstance(part, Delta)]
    ended = True
    await other
    return turns, texts


async def test_others_have_their_turn_every_few_milliseconds() -> None:
    turns, texts = await turns_of_others(AtOnce("pod ", PIECES))
    assert len(texts) == PIECES
    assert turns >= PIECES // 10


async def test_one_long_delta_comes_in_short_ones_and_gives_turns_too() -> None:
    text = "".join(map(str, range(300_000)))
    turns, texts = await turns_of_others(AtOnce(text, 1))
    assert "".join(texts) == text
    assert max(map(len, texts)) == MOST_CHARACTERS
    assert turns >= len(texts) // 10
