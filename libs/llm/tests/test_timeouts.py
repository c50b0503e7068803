"""Silence of a model ends, at its beginning and in its middle; what is not silence is left alone."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

import pytest

from tarsy_contracts.conversation import Conversation, Usage
from tarsy_llm.protocol import Answer, Delta, ErrorKind, LlmCallError, LlmRequest
from tarsy_llm.timeouts import LimitedLlm, StreamLimits
from tarsy_testing.simulation.virtual_time import VirtualLoop

REQUEST = LlmRequest(agent="A", iteration=1, conversation=Conversation(system="", messages=()))
HM, POD = Delta(part="thinking", text="Hm."), Delta(part="text", text="The pod")
ANSWER = Answer(thinking="Hm.", text="The pod", tool_calls=(), usage=Usage(), model="m")
LONG = 600.0


class Speaking:
    """An `Llm` that says its parts with a pause before each, and notes when its stream is closed."""

    def __init__(self, parts: Sequence[Delta | Answer | LlmCallError], *pauses: float) -> None:
        self._parts = parts
        self._pauses = [*pauses, *[0.0] * len(parts)]
        self.closed = False
        self.ended = False

    async def stream(self, request: LlmRequest) -> AsyncGenerator[Delta | Answer]:
        try:
            for part, pause in zip(self._parts, self._pauses, strict=False):
                await asyncio.sleep(pause)
                if isinstance(part, LlmCallError):
                    raise part
                yield part
        finally:
            self.closed = True

    async def aclose(self) -> None:
        self.ended = True


def limited(llm: Speaking, *, first: float = LONG, stall: float = LONG) -> LimitedLlm:
    return LimitedLlm(llm, StreamLimits(first_chunk_seconds=first, stall_seconds=stall))


async def failure_of(llm: LimitedLlm) -> tuple[LlmCallError, list[Delta | Answer]]:
    said: list[Delta | Answer] = []
    with pytest.raises(LlmCallError) as caught:
        await _listen(llm, said)
    return caught.value, said


async def _listen(llm: LimitedLlm, said: list[Delta | Answer]) -> None:
    async with asyncio.timeout(90):
        async for part in llm.stream(REQUEST):
            said.append(part)  # noqa: PERF401


async def test_what_the_model_says_in_time_passes_unchanged() -> None:
    said = [part async for part in limited(Speaking([HM, POD, ANSWER])).stream(REQUEST)]
    assert said == [HM, POD, ANSWER]


async def test_a_model_that_does_not_begin_is_given_up() -> None:
    llm = Speaking([HM, ANSWER], LONG)
    error, said = await failure_of(limited(llm, first=0.05))
    assert (error.kind, str(error)) == ("first_chunk_timeout", "the model said nothing within 0.05 seconds")
    assert error.retryable
    assert said == []
    assert llm.closed


async def test_a_model_that_falls_silent_is_given_up() -> None:
    llm = Speaking([HM, POD, ANSWER], 0.0, 0.0, LONG)
    error, said = await failure_of(limited(llm, stall=0.05))
    assert (error.kind, str(error)) == ("stalled", "the model fell silent for 0.05 seconds")
    assert error.retryable
    assert said == [HM, POD]
    assert llm.closed


async def test_a_slow_beginning_is_no_stall() -> None:
    llm = limited(Speaking([HM, ANSWER], 0.3), stall=0.2)
    assert [part async for part in llm.stream(REQUEST)] == [HM, ANSWER]


def test_each_part_gives_the_model_its_time_anew() -> None:
    llm = limited(Speaking([HM, POD, POD, POD, ANSWER], 0.0, 20.0, 20.0, 20.0, 20.0), stall=25.0)

    async def listen() -> int:
        return len([part async for part in llm.stream(REQUEST)])

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        assert runner.run(listen()) == 5


def test_the_time_that_the_reader_takes_is_not_the_models() -> None:
    said: list[Delta | Answer] = []

    async def listen() -> None:
        async with aclosing(limited(Speaking([HM, POD, ANSWER]), first=1.0, stall=1.0).stream(REQUEST)) as parts:
            async for part in parts:
                said.append(part)
                await asyncio.sleep(1.5)

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        runner.run(listen())
    assert said == [HM, POD, ANSWER]


@pytest.mark.parametrize(("parts", "kind"), [([], "provider_error"), ([HM], "cut_off")])
async def test_an_end_without_an_answer_is_a_failure(parts: list[Delta], kind: ErrorKind) -> None:
    error, said = await failure_of(limited(Speaking(parts)))
    assert (error.kind, str(error)) == (kind, "the model ended without an answer")
    assert said == parts


@pytest.mark.parametrize("before", [[], [HM]])
async def test_a_failure_of_the_model_passes_unchanged(before: list[Delta]) -> None:
    problem = LlmCallError("slower", kind="rate_limited", retry_after_seconds=7)
    error, _ = await failure_of(limited(Speaking([*before, problem])))
    assert error is problem


async def test_nothing_is_read_after_the_answer() -> None:
    llm = Speaking([ANSWER, POD])
    assert [part async for part in limited(llm).stream(REQUEST)] == [ANSWER]
    assert llm.closed


async def test_closing_the_stream_closes_the_models() -> None:
    llm = Speaking([HM, ANSWER])
    stream = limited(llm).stream(REQUEST)
    assert await anext(stream) == HM
    assert not llm.closed
    await stream.aclose()
    assert llm.closed


async def test_cancelling_the_call_closes_the_models_and_is_no_silence() -> None:
    llm = Speaking([HM, ANSWER], 0.0, LONG)
    begun = asyncio.Event()

    async def ask() -> None:
        async for _ in limited(llm).stream(REQUEST):
            begun.set()

    call = asyncio.create_task(ask())
    async with asyncio.timeout(90):
        await begun.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
    assert llm.closed


@pytest.mark.timing
async def test_a_deadline_of_the_caller_stays_the_callers() -> None:
    llm = Speaking([HM, ANSWER], LONG)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05), aclosing(limited(llm).stream(REQUEST)) as parts:
            await anext(parts)
    assert llm.closed


async def test_ending_it_ends_the_model() -> None:
    llm = Speaking([])
    await limited(llm).aclose()
    assert llm.ended
