"""The API for people and the page: scores of finished investigations, and the wish for another one."""

from fastapi import APIRouter, Request
from fastapi.routing import APIRoute

from tarsy_contracts.api.scores import ScoreTaken, SessionScores
from tarsy_contracts.messages.inputs import ScoreRequested
from tarsy_masking.masker import Masker
from tarsy_service.http.described_routes import INVALID, describe_answers, describe_headers
from tarsy_service.http.problems import ProblemError
from tarsy_timeline.api.requests.request_handler import RequestHandler
from tarsy_timeline.api.requests.session_commands import SessionCommands
from tarsy_timeline.api.route_words import NO_DATABASE, REPEAT, REPEATED, UNKNOWN, UNKNOWN_TO_OWNER
from tarsy_timeline.api.session_routes import SessionId
from tarsy_timeline.queries.score_responses import session_scores
from tarsy_timeline.queries.session_queries import SessionQueries

SCORE = "score"


def score_routes(
    queries: SessionQueries, commands: SessionCommands, masker: Masker, route: type[APIRoute] = APIRoute
) -> APIRouter:
    router = APIRouter(prefix="/api/v1/sessions", tags=["scores"], route_class=route)
    handler = RequestHandler(commands, masker)

    @router.get(
        "/{session_id}/score",
        summary="The latest score of a session, and those before it",
        responses=describe_answers(
            "The scores.", {400: INVALID, 404: f"{UNKNOWN} Or nobody has judged it.", 503: NO_DATABASE}
        ),
    )
    async def get_score(session_id: SessionId) -> SessionScores:
        """Each run of the judge is on record, also those that failed."""
        rows = await queries.scores(session_id)
        if not rows:
            raise ProblemError(404, "Not found", f"Nobody has judged session {session_id}.")
        return session_scores(rows)

    @router.post(
        "/{session_id}/score",
        status_code=202,
        summary="Judge a finished investigation, also once more",
        responses=describe_answers(
            {202: "It is judged in a moment."},
            {
                400: INVALID,
                404: UNKNOWN_TO_OWNER,
                409: "It cannot be judged now; `detail` says why. It is the owner who says so.",
                503: REPEAT,
            },
        ),
        openapi_extra=describe_headers(REPEATED),
    )
    async def score(session_id: SessionId, request: Request) -> ScoreTaken:
        """Earlier scores stay on record. 404 or 409 is the decision of the session's owner."""

        def message(id: str, author: str) -> ScoreRequested:
            return ScoreRequested(request_id=id, author=author)

        requested, answer = await handler.submit(SCORE, session_id, request, message)
        return ScoreTaken(score_id=requested, session_id=session_id, request_id=requested, accepted=answer is not None)

    return router
