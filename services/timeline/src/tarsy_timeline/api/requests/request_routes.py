"""The API for people and the page: what somebody wants of a session. Its owner decides."""

import asyncio
from collections.abc import Callable, Mapping

from fastapi import APIRouter, Request, Response
from fastapi.routing import APIRoute
from pydantic import BaseModel

from tarsy_contracts.api.requests import CancelRequest, SessionRequestGranted, SessionRequestPending
from tarsy_contracts.messages.inputs import (
    CancelRequested,
    SessionDeleteRequested,
    SessionFailRequested,
    SessionReleaseRequested,
)
from tarsy_masking.masker import Masker
from tarsy_service.http.bounded_routes import create_bounded_route
from tarsy_service.http.described_routes import INVALID, NOT_JSON, OTHER_BODY, describe_answers, describe_headers
from tarsy_timeline.api.requests.request_handler import BODY_LIMIT_BYTES, Reason, RequestHandler
from tarsy_timeline.api.requests.session_commands import SessionCommands
from tarsy_timeline.api.route_words import REPEAT, REPEATED, SET_ASIDE, TAKEN_IN, UNKNOWN_TO_OWNER
from tarsy_timeline.api.session_routes import SessionId

PENDING: Mapping[int, type[BaseModel]] = {202: SessionRequestPending}
NO_REASON = CancelRequest()


def request_routes(commands: SessionCommands, masker: Masker, route: type[APIRoute] = APIRoute) -> APIRouter:
    router = APIRouter(
        prefix="/api/v1/sessions", tags=["sessions"], route_class=create_bounded_route(BODY_LIMIT_BYTES, route)
    )
    handler = RequestHandler(commands, masker)

    @router.post(
        "/{session_id}/cancel",
        response_model=SessionRequestGranted,
        summary="Cancel a session",
        responses=describe_answers(
            {200: "The owner of the session has decided to cancel it.", 202: TAKEN_IN},
            {
                400: INVALID,
                404: UNKNOWN_TO_OWNER,
                409: "It has ended, or is being cancelled already. It is the owner who says so.",
                503: REPEAT,
                **NOT_JSON,
            },
            models=PENDING,
        ),
        openapi_extra=describe_headers(REPEATED),
    )
    async def cancel(session_id: SessionId, request: Request, why: CancelRequest = NO_REASON) -> Response:
        """200, 404 or 409 is the decision of the session's owner; 202 says that it has not answered yet."""
        comment = await asyncio.to_thread(masker.for_session(session_id).mask, why.reason)

        def message(id: str, author: str) -> CancelRequested:
            return CancelRequested(request_id=id, author=author, comment=comment)

        return await handler.ask("cancel", session_id, request, message, "The session is being cancelled.")

    @router.delete(
        "/{session_id}",
        response_model=SessionRequestGranted,
        summary="Delete a session that has ended",
        responses=describe_answers(
            {200: "The owner of the session has deleted it: it is no longer shown.", 202: TAKEN_IN},
            {
                400: INVALID,
                404: UNKNOWN_TO_OWNER,
                409: "The session is not at rest. The owner has decided so.",
                422: "The same key was used with another request before.",
                503: "The request may not have been written. Repeat it with the same key.",
                **NOT_JSON,
            },
            models=PENDING,
        ),
    )
    async def delete(session_id: SessionId, request: Request) -> Response:
        """Deletes a session that has ended: nothing shows it any more. One that runs is refused (409)."""

        def message(id: str, author: str) -> SessionDeleteRequested:
            return SessionDeleteRequested(request_id=id, author=author)

        return await handler.ask("delete", session_id, request, message, "The session is deleted.")

    @router.post(
        "/{session_id}/release",
        response_model=SessionRequestGranted,
        summary="Release a session that was set aside",
        responses=describe_answers(
            {200: "The owner has released it, with the inputs that waited.", 202: TAKEN_IN},
            SET_ASIDE,
            models=PENDING,
        ),
        openapi_extra=describe_headers(REPEATED),
    )
    async def release(session_id: SessionId, request: Request) -> Response:
        """Brings back a session that was set aside, with the inputs that wait, such as after an upgrade."""
        return await handler.ask(
            "release", session_id, request, _release_request_maker("release"), "The session goes on."
        )

    @router.post(
        "/{session_id}/retry",
        response_model=SessionRequestGranted,
        summary="Retry a session that was set aside; it does the same as release",
        responses=describe_answers(
            {200: "The owner has released it, with the inputs that waited.", 202: TAKEN_IN},
            SET_ASIDE,
            models=PENDING,
        ),
        openapi_extra=describe_headers(REPEATED),
    )
    async def retry(session_id: SessionId, request: Request) -> Response:
        """The same as release: what waits is decided once more."""
        return await handler.ask("retry", session_id, request, _release_request_maker("retry"), "The session goes on.")

    @router.post(
        "/{session_id}/fail",
        response_model=SessionRequestGranted,
        summary="End a session that was set aside; the inputs that wait go to the dead letters",
        responses=describe_answers(
            {200: "The owner has ended it.", 202: TAKEN_IN}, {**SET_ASIDE, **OTHER_BODY}, models=PENDING
        ),
        openapi_extra=describe_headers(REPEATED),
    )
    async def fail(session_id: SessionId, request: Request, why: Reason) -> Response:
        """Ends a session that was set aside. The inputs that wait go to the dead letters."""
        reason = masker.for_session(session_id).mask(why.reason)

        def message(id: str, author: str) -> SessionFailRequested:
            return SessionFailRequested(request_id=id, author=author, reason=reason)

        return await handler.ask("fail", session_id, request, message, "The session has been ended.")

    return router


def _release_request_maker(word: str) -> Callable[[str, str], SessionReleaseRequested]:
    return lambda id, author: SessionReleaseRequested(request_id=id, author=author, request=word)
