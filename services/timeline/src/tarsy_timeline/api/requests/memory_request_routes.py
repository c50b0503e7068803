"""The API for people and the page: a memory is changed, locked or forgotten."""

import asyncio

from fastapi import APIRouter, Request, Response
from fastapi.routing import APIRoute

from tarsy_contracts.api.memories import MemoryEdit
from tarsy_contracts.memory import MOST_CHARACTERS, MemoryChange
from tarsy_contracts.messages.inputs import MemoryChangeRequested
from tarsy_masking.masker import Masker
from tarsy_service.http.bounded_routes import create_bounded_route
from tarsy_service.http.described_routes import INVALID, OTHER_BODY, describe_answers, describe_headers
from tarsy_timeline.api.caller_groups import CallerGroups
from tarsy_timeline.api.memory_routes import NO_MEMORY, MemoryId, find_memory
from tarsy_timeline.api.requests.request_handler import RequestHandler
from tarsy_timeline.api.requests.request_routes import PENDING
from tarsy_timeline.api.requests.session_commands import SessionCommands
from tarsy_timeline.api.route_words import REPEAT, REPEATED
from tarsy_timeline.queries.memory_queries import MemoryQueries

BODY_LIMIT_BYTES = 64 * 1024
ANSWERS = describe_answers(
    {200: "It is done.", 202: "The request was taken in, and is not answered yet."},
    {400: INVALID, 404: f"{NO_MEMORY} It is the owner of its session who says so.", 503: REPEAT, **OTHER_BODY},
    models=PENDING,
)


def memory_request_routes(
    memories: MemoryQueries, commands: SessionCommands, masker: Masker, route: type[APIRoute] = APIRoute
) -> APIRouter:
    router = APIRouter(prefix="/api/v1", tags=["memories"], route_class=create_bounded_route(BODY_LIMIT_BYTES, route))
    handler = RequestHandler(commands, masker)

    @router.patch(
        "/memories/{memory_id}",
        summary="Change or lock a memory",
        responses=ANSWERS,
        openapi_extra=describe_headers(REPEATED),
    )
    async def edit(memory_id: MemoryId, request: Request, wanted: MemoryEdit, groups: CallerGroups) -> Response:
        """Fields that are left out stay. A memory that is `locked` changes by people alone; one that is `deprecated` is
        given to nobody. The owner of its session decides."""
        session_id = (await find_memory(memories, memory_id, groups))["session_id"]
        text = wanted.content
        if text is not None:
            text = await asyncio.to_thread(masker.for_session(session_id).mask, text)
        values = wanted.model_dump(exclude={"content"}) | {"text": None if text is None else text[:MOST_CHARACTERS]}
        change = MemoryChange.model_validate(values)

        def message(id: str, author: str) -> MemoryChangeRequested:
            return MemoryChangeRequested(request_id=id, author=author, memory_id=memory_id, act="edit", change=change)

        return await handler.ask(f"edit/{memory_id}", session_id, request, message, "The memory is changed.")

    @router.delete(
        "/memories/{memory_id}",
        summary="Have a memory forgotten",
        responses=ANSWERS,
        openapi_extra=describe_headers(REPEATED),
    )
    async def forget(memory_id: MemoryId, request: Request, groups: CallerGroups) -> Response:
        """Nobody is given it or shown it any longer. Prompts that it was in stay on the log of their sessions."""
        session_id = (await find_memory(memories, memory_id, groups))["session_id"]

        def message(id: str, author: str) -> MemoryChangeRequested:
            return MemoryChangeRequested(request_id=id, author=author, memory_id=memory_id, act="forget")

        return await handler.ask(f"forget/{memory_id}", session_id, request, message, "The memory is forgotten.")

    return router
