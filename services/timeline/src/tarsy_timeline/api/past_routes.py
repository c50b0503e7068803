"""The API for people and the page: a session as it was."""

from typing import Annotated

from fastapi import APIRouter, Path, Response
from fastapi.routing import APIRoute

from tarsy_contracts.api.timeline import PastSession
from tarsy_service.http.described_routes import describe_answers
from tarsy_timeline.api.route_words import LAST_NUMBER, READING_RECORD, UNKNOWN
from tarsy_timeline.api.session_routes import AtLeast, SessionId
from tarsy_timeline.api.trace_routes import answer_of
from tarsy_timeline.queries.session_queries import SessionQueries
from tarsy_timeline.record.session_record import SessionRecord

type EventNumber = Annotated[
    int, Path(ge=1, le=2**53, description="the number of an event of the session", examples=[42])
]


def past_routes(queries: SessionQueries, record: SessionRecord, route: type[APIRoute] = APIRoute) -> APIRouter:
    router = APIRouter(prefix="/api/v1/sessions/{session_id}/at", tags=["sessions"], route_class=route)

    @router.get(
        "/{number}",
        response_model=PastSession,
        summary="A session and its timeline as they were after one of its events",
        responses=describe_answers(
            "The session, its stages and executions, and its timeline.",
            {
                **READING_RECORD,
                404: f"{UNKNOWN} Or it has no event of this number, or an older version has projected it.",
            },
            headers=LAST_NUMBER,
        ),
    )
    async def get_past_session(session_id: SessionId, number: EventNumber, at_least: AtLeast = 0) -> Response:
        """The session and its timeline as they were after one of its events, made from its events on the log.

        The header has the number of the event that the projection has reached, not of the one that is shown.
        """
        position = await queries.record_place(session_id, at_least=at_least)
        return await answer_of(await record.past(position, number), position)

    return router
