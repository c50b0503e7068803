"""The API for people and the page: calls that wait for a person, and what he decides."""

import asyncio
from collections.abc import Sequence

from fastapi import APIRouter, Request, Response
from fastapi.routing import APIRoute

from tarsy_contracts.api.approvals import ApprovalDecision, ApprovalList, WaitingApproval
from tarsy_contracts.api.requests import SessionRequestGranted
from tarsy_contracts.messages.inputs import CallDecisionRequested
from tarsy_contracts.wire.envelope import wire_time
from tarsy_masking.masker import Masker
from tarsy_service.access.caller import identity_of
from tarsy_service.http.bounded_routes import create_bounded_route
from tarsy_service.http.described_routes import INVALID, OTHER_BODY, describe_answers, describe_headers
from tarsy_timeline.api.caller_groups import CallerGroups
from tarsy_timeline.api.requests.request_handler import RequestHandler
from tarsy_timeline.api.requests.request_routes import PENDING
from tarsy_timeline.api.requests.session_commands import SessionCommands
from tarsy_timeline.api.route_words import NO_DATABASE, READING, REPEATED, UNKNOWN
from tarsy_timeline.api.session_routes import SessionId
from tarsy_timeline.queries.session_queries import SessionQueries
from tarsy_timeline.rows.session_rows import Row

MOST_LISTED = 1_000
BODY_LIMIT_BYTES = 64 * 1024
DONE = {"approve": "The call is approved.", "deny": "The call is denied."}


def approval_routes(
    queries: SessionQueries, commands: SessionCommands, masker: Masker, route: type[APIRoute] = APIRoute
) -> APIRouter:
    router = APIRouter(prefix="/api/v1", tags=["approvals"], route_class=create_bounded_route(BODY_LIMIT_BYTES, route))
    handler = RequestHandler(commands, masker)

    @router.get(
        "/approvals",
        summary="The tool calls that await approval",
        responses=describe_answers("The calls, those that expire first at the front.", READING),
    )
    async def list_approvals(groups: CallerGroups) -> ApprovalList:
        """The calls of all sessions that wait for a person."""
        return _to_approval_list(await queries.approvals(None, MOST_LISTED, groups))

    @router.get(
        "/sessions/{session_id}/approvals",
        summary="The tool calls of a session that await approval",
        responses=describe_answers(
            "The calls, those that expire first at the front.", {400: INVALID, 404: UNKNOWN, 503: NO_DATABASE}
        ),
    )
    async def list_session_approvals(session_id: SessionId) -> ApprovalList:
        """The calls of a session that wait for a person. 404: there is no such session."""
        return _to_approval_list(await queries.approvals(session_id, MOST_LISTED))

    @router.post(
        "/sessions/{session_id}/approvals/{call_id}",
        response_model=SessionRequestGranted,
        summary="Approve or deny a tool call that awaits approval",
        responses=describe_answers(
            {200: "It is decided so.", 202: "The request was accepted, and is not answered yet."},
            {
                400: INVALID,
                404: f"{UNKNOWN} Or no such call of it has asked for approval. It is the owner who says so.",
                409: "It was decided already, and how; or the session has ended. It is the owner who says so.",
                503: "The decision may not have been written: repeat it with the same Idempotency-Key.",
                **OTHER_BODY,
            },
            models=PENDING,
        ),
        openapi_extra=describe_headers(REPEATED),
    )
    async def decide(session_id: SessionId, call_id: SessionId, request: Request, wanted: ApprovalDecision) -> Response:
        """Approves or denies a call that waits. 200, 403, 404 or 409 is the decision of the session's owner: 409 names
        the decision on record, 403 the role that the call needs. 202 says that it has not answered yet."""
        identity = identity_of(request)
        role = None if identity is None else identity.role.label
        comment = await asyncio.to_thread(masker.for_session(session_id).mask, wanted.comment)

        def message(id: str, author: str) -> CallDecisionRequested:
            return CallDecisionRequested(
                request_id=id, author=author, call_id=call_id, decision=wanted.decision, comment=comment, role=role
            )

        return await handler.ask("decision", session_id, request, message, DONE[wanted.decision])

    return router


def _to_approval_list(rows: Sequence[Row]) -> ApprovalList:
    return ApprovalList(approvals=tuple(map(_to_waiting_approval, rows)), total_items=rows[0]["total"] if rows else 0)


def _to_waiting_approval(row: Row) -> WaitingApproval:
    about = row["metadata"]
    return WaitingApproval.model_validate(
        {
            **{name: about[name] for name in ("call_id", "server_name", "tool_name", "arguments", "reason")},
            **{name: about[name] for name in ("role", "on_timeout", "expires_at")},
            "session_id": row["session_id"],
            "session_title": row["title"],
            "agent_name": row["agent_name"],
            "requested_at": wire_time(row["created_at"]),
            "dry_run": row["dry_run"],
            "dry_run_status": row["dry_run_status"],
        }
    )
