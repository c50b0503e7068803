"""Results of tool calls, for people: pages of lines, searches, and the whole text piece by piece."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import structlog
from aiokafka.errors import KafkaError

from tarsy_bus.client.connection import Bus
from tarsy_bus.readers.outage_retry import KafkaUnreachableError, TimeLimit
from tarsy_contracts.api.results import ToolCallResult
from tarsy_results.budget import ReadBudget
from tarsy_results.pages import ResultPage
from tarsy_results.pattern import SearchPattern
from tarsy_results.reading import Reading, ResultReader
from tarsy_results.search import ResultSearch
from tarsy_results.source import ResultGoneError, ResultSource, text_source
from tarsy_service.http.problems import ProblemError
from tarsy_timeline.api.results.download import ResultDownload
from tarsy_timeline.api.results.query import ChosenLines, WantedLines
from tarsy_timeline.api.results.responses import page_result, search_result
from tarsy_timeline.rows.found_result import FoundResult

log = structlog.get_logger(__name__)

READ_SECONDS = 12.0
"""The page waits 15 seconds for an answer."""
SECONDS_TO_REPORT = 1.0
"""Waiting for Kafka ends so long before, so that the answer has the reason."""
LOOK_SECONDS = 6.0
"""Looking at text ends then, or after half of it as CPU time: the answer is what was found, and where to go on."""
DOWNLOAD_SECONDS = 300.0
GONE = "This result is no longer kept."
NO_STAMPS = "No line of this result has a time stamp that TARSy understands: it cannot be read by time."
TOO_LATE = "It took too long, or too many results are being read at once. Try again with fewer lines."


class CallResults:
    """Downloads have places of their own: a slow one keeps no reader waiting."""

    def __init__(self, bus: Bus) -> None:
        self._reader = ResultReader(bus)
        self._downloads = ResultReader(bus)

    async def read(self, call: FoundResult, wanted: WantedLines, chosen: ChosenLines) -> ToolCallResult:
        """Raises ProblemError."""
        async with _within_time_limit(), _open_source(self._reader, call, READ_SECONDS - SECONDS_TO_REPORT) as source:
            reading = self._reader.begin(source, wanted.position, chosen.span, _make_read_budget())
            if chosen.pattern is None:
                answer = await _read_page(call, source, reading, wanted)
            else:
                answer = await _search_lines(call, source, reading, wanted, chosen.pattern)
        if reading.filter is not None and not reading.filter.has_stamps and not answer.lines and answer.next is None:
            raise ProblemError(422, "Not possible", NO_STAMPS, pointer="/from" if wanted.begin else "/until")
        return answer

    async def open_download(self, call: FoundResult) -> ResultDownload:
        """The whole result, whose first piece has been read: it is there. To be closed. Raises ProblemError."""
        async with _within_time_limit(), AsyncExitStack() as stack:
            source = await stack.enter_async_context(_open_source(self._downloads, call, DOWNLOAD_SECONDS))
            first = await anext(source.pieces, b"")
            return ResultDownload(source, first, stack.pop_all(), DOWNLOAD_SECONDS)


def _make_read_budget() -> ReadBudget:
    monotonic = asyncio.get_running_loop().time
    return ReadBudget(LOOK_SECONDS / 2, ends_at=monotonic() + LOOK_SECONDS, monotonic=monotonic)


async def _read_page(call: FoundResult, source: ResultSource, reading: Reading, wanted: WantedLines) -> ToolCallResult:
    page = ResultPage(wanted.most_lines)
    await reading.into_page(page)
    return page_result(call, source, page)


async def _search_lines(
    call: FoundResult, source: ResultSource, reading: Reading, wanted: WantedLines, pattern: SearchPattern
) -> ToolCallResult:
    search = ResultSearch(pattern, reading.budget, context=wanted.context, most_matches=wanted.most_matches)
    await reading.into_search(search)
    return search_result(call, source, search)


@asynccontextmanager
async def _within_time_limit() -> AsyncIterator[None]:
    try:
        async with asyncio.timeout(READ_SECONDS):
            yield
    except TimeoutError as problem:
        raise ProblemError(503, "Service unavailable", TOO_LATE) from problem


@asynccontextmanager
async def _open_source(reader: ResultReader, call: FoundResult, seconds: float) -> AsyncIterator[ResultSource]:
    """Raises ProblemError for what goes wrong in it."""
    try:
        if call.content is not None:
            yield text_source(call.content)
            return
        # The clock that asyncio's own timeouts follow.
        monotonic = asyncio.get_running_loop().time
        limit = TimeLimit(ends_at=monotonic() + seconds, monotonic=monotonic)
        async with reader.open_event(call.call_id, call.place, limit) as source:
            yield source
    except ResultGoneError as problem:
        log.info("result.gone", call_id=call.call_id, reason=str(problem))
        raise ProblemError(404, "Not found", GONE) from problem
    except (KafkaUnreachableError, KafkaError, OSError) as problem:
        log.warning("result.unreadable", call_id=call.call_id, reason=type(problem).__name__)
        raise ProblemError(503, "Service unavailable", "The result cannot be read at the moment.") from problem
