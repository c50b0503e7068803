"""Implementation of `read_result`: lines of a result, or those that match, of whichever gateway has stored it."""

import asyncio
from contextlib import aclosing
from functools import partial

import structlog
from aiokafka.errors import KafkaError

from tarsy_bus.connection import Bus
from tarsy_bus.outage_retry import KafkaUnreachableError, TimeLimit
from tarsy_contracts.requests import ToolCallRequest
from tarsy_results.blocks import Block, Blocks
from tarsy_results.pages import ResultPage
from tarsy_results.paging import PageStart
from tarsy_results.pattern import InvalidSearchError, SearchPattern
from tarsy_results.position import TextPosition
from tarsy_results.search import ResultSearch
from tarsy_results.source import ResultGoneError, ResultSource, open_source
from tarsy_tool_gateway.builtin.read_result.arguments import InvalidArgumentsError, ReadArguments, parse_arguments
from tarsy_tool_gateway.builtin.tool_server import BuiltinTool
from tarsy_tool_gateway.tool_servers import ToolOutput

log = structlog.get_logger(__name__)

READS_AT_ONCE = 4
"""Each holds what one fetch brings."""
THREADS = 2
"""Threads of the shared pool that searches may use: others are left for masking."""
SECONDS_TO_REPORT = 1.0
"""Reading ends so long before the call would, so that the outcome says why."""


def read_result_tool(bus: Bus) -> BuiltinTool:
    return partial(read_result, bus, asyncio.Semaphore(READS_AT_ONCE), asyncio.Semaphore(THREADS))


async def read_result(
    bus: Bus, places: asyncio.Semaphore, threads: asyncio.Semaphore, request: ToolCallRequest
) -> ToolOutput:
    if request.reads is None:
        return ToolOutput("rejected", "It was not said which result to read in.")
    try:
        asked = parse_arguments(request.arguments)
        pattern = SearchPattern(asked.search, case_sensitive=not asked.ignore_case) if asked.search else None
    except (InvalidArgumentsError, InvalidSearchError) as problem:
        return ToolOutput("rejected", str(problem))
    earlier = min(SECONDS_TO_REPORT, request.timeout_seconds / 10)
    # The clock that asyncio's own timeouts follow.
    monotonic = asyncio.get_running_loop().time
    limit = TimeLimit(ends_at=monotonic() + request.timeout_seconds - earlier, monotonic=monotonic)
    try:
        async with places:
            source = await open_source(bus, request.reads, limit)
            async with aclosing(source.pieces):
                return ToolOutput("ok", await _answer(source, asked, pattern, threads))
    except ResultGoneError as problem:
        log.info("result.gone", call_id=request.reads.call_id, reason=str(problem))
        return ToolOutput(
            "tool_error", "This result is no longer kept: it is too old. Call the tool again if you need it."
        )
    except KafkaUnreachableError as problem:
        return ToolOutput("unavailable", f"The result cannot be read at the moment. {problem}.")
    except (KafkaError, OSError) as problem:
        return ToolOutput("unavailable", f"The result cannot be read at the moment: {type(problem).__name__}.")


async def _answer(
    source: ResultSource, asked: ReadArguments, pattern: SearchPattern | None, threads: asyncio.Semaphore
) -> str:
    begin = TextPosition(asked.offset, asked.byte)
    if pattern is None:
        return await _read(source, begin, asked.most_lines)
    search = ResultSearch(pattern, context=asked.context, most_matches=asked.most_matches)
    await _search(source, begin, search, threads)
    return search.answer(begin, source.lines)


async def _read(source: ResultSource, begin: TextPosition, most_lines: int) -> str:
    lines = ResultPage(begin, most_lines)
    async for piece in source.pieces:
        lines.take(piece)
        if lines.full:
            break
        # Pieces of one fetch come without a wait: other tasks are let in between.
        await asyncio.sleep(0)
    return lines.answer(source.lines, source.size)


async def _search(source: ResultSource, begin: TextPosition, search: ResultSearch, threads: asyncio.Semaphore) -> None:
    skip = PageStart(begin)
    blocks: Blocks | None = None

    async def take(found: Block) -> bool:
        async with threads:
            await asyncio.to_thread(search.take, found)
        return search.stopped

    async for piece in source.pieces:
        rest = skip.take(piece)
        if not rest:
            await asyncio.sleep(0)
            continue
        blocks = blocks or Blocks(skip.at)
        for block in blocks.take(rest):
            if await take(block):
                return
    for block in blocks.rest() if blocks is not None else ():
        if await take(block):
            return
