"""Public HTTP routes that sum up: the numbers of a session, and the runbooks of all."""

from fastapi import APIRouter, Response
from fastapi.routing import APIRoute

from tarsy_contracts.api.sessions import ChainStatistics, SessionDetail, SessionStatistics
from tarsy_service.http.described_routes import describe_answers
from tarsy_timeline.api.caller_groups import CallerGroups
from tarsy_timeline.api.route_words import LAST_NUMBER, READING, READING_ONE
from tarsy_timeline.api.session_routes import LAST_NUMBER_HEADER, AtLeast, SessionId
from tarsy_timeline.queries import responses
from tarsy_timeline.queries.session_queries import SessionQueries


def summary_routes(queries: SessionQueries, route: type[APIRoute] = APIRoute) -> APIRouter:
    router = APIRouter(prefix="/api/v1", tags=["sessions"], route_class=route)

    @router.get(
        "/sessions/{session_id}/summary",
        summary="The numbers of a session",
        responses=describe_answers("Its interactions, tokens, stages and duration.", READING_ONE, headers=LAST_NUMBER),
    )
    async def get_summary(session_id: SessionId, response: Response, at_least: AtLeast = 0) -> SessionStatistics:
        rows = await queries.detail(session_id, at_least=at_least)
        response.headers[LAST_NUMBER_HEADER] = str(rows.last_number)
        return statistics_of(responses.session_detail(rows))

    @router.get(
        "/runbooks",
        summary="The runbooks that alerts have named",
        responses=describe_answers("Their addresses, the most recently named first.", READING),
    )
    async def list_runbooks(groups: CallerGroups) -> tuple[str, ...]:
        """Addresses of runbooks that alerts of the newest ten thousand sessions named, the newest first.

        Repositories are not asked: a runbook is fetched by the tool gateway only, as a call like any other.
        """
        return tuple(await queries.runbooks(groups))

    return router


def statistics_of(session: SessionDetail) -> SessionStatistics:
    return SessionStatistics(
        session_id=session.id,
        total_interactions=session.llm_interaction_count + session.mcp_interaction_count,
        llm_interactions=session.llm_interaction_count,
        mcp_interactions=session.mcp_interaction_count,
        input_tokens=session.input_tokens,
        output_tokens=session.output_tokens,
        total_tokens=session.total_tokens,
        estimated_cost_usd=session.estimated_cost_usd,
        cost_completeness=session.cost_completeness,
        unpriced_interaction_count=session.unpriced_interaction_count,
        total_duration_ms=session.duration_ms,
        chain_statistics=ChainStatistics(
            total_stages=session.total_stages,
            completed_stages=session.completed_stages,
            failed_stages=session.failed_stages,
            current_stage_index=session.current_stage_index,
        ),
        last_number=session.last_number,
    )
