"""HTTP proxy: each request goes to an instance of its service, piece by piece in both directions."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from typing import Protocol

import httpx2
import structlog
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from tarsy_local.addresses import HOST
from tarsy_local.errors import LocalError
from tarsy_local.front_door.request_body import BODY_LIMIT_BYTES, BodyTooLargeError, ClientGoneError, RequestBody
from tarsy_service.http.problems import problem_response

log = structlog.get_logger(__name__)

WAIT_SECONDS = 5.0
"""For a service of which no instance answers: as long as one takes that is being started again."""
LOOK_SECONDS = 0.05
RETRY_AFTER_SECONDS = 2
MOST_CONNECTIONS = 1_000
TIMEOUT = httpx2.Timeout(60.0, connect=2.0, pool=2.0)
NOT_SENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)
HOP_BY_HOP = frozenset(
    b"connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding "
    b"upgrade expect".split()
)
TRUSTED = frozenset(
    b"host origin referer authorization cookie forwarded x-real-ip idempotency-key traceparent tracestate".split()
)
TRUSTED_BEGINNINGS = (b"x-forwarded-", b"x-remote-", b"x-auth-", b"x-pagerduty-", b"sec-", b"content-", b"ce-")
"""Headers that services, or proxies before us, judge requests by. They are never hop-by-hop."""

type HttpHeaders = list[tuple[bytes, bytes]]
type CountAnswer = Callable[[str, int], None]


class Upstreams(Protocol):
    """Instances that can be asked now. `stopping`: none of them comes back."""

    stopping: bool

    def ready(self, service: str) -> Sequence[int]: ...


class NoInstanceError(LocalError):
    """No instance took the request: nothing was sent, or nothing that does harm twice. The caller sends it again."""


PROBLEMS = (NoInstanceError, BodyTooLargeError, httpx2.InvalidURL, httpx2.TransportError)


class HttpProxy:
    """No connection is kept: one that its instance has left would be noticed only after something was sent."""

    def __init__(self, upstreams: Upstreams, counted: CountAnswer, *, wait_seconds: float = WAIT_SECONDS) -> None:
        self._upstreams = upstreams
        self._counted = counted
        self._wait_seconds = wait_seconds
        self._turn = 0
        limits = httpx2.Limits(max_connections=MOST_CONNECTIONS, max_keepalive_connections=0)
        # To our own processes, by plain HTTP: reading all certificates would take 20 ms.
        self._transport = httpx2.AsyncHTTPTransport(limits=limits, trust_env=False, verify=False)

    @asynccontextmanager
    async def running(self) -> AsyncIterator["HttpProxy"]:
        async with self._transport:
            yield self

    async def tries(self, service: str) -> AsyncIterator[int]:
        """Ports to try, one after the other, beginning with another one each time. Raises NoInstanceError."""
        limit = time.monotonic() + self._wait_seconds
        while True:
            ports = self._upstreams.ready(service)
            self._turn += 1
            for step in range(len(ports)):
                yield ports[(self._turn + step) % len(ports)]
            if self._upstreams.stopping or time.monotonic() > limit:
                raise NoInstanceError
            await asyncio.sleep(LOOK_SECONDS)

    async def http(self, service: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Returns when the answer was sent, or the client is gone."""
        body = RequestBody(scope, receive)
        answering = asyncio.create_task(self._answer_request(service, scope, body, send))
        leaving = asyncio.create_task(body.wait_until_gone())
        try:
            await asyncio.wait([answering, leaving], return_when=asyncio.FIRST_COMPLETED)
            if answering.done():
                await answering
        finally:
            for task in (answering, leaving):
                task.cancel()
            await asyncio.wait([answering, leaving])

    async def _answer_request(self, service: str, scope: Scope, body: RequestBody, send: Send) -> None:
        try:
            answer = await self._ask_until_one_answers(service, scope, body)
        except ClientGoneError:
            return
        except PROBLEMS as failed:
            problem = _problem_response(service, failed)
            log.warning("request.not_passed", service=service, status=problem.status_code, reason=repr(failed))
            self._counted(service, problem.status_code)
            await problem(scope, _receive_disconnect, send)
            return
        self._counted(service, answer.status_code)
        try:
            await _relay_response(service, answer, send)
        finally:
            await answer.aclose()

    async def _ask_until_one_answers(self, service: str, scope: Scope, body: RequestBody) -> httpx2.Response:
        await body.read_ahead()
        repeatable = scope["method"] in ("GET", "HEAD", "OPTIONS") and not body.expected
        async for port in self.tries(service):
            try:
                return await self._transport.handle_async_request(_build_request(scope, port, body))
            except NOT_SENT:
                continue
            except (httpx2.NetworkError, httpx2.RemoteProtocolError):
                if not repeatable:
                    raise
        raise NoInstanceError


async def _relay_response(service: str, answer: httpx2.Response, send: Send) -> None:
    headers = _without_hops(answer.headers.raw)
    await send({"type": "http.response.start", "status": answer.status_code, "headers": headers})
    try:
        async for piece in answer.aiter_raw():
            await send({"type": "http.response.body", "body": piece, "more_body": True})
    except httpx2.TransportError as problem:
        # Without an end, so that the connection is cut: half an answer must not look like a whole one.
        log.warning("answer.cut", service=service, reason=repr(problem))
        return
    await send({"type": "http.response.body", "body": b""})


def _build_request(scope: Scope, port: int, body: RequestBody) -> httpx2.Request:
    path = scope["raw_path"] + (b"?" + scope["query_string"] if scope["query_string"] else b"")
    return httpx2.Request(
        scope["method"],
        httpx2.URL(f"http://{HOST}:{port}").copy_with(raw_path=path),
        headers=_without_hops(scope["headers"], b"x-forwarded-for") + forward_headers(scope),
        content=body.pieces() if body.expected else None,
        extensions={"timeout": TIMEOUT.as_dict()},
    )


def forward_headers(scope: Scope) -> HttpHeaders:
    """Headers that say who asked, and how; a proxy before us has said it better."""
    given = {name for name, _ in scope["headers"]}
    before = [value for name, value in scope["headers"] if name == b"x-forwarded-for"]
    client = scope["client"][0].encode() if scope["client"] else b"unknown"
    own = {b"x-forwarded-proto": scope["scheme"].encode(), b"x-forwarded-host": host_of(scope)}
    kept = [(name, value) for name, value in own.items() if name not in given]
    return [(b"x-forwarded-for", b", ".join([*before, client])), *kept]


def host_of(scope: Scope) -> bytes:
    return next((value for name, value in scope["headers"] if name == b"host"), HOST.encode())


def _without_hops(headers: Sequence[tuple[bytes, bytes]], *also: bytes) -> HttpHeaders:
    """Headers for the next hop: without those of this one, which `Connection` may name."""
    named = b",".join(value for name, value in headers if name.lower() == b"connection")
    dropped = HOP_BY_HOP.union(also, (name for name in _split_header_names(named) if not _is_trusted(name)))
    return [(name, value) for name, value in headers if name.lower() not in dropped and not is_other_spelling(name)]


def _split_header_names(listed: bytes) -> Iterator[bytes]:
    return (name.strip().lower() for name in listed.split(b","))


def _is_trusted(name: bytes) -> bool:
    """A service acts by it: a client that names `X-Forwarded-User` in `Connection` does not lose its name so."""
    return name in TRUSTED or name.startswith(TRUSTED_BEGINNINGS)


def is_other_spelling(name: bytes) -> bool:
    """`X_Forwarded_User`: a server that reads names as CGI does takes it for the one that our proxies set."""
    return b"_" in name


def _problem_response(service: str, problem: Exception) -> Response:
    match problem:
        case NoInstanceError():
            return unavailable(service)
        case BodyTooLargeError():
            return problem_response(413, "Content too large", f"A body has at most {BODY_LIMIT_BYTES} bytes.")
        case httpx2.InvalidURL():
            return problem_response(400, "Bad request", "The address of the request is not one.")
        case httpx2.TimeoutException():
            return problem_response(504, "Gateway timeout", f"{service} did not answer in time.")
        case _:
            detail = f"{service} ended before it answered. What was asked may have been done: ask again as you did."
            return problem_response(502, "Bad gateway", detail)


def unavailable(service: str) -> Response:
    response = problem_response(503, "Service unavailable", f"No {service} answers now. Ask again in a moment.")
    response.headers["Retry-After"] = str(RETRY_AFTER_SECONDS)
    return response


async def _receive_disconnect() -> dict[str, str]:
    return {"type": "http.disconnect"}
