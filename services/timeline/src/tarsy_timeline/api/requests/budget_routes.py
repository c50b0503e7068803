"""The API for people and the page: a budget is extended, or its agents conclude."""

import asyncio

from fastapi import APIRouter, Request, Response
from fastapi.routing import APIRoute

from tarsy_contracts.api.budgets import BudgetDecision
from tarsy_contracts.budgets import Amounts
from tarsy_contracts.messages.inputs import BudgetDecisionRequested
from tarsy_masking.masker import Masker
from tarsy_service.access.caller import identity_of
from tarsy_service.http.bounded_routes import create_bounded_route
from tarsy_service.http.described_routes import INVALID, OTHER_BODY, describe_answers, describe_headers
from tarsy_timeline.api.requests.request_handler import RequestHandler
from tarsy_timeline.api.requests.request_routes import PENDING
from tarsy_timeline.api.requests.session_commands import SessionCommands
from tarsy_timeline.api.route_words import REPEATED, UNKNOWN
from tarsy_timeline.api.session_routes import SessionId

BODY_LIMIT_BYTES = 64 * 1024
DONE = {"extend": "The budget is extended.", "conclude": "The agents conclude."}


def budget_routes(commands: SessionCommands, masker: Masker, route: type[APIRoute] = APIRoute) -> APIRouter:
    router = APIRouter(prefix="/api/v1", tags=["budgets"], route_class=create_bounded_route(BODY_LIMIT_BYTES, route))
    handler = RequestHandler(commands, masker)

    @router.post(
        "/sessions/{session_id}/budget",
        summary="Extend a budget of a session, or let its agents conclude",
        responses=describe_answers(
            {200: "It is decided so.", 202: "The request was accepted, and is not answered yet."},
            {
                400: INVALID,
                404: f"{UNKNOWN} Or it has no such budget. It is the owner who says so.",
                409: "The budget does not wait, or this would not be enough. It is the owner who says so.",
                503: "The decision may not have been written: repeat it with the same Idempotency-Key.",
                **OTHER_BODY,
            },
            models=PENDING,
        ),
        openapi_extra=describe_headers(REPEATED),
    )
    async def decide(session_id: SessionId, request: Request, wanted: BudgetDecision) -> Response:
        """Extends a budget by amounts of what it limits, also before it is used up and after the session has ended; or
        ends the wait for somebody who extends it. The session's owner decides: 403 names the role that it needs."""
        identity = identity_of(request)
        role = None if identity is None else identity.role.label
        comment = await asyncio.to_thread(masker.for_session(session_id).mask, wanted.comment)
        amounts = Amounts.model_validate(wanted.model_dump(include=set(Amounts.model_fields)))

        def message(id: str, author: str) -> BudgetDecisionRequested:
            return BudgetDecisionRequested(
                request_id=id,
                author=author,
                budget_id=wanted.budget_id,
                decision=wanted.decision,
                extension=amounts,
                comment=comment,
                role=role,
            )

        return await handler.ask("budget", session_id, request, message, DONE[wanted.decision])

    return router
