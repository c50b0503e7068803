"""HTTP errors as JSON-RPC errors: each becomes the answer to its own request.

The SDK tells a caller nothing of an HTTP status, and lets a connection that breaks in one call end the whole session.
Here both become errors of JSON-RPC that say what is known (failures.py): whether the tool may have run.
"""

import asyncio
import json
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import httpx2

from tarsy_tool_gateway.mcp.direct_calls import CALL, DirectCalls
from tarsy_tool_gateway.mcp.failures import FailureKind
from tarsy_tool_gateway.mcp.gateway_errors import MOST_ANSWER_BYTES, gateway_error
from tarsy_tool_gateway.mcp.messages.json_reading import SMALL_BYTES, Raw, UnreadableError
from tarsy_tool_gateway.mcp.messages.listings import LISTING, MOST_LISTING_BYTES
from tarsy_tool_gateway.mcp.messages.own_answer import check_answer
from tarsy_tool_gateway.mcp.transports.bounded_answer import read_whole, with_content
from tarsy_tool_gateway.mcp.transports.checked_events import with_checked_events
from tarsy_tool_gateway.mcp.transports.server_stream import ServerStream
from tarsy_tool_gateway.results.bytes_in_flight import BytesInFlight, TooLongError
from tarsy_tool_gateway.results.text import truncate_at_space

MOST_ERROR_BYTES = 64 * 1024
MOST_SAID = 500
SHORT_SECONDS = 3.0
"""For what nobody waits for: a good-bye must not hold up the end of a session, nor a note the call after it."""

NOT_AUTHORIZED = "tarsy.not_authorized"
"""Extension of a response: why there is no token for its request."""
LOGIN_NEEDED = "tarsy.login_needed"
"""Extension of the same response: a person has to log in."""
SESSION = "mcp-session-id"
HANDSHAKE = ("server/discover", "initialize")
INITIALIZED = "notifications/initialized"
NOBODY = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
"""Such an answer comes from a guard before the server, whatever else it says."""


@dataclass(frozen=True, slots=True)
class RpcMessage:
    """The JSON-RPC message in a request. Nobody waits for an answer to a notification, or to an answer of ours."""

    id: str | int | None
    method: str | None

    @property
    def is_waited_for(self) -> bool:
        return self.id is not None and self.method is not None

    @property
    def checked(self) -> tuple[int, str] | None:
        """Its id and method, if its answer is checked here. How a session begins is the SDK's to judge."""
        match self:
            case RpcMessage(int() as id, str() as method) if method not in HANDSHAKE:
                return id, method
            case _:
                return None


class HttpErrorTransport(httpx2.AsyncBaseTransport):
    """`direct_calls` may have posted a call before: its answer is theirs."""

    def __init__(
        self,
        inner: httpx2.AsyncBaseTransport,
        server_stream: ServerStream,
        direct_calls: DirectCalls,
        in_flight: BytesInFlight | None = None,
    ) -> None:
        self._inner = inner
        self._server_stream = server_stream
        self._direct_calls = direct_calls
        self._in_flight = in_flight or BytesInFlight()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if request.method == "GET":
            with self._server_stream.opening():
                return await self._inner.handle_async_request(request)
        question = _read_question(request)
        if request.method == "DELETE" or (question is not None and not question.is_waited_for):
            request.extensions["timeout"] = {**request.extensions["timeout"], "read": SHORT_SECONDS}
        if question is None:
            return await self._inner.handle_async_request(request)
        if question.method == INITIALIZED and SESSION in request.headers:
            self._server_stream.expect()
            self._direct_calls.stop()
        if question.method == CALL:
            await self._server_stream.wait()
        try:
            return await self._check_response(request, question)
        except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout) as problem:
            # How a session begins is the SDK's to judge: an outage must not look like a server of an older era.
            if question.method in HANDSHAKE:
                raise
            return _error_response(question, "not_sent", f"no connection: {_describe_problem(problem)}")
        except (httpx2.TransportError, httpx2.DecodingError) as problem:
            if question.method in HANDSHAKE:
                raise
            return _error_response(
                question, "lost", f"the connection broke before it answered: {_describe_problem(problem)}"
            )

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def _check_response(self, request: httpx2.Request, question: RpcMessage) -> httpx2.Response:
        early = self._direct_calls.take(question.id)
        response = early.answer(request) if early is not None else await self._inner.handle_async_request(request)
        if response.status_code >= 400:
            return _refusal_response(question, request, response, await _read_beginning(response))
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind == "text/html" and question.method not in HANDSHAKE:
            # The page of a proxy, most likely. It says nothing of whether the tool ran.
            await response.aclose()
            return _error_response(question, "server_failed", "it answered with a web page")
        most = MOST_LISTING_BYTES if question.method == LISTING else MOST_ANSWER_BYTES
        if kind == "text/event-stream" and question.checked is not None:
            return with_checked_events(response, *question.checked, most_bytes=most)
        if kind != "application/json":
            return response
        try:
            with self._in_flight.answer() as held:
                return with_content(response, await _check_content(question, await read_whole(response, most, held)))
        except TooLongError as problem:
            return _error_response(question, "unreadable", f"it answered with {problem}")
        except UnreadableError as problem:
            return _error_response(question, "unreadable", str(problem))


async def _check_content(question: RpcMessage, content: bytes) -> Raw:
    """Raises UnreadableError."""
    if question.checked is None:
        return content
    if len(content) <= SMALL_BYTES:
        return check_answer(content, *question.checked)
    return await asyncio.to_thread(check_answer, content, *question.checked)


def _read_question(request: httpx2.Request) -> RpcMessage | None:
    if request.method != "POST":
        return None
    message = json.loads(request.content)
    return RpcMessage(message.get("id"), message.get("method"))


def kind_of_status(status: int, retry_after: str | None, *, session_denied: bool) -> FailureKind:
    """The kind of an HTTP status from 400 on. A 503 without Retry-After may come from a proxy, after the tool ran."""
    if session_denied:
        return "session_over"
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return "throttled"
    if status == HTTPStatus.SERVICE_UNAVAILABLE and retry_after is not None:
        return "throttled"
    return "server_failed" if status >= 500 else "refused"


def _refusal_response(
    question: RpcMessage, request: httpx2.Request, response: httpx2.Response, content: bytes
) -> httpx2.Response:
    status, retry_after = response.status_code, response.headers.get("retry-after")
    server_error = _error_in(content)
    denied = question.method not in HANDSHAKE and _denies_session(
        status, server_error, in_session=SESSION in request.headers
    )
    kind = kind_of_status(status, retry_after, session_denied=denied)
    if server_error is not None and kind in ("refused", "server_failed") and status not in NOBODY:
        return _rpc_error_response(question, server_error)
    reason = response.extensions.get(NOT_AUTHORIZED)
    message = f"it answered HTTP {status} {_status_phrase(status)}".rstrip() if reason is None else str(reason)
    if LOGIN_NEEDED in response.extensions:
        kind = "login_needed"
    return _rpc_error_response(question, gateway_error(kind, message, status=status, retry_after=retry_after))


def _denies_session(status: int, server_error: dict[str, Any] | None, *, in_session: bool) -> bool:
    """404, says the protocol; servers built on the examples of the TypeScript SDK say 400.

    A bare 404 outside of a session comes from a proxy in front of a server that is being replaced. No server took the
    request, and a retry may reach it. With words of the server's own it is an answer to what was asked.
    """
    if status == HTTPStatus.NOT_FOUND:
        return in_session or server_error is None
    about_it = server_error is not None and "session" in str(server_error.get("message", "")).lower()
    return in_session and status == HTTPStatus.BAD_REQUEST and about_it


def _error_in(content: bytes) -> dict[str, Any] | None:
    """The server's own error of JSON-RPC, if that is what it answered."""
    try:
        error = json.loads(content)["error"]
        return {"code": int(error["code"]), "message": str(error["message"]), "data": error.get("data")}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


async def _read_beginning(response: httpx2.Response) -> bytes:
    """Nothing when it is too long for an error, or breaks off: the status has been said all the same."""
    try:
        return await read_whole(response, MOST_ERROR_BYTES)
    except (TooLongError, httpx2.TransportError, httpx2.DecodingError):
        return b""


def _error_response(question: RpcMessage, kind: FailureKind, message: str) -> httpx2.Response:
    return _rpc_error_response(question, gateway_error(kind, message))


def _rpc_error_response(question: RpcMessage, error: dict[str, Any]) -> httpx2.Response:
    return httpx2.Response(HTTPStatus.BAD_GATEWAY, json={"jsonrpc": "2.0", "id": question.id, "error": error})


def _status_phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""


def _describe_problem(problem: Exception) -> str:
    return truncate_at_space(f"{type(problem).__name__}: {problem}".rstrip(": "), MOST_SAID)
