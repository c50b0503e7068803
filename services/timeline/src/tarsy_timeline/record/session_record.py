"""Answers about the record of a session: lists, and single interactions. Replays run in threads."""

import asyncio
from collections.abc import Callable
from contextlib import aclosing

import structlog
from aiokafka.errors import KafkaError

from tarsy_bus.client.connection import Bus
from tarsy_bus.readers.outage_retry import KafkaUnreachableError, TimeLimit
from tarsy_contracts.api.timeline import PastSession
from tarsy_contracts.api.trace import LlmInteraction, McpInteraction, SessionTrace, TracedSkills
from tarsy_contracts.prices import NO_PRICES, ModelPrices
from tarsy_results.source import ResultGoneError, read_stored_pieces
from tarsy_service.http.problems import ProblemError
from tarsy_summary_prompt.excerpt import Excerpt, ExcerptText
from tarsy_summary_prompt.request_focus import focus_of
from tarsy_timeline.record.llm_interactions import find_llm
from tarsy_timeline.record.mcp_interactions import find_mcp
from tarsy_timeline.record.past_session import past_session
from tarsy_timeline.record.replay import replay
from tarsy_timeline.record.session_records import Events, SessionRecords
from tarsy_timeline.record.session_trace import trace_of
from tarsy_timeline.record.skills import skills_of
from tarsy_timeline.record.summaries import AskedSummary, describe_attempt, find_summary
from tarsy_timeline.rows.record_place import RecordPlace

log = structlog.get_logger(__name__)

REPLAY_SECONDS = 12.0
REPLAYS_AT_ONCE = 2
"""Threads of the shared pool: others are left for other work."""
SOURCE_SECONDS = 12.0
SOURCES_AT_ONCE = 1
"""Each holds the text that it makes an excerpt of, and a thread."""
SOURCE_GONE = "the result that was summarized is no longer kept"
SOURCE_UNREADABLE = "the result that was summarized cannot be read at the moment"
NOT_ASKED = "an older version recorded this summary, but not how much of the result the model was given"
REPLAY_TOO_LATE = "It took too long, or too many records are being read at once. Try again."
TOO_LATE = "The result that was summarized could not be read in time. Try again."


class SessionRecord:
    def __init__(
        self, bus: Bus, records: SessionRecords, prices: Callable[[], ModelPrices] = lambda: NO_PRICES
    ) -> None:
        """`prices`: those that hold now."""
        self._bus = bus
        self._prices = prices
        self._records = records
        self._places = asyncio.Semaphore(SOURCES_AT_ONCE)
        self._threads = asyncio.Semaphore(REPLAYS_AT_ONCE)

    async def trace(self, position: RecordPlace) -> SessionTrace:
        """Raises ProblemError."""
        return await self._replay(_trace, await self._records.read(position), position)

    async def llm(self, position: RecordPlace, id: str) -> LlmInteraction:
        """An LLM call, or an attempt of a summary. Raises ProblemError."""
        events = await self._records.read(position)
        if (found := await self._replay(find_llm, events, id)) is not None:
            return found
        if (request := await self._replay(find_summary, events, id)) is not None:
            return await self._summary(request)
        raise ProblemError(404, "Not found", f"Session {position.session_id} has no model call {id}.")

    async def mcp(self, position: RecordPlace, id: str) -> McpInteraction:
        """Raises ProblemError."""
        events = await self._records.read(position)
        found = await self._replay(_mcp, events, position.session_id, id)
        if found is None:
            raise ProblemError(
                404, "Not found", f"Session {position.session_id} has no tool call or list of tools {id}."
            )
        return found

    async def skills(self, position: RecordPlace) -> TracedSkills:
        """Raises ProblemError."""
        return await self._replay(_skills, await self._records.read(position), position)

    async def past(self, position: RecordPlace, number: int) -> PastSession:
        """The session after the event `number`. Raises ProblemError."""
        found = await self._replay(past_session, await self._records.read(position), number, self._prices())
        if found is None:
            raise ProblemError(404, "Not found", f"Session {position.session_id} has no event {number}.")
        return found

    async def _replay[**P, T](self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Calls it in a thread. Raises ProblemError."""
        try:
            async with asyncio.timeout(REPLAY_SECONDS), self._threads:
                return await asyncio.to_thread(function, *args, **kwargs)
        except TimeoutError as problem:
            raise ProblemError(503, "Service unavailable", REPLAY_TOO_LATE) from problem

    async def _summary(self, request: AskedSummary) -> LlmInteraction:
        """Without the conversation, and why, where the result cannot be read any longer."""
        result: ExcerptText | None = None
        missing = "" if request.ended.input_bytes is not None and request.requests else NOT_ASKED
        if not missing:
            try:
                async with asyncio.timeout(SOURCE_SECONDS), self._places:
                    result = await self._excerpt(request, request.ended.input_bytes or 0)
            except TimeoutError as problem:
                raise ProblemError(503, "Service unavailable", TOO_LATE) from problem
            except ResultGoneError:
                missing = SOURCE_GONE
            except (KafkaUnreachableError, KafkaError, OSError) as problem:
                log.warning("record.source_unreadable", call_id=request.ended.call_id, reason=type(problem).__name__)
                missing = SOURCE_UNREADABLE
        return await self._replay(describe_attempt, request, result, missing)

    async def _excerpt(self, request: AskedSummary, input_bytes: int) -> ExcerptText:
        """As the summarizer made it. Raises ResultGoneError and KafkaUnreachableError."""
        # The focus does not change while the summaries of a turn are made.
        excerpt = Excerpt(input_bytes, focus_of(request.requests[0]))
        completed = request.call.completed
        stored = None if completed is None else completed.stored
        if stored is None:
            content = "" if completed is None else completed.content
            await asyncio.to_thread(excerpt.take, content.encode(errors="replace"))
            return await asyncio.to_thread(excerpt.finish)
        monotonic = asyncio.get_running_loop().time
        limit = TimeLimit(ends_at=monotonic() + SOURCE_SECONDS - 1.0, monotonic=monotonic)
        async with aclosing(read_stored_pieces(self._bus, stored, limit, call_id=request.ended.call_id)) as pieces:
            async for piece in pieces:
                await asyncio.to_thread(excerpt.take, piece)
        return await asyncio.to_thread(excerpt.finish)


def _trace(events: Events, position: RecordPlace) -> SessionTrace:
    return trace_of(replay(events), position.session_id, position.last.number)


def _skills(events: Events, position: RecordPlace) -> TracedSkills:
    return skills_of(replay(events), position.session_id, position.last.number)


def _mcp(events: Events, session_id: str, id: str) -> McpInteraction | None:
    return find_mcp(replay(events), session_id, id)
