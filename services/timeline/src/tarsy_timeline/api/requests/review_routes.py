"""The API for people and the page: reviews of finished investigations, one or several at once, and their history."""

import asyncio
from collections.abc import Callable, Collection, Sequence

from fastapi import APIRouter, Request, Response
from fastapi.routing import APIRoute

from tarsy_contracts.api.requests import SessionRequestGranted
from tarsy_contracts.api.reviews import (
    BulkReviewOrder,
    BulkReviewResults,
    ReviewActivity,
    ReviewHistory,
    ReviewOrder,
    ReviewResult,
)
from tarsy_contracts.messages.inputs import ReviewRequested
from tarsy_contracts.wire.envelope import wire_time
from tarsy_masking.masker import Masker
from tarsy_service.http.bounded_routes import create_bounded_route
from tarsy_service.http.described_routes import INVALID, OTHER_BODY, describe_answers, describe_headers
from tarsy_service.http.problems import ProblemError
from tarsy_timeline.api.caller_groups import CallerGroups
from tarsy_timeline.api.requests.request_handler import RequestHandler
from tarsy_timeline.api.requests.request_routes import PENDING
from tarsy_timeline.api.requests.session_commands import SessionCommands
from tarsy_timeline.api.route_words import NO_DATABASE, READING, REPEATED, TAKEN_IN, UNKNOWN, UNKNOWN_TO_OWNER
from tarsy_timeline.api.session_routes import SessionId
from tarsy_timeline.queries.session_queries import SessionQueries
from tarsy_timeline.queries.session_reads import no_session
from tarsy_timeline.rows.session_rows import Row

BODY_LIMIT_BYTES = 256 * 1024
REVIEW = "review"
DONE = "It is on record."


async def compose_request(masker: Masker, session_id: str, order: ReviewOrder) -> Callable[[str, str], ReviewRequested]:
    """Returns how the request is made of its id and its author; what the person wrote is masked."""

    def masked() -> tuple[str, str, str]:
        mask = masker.for_session(session_id).mask
        return mask(order.assignee), mask(order.cause), mask(order.note)

    assignee, cause, note = await asyncio.to_thread(masked)

    def message(id: str, author: str) -> ReviewRequested:
        return ReviewRequested(
            request_id=id,
            author=author,
            action=order.action,
            expected_status=order.expected_status,
            assignee=assignee,
            rating=order.rating,
            cause=cause,
            note=note,
        )

    return message


class SeveralReviews:
    """The same act on several sessions at once. Their owners decide one by one."""

    def __init__(self, handler: RequestHandler, masker: Masker) -> None:
        self._handler = handler
        self._masker = masker

    async def ask(self, request: Request, order: BulkReviewOrder, seen: Collection[str]) -> BulkReviewResults:
        """`seen`: the sessions that the caller may see; others are not found."""
        acts = (self._ask_one(request, order, id, id in seen) for id in dict.fromkeys(order.session_ids))
        return BulkReviewResults(results=tuple(await asyncio.gather(*acts)))

    async def _ask_one(self, request: Request, order: ReviewOrder, session_id: str, visible: bool) -> ReviewResult:
        try:
            if not visible:
                raise no_session(session_id)
            message = await compose_request(self._masker, session_id, order)
            _, answer = await self._handler.submit(REVIEW, session_id, request, message)
        except ProblemError as problem:
            return ReviewResult(session_id=session_id, success=False, code=problem.status, error=problem.detail)
        if answer is None:
            return ReviewResult(session_id=session_id, success=False, code=202, error=TAKEN_IN)
        return ReviewResult(session_id=session_id, success=True, code=200)


def review_routes(
    queries: SessionQueries, commands: SessionCommands, masker: Masker, route: type[APIRoute] = APIRoute
) -> APIRouter:
    router = APIRouter(
        prefix="/api/v1/sessions", tags=["reviews"], route_class=create_bounded_route(BODY_LIMIT_BYTES, route)
    )
    handler = RequestHandler(commands, masker)

    several = SeveralReviews(handler, masker)

    @router.post(
        "/{session_id}/review",
        response_model=SessionRequestGranted,
        summary="Claim, complete or otherwise change the review of a session",
        responses=describe_answers(
            {200: "It is on record.", 202: TAKEN_IN},
            {
                400: INVALID,
                404: UNKNOWN_TO_OWNER,
                409: "Somebody else was first, or it makes no sense now: `detail` says who and why.",
                503: "The request may not have been written: repeat it with the same Idempotency-Key.",
                **OTHER_BODY,
            },
            models=PENDING,
        ),
        openapi_extra=describe_headers(REPEATED),
    )
    async def review(session_id: SessionId, request: Request, order: ReviewOrder) -> Response:
        """200, 404 or 409 is the decision of the session's owner. An act that changes nothing is granted."""
        return await handler.ask(REVIEW, session_id, request, await compose_request(masker, session_id, order), DONE)

    @router.patch(
        "/review",
        summary="The same act on the reviews of several sessions",
        responses=describe_answers("What became of each, in their order.", READING),
        openapi_extra=describe_headers(REPEATED),
    )
    async def review_several(request: Request, order: BulkReviewOrder, groups: CallerGroups) -> BulkReviewResults:
        """Each session's owner decides for itself: some may be granted, and others refused."""
        ids = order.session_ids
        seen = ids if groups is None else (await queries.visibility(ids, groups)).visible
        return await several.ask(request, order, seen)

    @router.get(
        "/{session_id}/review-activity",
        summary="What people did about the review of a session",
        responses=describe_answers("Their acts, the first one first.", {400: INVALID, 404: UNKNOWN, 503: NO_DATABASE}),
    )
    async def list_review_activity(session_id: SessionId) -> ReviewHistory:
        """Nothing of it is ever changed: opening a review again is one more act."""
        return _to_history(await queries.reviews(session_id))

    return router


def _to_history(rows: Sequence[Row]) -> ReviewHistory:
    return ReviewHistory(activities=tuple(map(_to_activity, rows)))


def _to_activity(row: Row) -> ReviewActivity:
    return ReviewActivity(
        id=f"{row['session_id']}/{row['number']}",
        number=row["number"],
        actor=row["author"],
        action=row["action"],
        from_status=row["from_status"],
        to_status=row["to_status"],
        assignee=row["assignee"] or None,
        rating=row["rating"] or None,
        cause=row["cause"] or None,
        note=row["note"] or None,
        created_at=wire_time(row["at"]),
    )
