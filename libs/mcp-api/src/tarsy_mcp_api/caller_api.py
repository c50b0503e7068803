"""TARSy's HTTP API, as the caller of a tool may use it: each request has the caller's own credential."""

import asyncio
from collections.abc import Mapping
from urllib.parse import quote

import httpx2
import structlog
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel, JsonValue, TypeAdapter, ValidationError
from starlette.requests import Request

from tarsy_contracts.api.alerts import AlertAccepted
from tarsy_contracts.api.chat import ChatMessageSent
from tarsy_contracts.api.problems import ProblemDetails
from tarsy_contracts.api.session_lists import SessionList
from tarsy_contracts.api.sessions import SessionDetail, SessionState
from tarsy_contracts.api.timeline import TimelineEvent
from tarsy_egress.clients import inside_client
from tarsy_service.access.caller import AUTHOR_HEADERS, KEY_HEADER

log = structlog.get_logger(__name__)

ASK_SECONDS = 30.0
PASSED_ON = ("authorization", *AUTHOR_HEADERS, "traceparent", "tracestate")
"""Headers that say who asks, and in which trace."""
HERE = "http://localhost"
"""Where this process answers itself, without a connection."""

TIMELINE: TypeAdapter[tuple[TimelineEvent, ...]] = TypeAdapter(tuple[TimelineEvent, ...])

type Query = Mapping[str, str | int]


class CallerApi:
    """Rights, limits and the audit of a request are those of the API. Every method raises ToolError."""

    def __init__(self, request: Request, ingest_url: str) -> None:
        """`request`: that of the tool call. The app that it came to answers about sessions."""
        self._app = request.scope["app"]
        self._headers = {name: value for name in PASSED_ON if (value := request.headers.get(name)) is not None}
        self._ingest_url = ingest_url

    async def submit(self, alert: dict[str, JsonValue], key: str | None) -> AlertAccepted:
        ingest = inside_client(self._ingest_url, seconds=ASK_SECONDS)
        return _parse_answer(
            AlertAccepted, await self._send_request(ingest, "POST", "/api/v1/alerts", body=alert, key=key)
        )

    async def sessions(self, query: Query) -> SessionList:
        return _parse_answer(
            SessionList, await self._send_request(self._own_client(), "GET", "/api/v1/sessions", query=query)
        )

    async def session(self, session_id: str) -> SessionDetail:
        return _parse_answer(
            SessionDetail, await self._send_request(self._own_client(), "GET", _session_path(session_id))
        )

    async def state(self, session_id: str) -> SessionState:
        """Without alert and stages: it may be asked each second."""
        return _parse_answer(
            SessionState, await self._send_request(self._own_client(), "GET", f"{_session_path(session_id)}/status")
        )

    async def shows(self, session_id: str) -> bool:
        """False where there is no such session, or not yet."""
        answer = await self._send_request(self._own_client(), "GET", f"{_session_path(session_id)}/status")
        return answer.status_code != 404

    async def timeline(self, session_id: str) -> tuple[TimelineEvent, ...]:
        answer = await self._send_request(self._own_client(), "GET", f"{_session_path(session_id)}/timeline")
        # In a thread: it may be some megabytes.
        return await asyncio.to_thread(TIMELINE.validate_json, _require_success(answer).content)

    async def ask(self, session_id: str, question: str, key: str) -> ChatMessageSent:
        path, body = f"{_session_path(session_id)}/chat/messages", {"content": question}
        return _parse_answer(
            ChatMessageSent, await self._send_request(self._own_client(), "POST", path, body=body, key=key)
        )

    def _own_client(self) -> httpx2.AsyncClient:
        return httpx2.AsyncClient(transport=httpx2.ASGITransport(self._app), base_url=HERE)

    async def _send_request(
        self,
        client: httpx2.AsyncClient,
        method: str,
        path: str,
        *,
        query: Query | None = None,
        body: Mapping[str, JsonValue] | None = None,
        key: str | None = None,
    ) -> httpx2.Response:
        headers = self._headers if key is None else {**self._headers, KEY_HEADER: key}
        try:
            async with asyncio.timeout(ASK_SECONDS), client:
                return await client.request(method, path, params=query, json=body, headers=headers)
        except (httpx2.HTTPError, TimeoutError) as problem:
            log.warning("mcp_api.unavailable", path=path, reason=repr(problem))
            raise ToolError("TARSy does not answer now. Try again in a minute.") from problem


def _session_path(session_id: str) -> str:
    return f"/api/v1/sessions/{quote(session_id, safe='')}"


def _parse_answer[M: BaseModel](model: type[M], answer: httpx2.Response) -> M:
    return model.model_validate_json(_require_success(answer).content)


def _require_success(answer: httpx2.Response) -> httpx2.Response:
    """Raises ToolError for an answer that is a problem."""
    if answer.is_error:
        raise ToolError(_sentence_of(answer))
    return answer


def _sentence_of(answer: httpx2.Response) -> str:
    try:
        problem = ProblemDetails.model_validate_json(answer.content)
    except ValidationError:
        return f"TARSy answered with the status {answer.status_code}."
    mistakes = [f"{one.pointer or 'all'}: {one.detail}" for one in problem.errors]
    # A single mistake is the detail, too.
    return "\n".join(dict.fromkeys([problem.detail, *mistakes]))
