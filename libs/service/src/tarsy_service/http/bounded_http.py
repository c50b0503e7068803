"""HTTP/1.1 for untrusted clients: uvicorn's protocol with limits on time, memory and connections.

uvicorn waits for ever for the rest of a request, and keeps what was sent of it. Here a slow or broken sender costs
itself: its request ends with 408, 431 or 503, or without an answer, and nobody else notices.
"""

import asyncio
import resource
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import structlog
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from tarsy_service.http.request_parser import DeclinedOffer, RequestParser

log = structlog.get_logger(__name__)

type Refusal = Literal["slow_head", "large_head", "slow_body", "bodies", "connections", "broken_off"]
REFUSALS: tuple[Refusal, ...] = ("slow_head", "large_head", "slow_body", "bodies", "connections", "broken_off")
type Count = Callable[[Refusal], None]

RETRY_AFTER_SECONDS = 5
STATUS = {
    "slow_head": "408 Request Timeout",
    "slow_body": "408 Request Timeout",
    "large_head": "431 Request Header Fields Too Large",
    "bodies": "503 Service Unavailable",
    "connections": "503 Service Unavailable",
}


@dataclass(frozen=True, slots=True)
class HttpLimits:
    """Limits of one port. `body_seconds` and `head_seconds` run from the first byte to the last one.

    `bodies_bytes`: all bodies of requests that were not answered yet, together. WebSockets count for none of it.
    `websocket_bytes`: a longer message of a client ends its WebSocket with 1009.
    """

    head_seconds: float = 10.0
    head_bytes: int = 64 * 1024
    body_seconds: float = 60.0
    bodies_bytes: int = 64 * 1024 * 1024
    connections: int = 2_000
    websocket_bytes: int = 8 * 1024


class Traffic:
    """State that the connections of one port share."""

    def __init__(self, limits: HttpLimits, count: Count) -> None:
        self.limits = limits
        self.count = count
        self._connections: dict[BoundedHttp, None] = {}
        self._bodies: dict[RequestResponseCycle, _Body] = {}
        self._bytes = 0
        # Beside them there are files, Kafka and PostgreSQL.
        self._most = min(limits.connections, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2)

    @property
    def connections(self) -> int:
        return len(self._connections)

    @property
    def bytes_in_flight(self) -> int:
        return self._bytes

    def add_connection(self, connection: "BoundedHttp") -> None:
        """Above the limit the one goes that has kept us waiting for a request longest, or else the new one."""
        self._connections[connection] = None
        if len(self._connections) > self._most:
            idle = next((one for one in self._connections if one.is_idle), connection)
            idle.refuse("connections")

    def remove_connection(self, connection: "BoundedHttp") -> None:
        self._connections.pop(connection, None)

    def count_received(self, cycle: RequestResponseCycle, connection: "BoundedHttp", size: int) -> None:
        """Above the limit those go that have not sent all of theirs for longest: who is honest is soon through."""
        body = self._bodies.setdefault(cycle, _Body(connection))
        body.size += size
        self._bytes += size
        if self._bytes > self.limits.bodies_bytes:
            self._free_bytes(connection)

    def release(self, cycle: RequestResponseCycle) -> None:
        """The request was answered, or given up, and its body is nobody's any more."""
        body = self._bodies.pop(cycle, None)
        if body is not None:
            self._bytes -= body.size

    def _free_bytes(self, newest: "BoundedHttp") -> None:
        for cycle, body in list(self._bodies.items()):
            if self._bytes <= self.limits.bodies_bytes:
                return
            if cycle.more_body:
                self.release(cycle)
                body.connection.refuse("bodies")
        if self._bytes > self.limits.bodies_bytes:
            newest.refuse("bodies")


@dataclass(slots=True)
class _Body:
    connection: "BoundedHttp"
    size: int = 0


class BoundedHttp(HttpToolsProtocol):
    """One connection. A clock runs while a head or a body is under way; between requests uvicorn's own does."""

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
        *,
        traffic: Traffic,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self.parser = RequestParser(self, self._decline_offer)
        self._traffic = traffic
        self._clock: asyncio.TimerHandle | None = None
        self._head_bytes = 0
        self._in_body = False
        self._refused = False

    @property
    def is_idle(self) -> bool:
        """No request of it is being read or answered."""
        return not self._in_body and not self._is_answering()

    def refuse(self, why: Refusal) -> None:
        """Ends the connection, with an answer where none has begun."""
        self._stop_clock()
        if self.transport.is_closing():
            return
        if self.pipeline and why in ("slow_head", "slow_body"):
            # It waits for our answers to its earlier requests, and we do not read on meanwhile.
            self._start_clock(self._traffic.limits.body_seconds, why)
            return
        self._refused = True
        self._traffic.count(why)
        log.info("http.refused", reason=why)
        if not (self._is_answering() and self.cycle.response_started):
            self.transport.write(_empty_answer(STATUS[why]))
        self.transport.close()

    def app_for(self, cycle: RequestResponseCycle, app: ASGIApp) -> ASGIApp:
        """The application that answers the request of this cycle."""
        return app

    def stop_timers(self) -> None:
        """Ours, and uvicorn's own for a connection that waits for its next request."""
        self._stop_clock()
        # uvicorn stops it with the connection, and a passed one lives on in another process.
        self._unset_keepalive_if_required()

    # asyncio.Protocol

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn has it
        super().connection_made(transport)
        self._start_clock(self._traffic.limits.head_seconds, "slow_head")
        self._traffic.add_connection(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_clock()
        self._traffic.remove_connection(self)
        if self._in_body and not self._refused:
            self._traffic.count("broken_off")
        for cycle, _ in self.pipeline:
            self._traffic.release(cycle)  # no app will ever see it
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        if not self._in_body:
            self._head_bytes += len(data)
            if self._clock is None:
                self._start_clock(self._traffic.limits.head_seconds, "slow_head")
        super().data_received(data)
        if not self._in_body and self._head_bytes > self._traffic.limits.head_bytes:
            self.refuse("large_head")

    def handle_websocket_upgrade(self) -> None:
        self._stop_clock()
        self._traffic.remove_connection(self)
        super().handle_websocket_upgrade()

    # httptools

    def on_message_begin(self) -> None:
        super().on_message_begin()
        if self._clock is None:
            self._start_clock(self._traffic.limits.head_seconds, "slow_head")

    def on_headers_complete(self) -> None:
        if self._declines_offer():
            return  # the same request comes again, without it
        self._stop_clock()
        self._head_bytes = 0
        super().on_headers_complete()
        if self.parser.should_upgrade() and self._should_upgrade():
            return
        self._in_body = True
        self._start_clock(self._traffic.limits.body_seconds, "slow_body")

    def on_body(self, body: bytes) -> None:
        super().on_body(body)
        if self._in_body and not self.cycle.response_complete:
            self._traffic.count_received(self.cycle, self, len(body))

    def on_message_complete(self) -> None:
        if self._declines_offer():
            return
        self._stop_clock()
        self._in_body = False
        self._head_bytes = 0
        super().on_message_complete()

    def _declines_offer(self) -> bool:
        # uvicorn alone knows which offers it takes, and asks itself twice.
        return self.parser.should_upgrade() and not self._should_upgrade()

    def _decline_offer(self) -> DeclinedOffer | None:
        if self._should_upgrade():
            return None
        self.parser = RequestParser(self, self._decline_offer)
        return DeclinedOffer(self.url, self.headers, self.parser)

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        # uvicorn has no public place where a request gets its app.
        request = _Request(self.app_for(cycle, app), cycle, self._traffic)
        super()._start_asgi_task(cycle, request)  # type: ignore[arg-type] # an ASGI 3 app

    def _is_answering(self) -> bool:
        # uvicorn has None here before the first request.
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is not None and not cycle.response_complete

    def _start_clock(self, seconds: float, why: Refusal) -> None:
        self._stop_clock()
        self._clock = self.loop.call_later(seconds, self.refuse, why)

    def _stop_clock(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None


class _Request:
    """The app, for one request: what it held of the body is free when it returns."""

    def __init__(self, app: ASGIApp, cycle: RequestResponseCycle, traffic: Traffic) -> None:
        self._app = app
        self._cycle = cycle
        self._traffic = traffic

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self._app(scope, receive, send)
        except ClientDisconnect:
            pass  # its own business, and counted
        finally:
            self._traffic.release(self._cycle)


def _empty_answer(status: str) -> bytes:
    retry = f"retry-after: {RETRY_AFTER_SECONDS}\r\n" if status.startswith("503") else ""
    return f"HTTP/1.1 {status}\r\n{retry}content-length: 0\r\nconnection: close\r\n\r\n".encode()
