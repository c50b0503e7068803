"""The API for people and the page: memories and similar sessions. And what the tool gateway asks for agents."""

from typing import Annotated

from fastapi import APIRouter, Path
from fastapi.routing import APIRoute

from tarsy_contracts.api.memories import (
    AskedPast,
    AskedRecall,
    EarlierSessions,
    InjectedMemory,
    MemoryList,
    MemoryView,
    SimilarSessions,
)
from tarsy_contracts.memory import RecalledMemories
from tarsy_service.http.described_routes import INVALID, describe_answers
from tarsy_service.http.problems import ProblemError
from tarsy_timeline.api.caller_groups import CallerGroups
from tarsy_timeline.api.route_words import NO_DATABASE, READING, READING_ONE
from tarsy_timeline.api.session_routes import AtLeast, SessionId
from tarsy_timeline.queries import memory_responses
from tarsy_timeline.queries.memory_filter import MemoryFilterQuery
from tarsy_timeline.queries.memory_queries import MemoryQueries
from tarsy_timeline.rows.session_rows import Row

NO_MEMORY = "There is no such memory."
READING_MEMORY = {400: INVALID, 404: NO_MEMORY, 503: NO_DATABASE}

type MemoryId = Annotated[str, Path(max_length=200, pattern=r"^[A-Za-z0-9._-]+$")]


def memory_routes(memories: MemoryQueries, route: type[APIRoute] = APIRoute) -> APIRouter:
    """A caller sees the memories of the sessions that he sees."""
    router = APIRouter(prefix="/api/v1", tags=["memories"], route_class=route)

    @router.get(
        "/memories",
        summary="List what investigations have learnt, a page at a time",
        responses=describe_answers("The memories of the page, the newest first.", READING),
    )
    async def list_memories(wanted: MemoryFilterQuery, groups: CallerGroups) -> MemoryList:
        return memory_responses.memory_list(wanted, await memories.list(wanted, groups))

    @router.get(
        "/memories/{memory_id}",
        summary="A memory",
        responses=describe_answers("The memory.", READING_MEMORY),
    )
    async def get_memory(memory_id: MemoryId, groups: CallerGroups) -> MemoryView:
        return memory_responses.memory_view(await find_memory(memories, memory_id, groups))

    @router.get(
        "/sessions/{session_id}/memories",
        summary="What the session has taught",
        responses=describe_answers("Its memories.", READING_ONE),
    )
    async def list_taught(session_id: SessionId, groups: CallerGroups, at_least: AtLeast = 0) -> list[MemoryView]:
        await memories.require(session_id, at_least=at_least)
        return [*memory_responses.memory_views(await memories.list_taught_by(session_id, groups))]

    @router.get(
        "/sessions/{session_id}/injected-memories",
        summary="What the agents of the session began with",
        responses=describe_answers("The memories that are still there, in the order of their numbers.", READING_ONE),
    )
    async def list_given(session_id: SessionId, groups: CallerGroups, at_least: AtLeast = 0) -> list[InjectedMemory]:
        await memories.require(session_id, at_least=at_least)
        return [*memory_responses.to_injected(await memories.list_given_to(session_id, groups))]

    @router.get(
        "/sessions/{session_id}/similar",
        summary="Sessions of the same alert or workload, or with close words",
        responses=describe_answers("At most ten, the most similar first.", READING_ONE),
    )
    async def list_similar(session_id: SessionId, groups: CallerGroups, at_least: AtLeast = 0) -> SimilarSessions:
        await memories.require(session_id, at_least=at_least)
        return memory_responses.similar_sessions(await memories.similar(session_id, groups))

    return router


def recall_routes(memories: MemoryQueries) -> APIRouter:
    """Only of sessions that all readers of the asking session see."""
    router = APIRouter(prefix="/internal/v1", include_in_schema=False)

    @router.post("/recall")
    async def recall(asked: AskedRecall) -> RecalledMemories:
        return await memories.recall(asked.query, asked.context, asked.limit)

    @router.post("/past-sessions")
    async def search_past_sessions(asked: AskedPast) -> EarlierSessions:
        return await memories.past_sessions(asked)

    return router


async def find_memory(memories: MemoryQueries, memory_id: str, groups: CallerGroups) -> Row:
    """Raises ProblemError, also for a memory of a session that the caller does not see."""
    found = await memories.find([memory_id], groups)
    if not found:
        raise ProblemError(404, "Not Found", "there is no such memory")
    return found[0]
