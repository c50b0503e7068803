"""What running calls say of themselves, from the server to the stream: a real gateway on a real Kafka."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest
from connections import SECRET, odd
from gateway_owner import Owner, call, noted_behind, until_noted

from tarsy_bus.readers.partition_reader import Record, read_to_end
from tarsy_bus.readers.records import delivery
from tarsy_contracts.messages.chunks import CHUNKS, Progress
from tarsy_contracts.messages.requests import ToolCallRequest
from tarsy_contracts.wire.topics import Topics
from tarsy_testing.real_servers import eventually
from tarsy_tool_gateway.mcp import progress
from tarsy_tool_gateway.mcp.progress import MOST_CHARACTERS, MOST_MASKED_CHARACTERS, progress_text
from tarsy_tool_gateway.mcp.server_plan import ServerPlan

type Running = Callable[..., AbstractAsyncContextManager[Any]]
type NewPlan = Callable[..., ServerPlan]


async def chunks_of(owner: Owner, request: ToolCallRequest) -> list[Progress]:
    found: list[Progress] = []

    def take(record: Record) -> None:
        if record.key == request.session_id.encode():
            chunk = delivery(record).decode(CHUNKS)
            assert isinstance(chunk, Progress)
            found.append(chunk)

    topic = owner.bus.topics.stream
    partitions = next(each.partitions for each in Topics(owner.bus.topics.prefix).all() if each.name == topic)
    await read_to_end(owner.bus, topic, dict.fromkeys(range(partitions), 0), take)
    return found


async def all_of(owner: Owner, request: ToolCallRequest) -> list[Progress] | None:
    chunks = await chunks_of(owner, request)
    return chunks if chunks and chunks[-1].text.startswith("199 of 200") else None


async def test_progress_is_told_masked_short_and_not_often_and_the_last_word_counts(
    owner: Owner, running: Running, calls_file: Path
) -> None:
    """Two hundred words in a moment, and no answer."""
    async with running(odd(calls_file)):
        request = call("progress", repeatable=True, timeout=600)
        began = asyncio.get_running_loop().time()
        await owner.ask(request)
        chunks = await eventually(lambda: all_of(owner, request), "the last word is told")
        took = asyncio.get_running_loop().time() - began
        await owner.cancel(request)
        await owner.result(request)
    assert 1 <= len(chunks) <= took / progress.LEAST_PAUSE_SECONDS + 1
    assert [chunk.index for chunk in chunks] == list(range(len(chunks)))
    assert {(chunk.call_id, chunk.run) for chunk in chunks} == {(request.call_id, chunks[0].run)}
    assert chunks[-1].text.startswith("199 of 200: step 199, ")
    assert all(len(chunk.text) <= MOST_CHARACTERS and "\n" not in chunk.text for chunk in chunks)
    assert SECRET not in str(chunks)
    assert "MASKED" in chunks[-1].text


async def test_a_call_that_says_nothing_leaves_the_stream_alone(
    owner: Owner, running: Running, new_plan: NewPlan
) -> None:
    async with running(new_plan()):
        request = call("echo", repeatable=True, text="quiet")
        await owner.ask(request)
        await owner.result(request)
        assert await chunks_of(owner, request) == []


async def test_a_cancelled_call_says_no_more_and_its_server_is_told(
    owner: Owner, running: Running, calls_file: Path
) -> None:
    async with running(odd(calls_file)):
        request = call("progress", repeatable=True, timeout=600)
        await owner.ask(request)
        await until_noted(calls_file, "progress")

        async def is_told() -> bool:
            return bool(await chunks_of(owner, request))

        await eventually(is_told, "its progress is told")
        await owner.cancel(request)
        assert (await owner.result(request)).outcome == "cancelled"

        id = await noted_behind(calls_file, "no_answer ")
        await until_noted(calls_file, f"notifications/cancelled {id}")
        after = call("empty", repeatable=True)
        await owner.ask(after)
        assert (await owner.result(after)).outcome == "ok"


@pytest.mark.parametrize(
    ("told", "says"),
    [
        ((3.0, 10.0, "copying"), "3 of 10: copying"),
        ((0.5, None, None), "0.5"),
        ((1.0, None, " a\nb "), "1: a b"),
        ((1.0, 2.0, ""), "1 of 2"),
        ((1.0, 2.0, "x" * (MOST_MASKED_CHARACTERS + 1)), "1 of 2"),
    ],
)
def test_progress_is_a_sentence(told: tuple[float, float | None, str | None], says: str) -> None:
    assert progress_text(*told) == says


def test_the_pause_between_two_words_is_a_quarter_of_a_second() -> None:
    assert progress.LEAST_PAUSE_SECONDS == 0.25


@pytest.mark.timing
async def test_what_it_tells_does_not_prolong_a_call_and_no_task_is_left_behind(
    owner: Owner, running: Running, calls_file: Path
) -> None:
    async with running(odd(calls_file)):
        # The session is open: a second is for the call alone, however busy the machine is.
        first = call("empty", repeatable=True, timeout=600)
        await owner.ask(first)
        assert (await owner.result(first)).outcome == "ok"

        request = call("progress", repeatable=True, timeout=1)
        await owner.ask(request)
        result = await owner.result(request)
        assert (result.outcome, "in time" in result.content) == ("unavailable", True)

        async def is_gone() -> bool:
            return not [task for task in asyncio.all_tasks() if task.get_name().startswith("progress of")]

        await eventually(is_gone, "nobody publishes for the call any more")
