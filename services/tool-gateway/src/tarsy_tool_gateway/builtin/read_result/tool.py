"""Implementation of `read_result`: lines of a result, of whichever gateway has stored it."""

import asyncio
from functools import partial

import structlog
from aiokafka.errors import KafkaError

from tarsy_bus.client.connection import Bus
from tarsy_bus.readers.outage_retry import KafkaUnreachableError, TimeLimit
from tarsy_contracts.messages.requests import ToolCallRequest
from tarsy_results.budget import ReadBudget
from tarsy_results.pages import ResultPage
from tarsy_results.pattern import InvalidSearchError
from tarsy_results.reading import Reading, ResultReader
from tarsy_results.search import ResultSearch
from tarsy_results.source import ResultGoneError, ResultSource
from tarsy_results.spans import InvalidTimeError
from tarsy_tool_gateway.builtin.read_result.answers import no_such_time, page_answer, search_answer
from tarsy_tool_gateway.builtin.read_result.arguments import (
    InvalidArgumentsError,
    ReadArguments,
    ResultQuery,
    parse_arguments,
    parse_query,
)
from tarsy_tool_gateway.builtin.tool_server import BuiltinTool
from tarsy_tool_gateway.tool_servers import ToolOutput

log = structlog.get_logger(__name__)

SECONDS_TO_REPORT = 1.0
"""Reading ends so long before the call would, so that the outcome says why."""


def read_result_tool(bus: Bus) -> BuiltinTool:
    return partial(read_result, ResultReader(bus))


async def read_result(reader: ResultReader, request: ToolCallRequest) -> ToolOutput:
    if request.reads is None:
        return ToolOutput("rejected", "It was not said which result to read in.")
    try:
        arguments = parse_arguments(request.arguments)
        query = parse_query(arguments)
    except (InvalidArgumentsError, InvalidSearchError, InvalidTimeError) as problem:
        return ToolOutput("rejected", str(problem))
    earlier = min(SECONDS_TO_REPORT, request.timeout_seconds / 10)
    # The clock that asyncio's own timeouts follow.
    monotonic = asyncio.get_running_loop().time
    limit = TimeLimit(ends_at=monotonic() + request.timeout_seconds - earlier, monotonic=monotonic)
    budget = ReadBudget(ends_at=limit.ends_at, monotonic=monotonic)
    try:
        async with reader.open(request.reads, limit) as source:
            reading = reader.begin(source, arguments.position, query.span, budget)
            return ToolOutput("ok", await _read_answer(reading, source, arguments, query))
    except ResultGoneError as problem:
        log.info("result.gone", call_id=request.reads.call_id, reason=str(problem))
        return ToolOutput(
            "tool_error", "This result is no longer kept: it is too old. Call the tool again if you need it."
        )
    except KafkaUnreachableError as problem:
        return ToolOutput("unavailable", f"The result cannot be read at the moment. {problem}.")
    except (KafkaError, OSError) as problem:
        return ToolOutput("unavailable", f"The result cannot be read at the moment: {type(problem).__name__}.")


async def _read_answer(reading: Reading, source: ResultSource, arguments: ReadArguments, query: ResultQuery) -> str:
    if query.pattern is None:
        page = ResultPage(arguments.most_lines)
        await reading.into_page(page)
        is_answered = bool(page.runs) or page.full
        answer = page_answer(page, reading.at, source, reading.filter)
    else:
        search = ResultSearch(
            query.pattern, reading.budget, context=arguments.context, most_matches=arguments.most_matches
        )
        await reading.into_search(search)
        is_answered = search.matched.count > 0 or search.stopped
        answer = search_answer(search, arguments.position, source, reading.filter)
    if is_answered or reading.filter is None or reading.filter.has_found:
        return answer
    return no_such_time(reading.filter, source)
