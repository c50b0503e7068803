"""The API for people and the page: what there is to read."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Path, Query, Response
from fastapi.routing import APIRoute

from tarsy_contracts.api.reviews import TriagePage
from tarsy_contracts.api.session_lists import ActiveSessions, FilterOptions, SessionList
from tarsy_contracts.api.sessions import SessionDetail, SessionState
from tarsy_contracts.api.timeline import TimelineEvent
from tarsy_service.http.described_routes import describe_answers
from tarsy_timeline.api.caller_groups import CallerGroups
from tarsy_timeline.api.route_words import LAST_NUMBER, READING, READING_ONE
from tarsy_timeline.queries import list_responses, responses
from tarsy_timeline.queries.session_filter import SessionFilterQuery, TriageGroup
from tarsy_timeline.queries.session_queries import SessionQueries

LAST_NUMBER_HEADER = "TARSy-Last-Number"

type SessionId = Annotated[str, Path(max_length=200, pattern=r"^[A-Za-z0-9._-]+$")]
type AtLeast = Annotated[int, Query(ge=0, le=2**62, description="an event's number that the answer has to reach")]


def session_routes(queries: SessionQueries, route: type[APIRoute] = APIRoute) -> APIRouter:
    """Reads of one session wait a few seconds until the event number `at_least` is in the answer, then answer 503.

    The header and `last_number` are the number of the event that the answer has reached.
    """
    router = APIRouter(prefix="/api/v1/sessions", tags=["sessions"], route_class=route)

    @router.get(
        "",
        summary="List sessions, or search for some, a page at a time",
        responses=describe_answers("The sessions of the page, and how many there are.", READING),
    )
    async def list_sessions(wanted: SessionFilterQuery, groups: CallerGroups) -> SessionList:
        found = await queries.sessions(wanted, groups)
        # In a thread: a page of matches may be some megabytes of text.
        return await asyncio.to_thread(list_responses.session_list, wanted, found)

    @router.get(
        "/triage/{group}",
        summary="A page of one group of the review board",
        responses=describe_answers("The sessions of the page, and how many there are.", READING),
    )
    async def list_triage(group: TriageGroup, wanted: SessionFilterQuery, groups: CallerGroups) -> TriagePage:
        """The list of sessions, for Go TARSy's board: those that run, or those with this status of their review."""
        asked = wanted.of_group(group)
        found = await asyncio.to_thread(list_responses.session_list, asked, await queries.sessions(asked, groups))
        pages = found.pagination
        return TriagePage(
            count=pages.total_items,
            page=pages.page,
            page_size=pages.page_size,
            total_pages=pages.total_pages,
            sessions=found.sessions,
        )

    @router.get(
        "/active",
        summary="The sessions that run, and those that are queued, in order",
        responses=describe_answers("Both lists, at most a thousand of each.", READING),
    )
    async def list_active(groups: CallerGroups) -> ActiveSessions:
        """Sessions that run, and those that wait for their turn: at most a thousand of each."""
        return list_responses.active_sessions(*await queries.active(groups))

    @router.get(
        "/filter-options",
        summary="What the list of sessions can be filtered by",
        responses=describe_answers("The alert types and chains of the sessions, and all statuses.", READING),
    )
    async def get_filter_options(groups: CallerGroups) -> FilterOptions:
        """Values to filter the list by: those that sessions have, and all statuses."""
        return list_responses.filter_options(await queries.options(groups))

    @router.get(
        "/{session_id}",
        summary="A session with its stages and executions",
        responses=describe_answers("The session.", READING_ONE, headers=LAST_NUMBER),
    )
    async def get_session(session_id: SessionId, response: Response, at_least: AtLeast = 0) -> SessionDetail:
        rows = await queries.detail(session_id, at_least=at_least)
        response.headers[LAST_NUMBER_HEADER] = str(rows.last_number)
        return responses.session_detail(rows)

    @router.get(
        "/{session_id}/status",
        summary="The progress of a session, and its outcome",
        responses=describe_answers("Its status.", READING_ONE, headers=LAST_NUMBER),
    )
    async def get_status(session_id: SessionId, response: Response, at_least: AtLeast = 0) -> SessionState:
        state = responses.session_state(await queries.session(session_id, at_least=at_least))
        response.headers[LAST_NUMBER_HEADER] = str(state.last_number)
        return state

    @router.get(
        "/{session_id}/timeline",
        summary="The timeline of a session, in order",
        responses=describe_answers("The timeline events.", READING_ONE, headers=LAST_NUMBER),
    )
    async def get_timeline(
        session_id: SessionId, response: Response, at_least: AtLeast = 0
    ) -> tuple[TimelineEvent, ...]:
        """In order."""
        rows = await queries.whole(session_id, at_least=at_least)
        response.headers[LAST_NUMBER_HEADER] = str(rows.last_number)
        return tuple(map(responses.timeline_event, rows.timeline))

    return router
