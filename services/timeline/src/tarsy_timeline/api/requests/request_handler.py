"""HTTP handler of people's requests: the owner's answer becomes one over HTTP."""

from collections.abc import Callable

from fastapi import Request, Response
from pydantic import BaseModel, ConfigDict, Field

from tarsy_bus.tracing import HEADER
from tarsy_contracts.api.model import ApiModel
from tarsy_contracts.api.requests import SessionRequestGranted, SessionRequestPending
from tarsy_contracts.messages.control import RequestAnswered
from tarsy_masking.masker import Masker
from tarsy_service.access.caller import Caller, KeyedBodies, caller_of
from tarsy_service.http.base_path import base_path_of
from tarsy_service.http.problems import ProblemError
from tarsy_timeline.api.requests.session_commands import PersonRequest, SessionCommands, request_id

LONGEST_REASON = 1_000
BODY_LIMIT_BYTES = 1_500_000
"""The longest question has 1.2 MB where each of its characters is escaped as a surrogate pair."""


class Reason(BaseModel):
    """Why a session is ended; people read it as the session's error."""

    model_config = ConfigDict(frozen=True)

    reason: str = Field(min_length=1, max_length=LONGEST_REASON)


class RequestHandler:
    def __init__(self, commands: SessionCommands, masker: Masker) -> None:
        self._commands = commands
        self._masker = masker
        self._bodies = KeyedBodies()

    async def ask(
        self,
        kind: str,
        session_id: str,
        request: Request,
        message: Callable[[str, str], PersonRequest],
        done: str,
    ) -> Response:
        """200, 404 or 409 is the decision of the session's owner. 202: the owner has not answered yet. 422: the same
        key was used with another body.

        `message` is made of the request's id and its author.
        """
        requested, answer = await self.submit(kind, session_id, request, message)
        if answer is not None:
            return _json_response(
                SessionRequestGranted(session_id=session_id, request_id=requested, message=answer.reason or done)
            )
        location = f"{base_path_of(request.scope)}/api/v1/sessions/{session_id}/status"
        pending = SessionRequestPending(
            session_id=session_id,
            request_id=requested,
            message="The request was accepted, and is not answered yet.",
            location=location,
        )
        return _json_response(pending, status_code=202, headers={"Location": location})

    async def submit(
        self, kind: str, session_id: str, request: Request, message: Callable[[str, str], PersonRequest]
    ) -> tuple[str, RequestAnswered | None]:
        """Returns the request's id, and the owner's answer if it was accepted; None while there is none.

        Raises ProblemError for a refusal.
        """
        return await self.submit_for(caller_of(request), kind, session_id, message, cause=request.headers.get(HEADER))

    async def submit_for(
        self,
        who: Caller,
        kind: str,
        session_id: str,
        message: Callable[[str, str], PersonRequest],
        *,
        cause: str | None = None,
    ) -> tuple[str, RequestAnswered | None]:
        """The same for a caller whom no HTTP request names. `cause` is the caller's `traceparent`."""
        if self._masker.mask(session_id) != session_id:
            # It would be the key of a record, and in traces: what somebody pasted there is no session's id.
            raise ProblemError(404, "Not Found", "there is no such session")
        requested = request_id(kind, who, session_id)
        wanted = message(requested, who.author(self._masker.for_session(session_id).mask))
        self._bodies.check(requested, wanted.to_bytes())
        answer = await self._commands.ask(session_id, kind, wanted, cause=cause)
        return requested, answer


def _json_response(answer: ApiModel, *, status_code: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(answer.model_dump_json(), status_code, headers, media_type="application/json")
