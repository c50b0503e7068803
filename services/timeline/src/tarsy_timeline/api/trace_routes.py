"""The API for people and the page: the record of a session, with what models and MCP servers were given."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Path, Response
from fastapi.routing import APIRoute

from tarsy_contracts.api.model import ApiModel
from tarsy_contracts.api.trace import LlmInteraction, McpInteraction, SessionTrace, TracedSkills
from tarsy_service.http.described_routes import describe_answers
from tarsy_timeline.api.route_words import LAST_NUMBER, READING_RECORD
from tarsy_timeline.api.session_routes import LAST_NUMBER_HEADER, AtLeast, SessionId
from tarsy_timeline.queries.session_queries import SessionQueries
from tarsy_timeline.record.session_record import SessionRecord
from tarsy_timeline.rows.record_place import RecordPlace

type InteractionId = Annotated[
    str, Path(max_length=200, pattern=r"^[A-Za-z0-9._-]+$", description="`id` of an interaction in the trace")
]


def trace_routes(queries: SessionQueries, record: SessionRecord, route: type[APIRoute] = APIRoute) -> APIRouter:
    """All routes wait for the event `at_least`, like other reads of a session. 410: the log no longer has all events of
    the session. 422: the session has too many events.
    """
    router = APIRouter(prefix="/api/v1/sessions/{session_id}/trace", tags=["sessions"], route_class=route)

    @router.get(
        "",
        response_model=SessionTrace,
        summary="The record of a session: its interactions with models and MCP servers, without their contents",
        responses=describe_answers("The interactions, by stage and execution.", READING_RECORD, headers=LAST_NUMBER),
    )
    async def get_trace(session_id: SessionId, at_least: AtLeast = 0) -> Response:
        """Interactions with models and MCP servers, by stage and execution, without their contents."""
        position = await queries.record_place(session_id, at_least=at_least)
        return await answer_of(await record.trace(position), position)

    @router.get(
        "/llm/{interaction_id}",
        response_model=LlmInteraction,
        summary="A question to a model: the exact conversation that was sent, the tools, and the answer",
        responses=describe_answers(
            "The question, and whether its digest is that of what was sent.", READING_RECORD, headers=LAST_NUMBER
        ),
    )
    async def get_llm_interaction(
        session_id: SessionId, interaction_id: InteractionId, at_least: AtLeast = 0
    ) -> Response:
        """A question to a model: the exact conversation that was sent, the tools that were offered, and the answer."""
        position = await queries.record_place(session_id, at_least=at_least)
        return await answer_of(await record.llm(position, interaction_id), position)

    @router.get(
        "/mcp/{interaction_id}",
        response_model=McpInteraction,
        summary="A call of a tool with its arguments and its answer, or the tools that an execution was offered",
        responses=describe_answers("The call, or the tools of one server.", READING_RECORD, headers=LAST_NUMBER),
    )
    async def get_mcp_interaction(
        session_id: SessionId, interaction_id: InteractionId, at_least: AtLeast = 0
    ) -> Response:
        """A call of a tool with its arguments and its masked answer, or the tools that an execution was offered."""
        position = await queries.record_place(session_id, at_least=at_least)
        return await answer_of(await record.mcp(position, interaction_id), position)

    @router.get(
        "/skills",
        response_model=TracedSkills,
        summary="The skills that a session began with: their texts, and which agents loaded them",
        responses=describe_answers("The skills, as they were then.", READING_RECORD, headers=LAST_NUMBER),
    )
    async def get_skills(session_id: SessionId, at_least: AtLeast = 0) -> Response:
        """The skills that a session began with, however they have changed since."""
        position = await queries.record_place(session_id, at_least=at_least)
        return await answer_of(await record.skills(position), position)

    return router


async def answer_of(found: ApiModel, position: RecordPlace) -> Response:
    """Written in a thread: a conversation may have megabytes."""
    body = await asyncio.to_thread(found.model_dump_json)
    return Response(body, media_type="application/json", headers={LAST_NUMBER_HEADER: str(position.last.number)})
