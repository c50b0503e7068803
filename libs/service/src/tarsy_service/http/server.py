"""HTTP server (uvicorn) beside other work, to which it leaves the signals."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import override

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.http11 import Request

from tarsy_service.http.bounded_http import BoundedHttp, Count, HttpLimits, Traffic
from tarsy_service.http.connection_passing import ConnectionPassing
from tarsy_service.http.passing_http import PassingHttp, accept_passed
from tarsy_service.http.websocket_frames import FRAMES
from tarsy_service.supervision import Supervisor

GRACE_SECONDS = 3
PING_SECONDS = 20.0
"""How often a WebSocket's client is asked whether it lives."""
PONG_SECONDS = 20.0
"""A client that does not answer for so long is dead: its connection is closed."""
BACKLOG = 512
DATE_SECONDS = 1.0
"""How often the header with the date is made."""
DATE_IS_DUE = 0
"""The tick at which uvicorn makes it."""
NO_HANDSHAKE = b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
DEFAULT_LIMITS = HttpLimits()


def http_server(
    app: ASGIApp,
    host: str,
    port: int,
    *,
    limits: HttpLimits = DEFAULT_LIMITS,
    count: Count = lambda _: None,
    passing: ConnectionPassing | None = None,
) -> AbstractAsyncContextManager[Traffic]:
    """Listens before the body runs, and stops after it. Raises OSError when the port is taken.

    Exceptions of the body, and the one that the server dies of, come out in a group. `passing`: a front door that
    passes connections to this process.
    """
    return _serve_app(app, host, port, HeaderPolicy(), Traffic(limits, count), passing)


def proxy_server(
    app: ASGIApp,
    host: str,
    port: int,
    *,
    limits: HttpLimits = DEFAULT_LIMITS,
    count: Count = lambda _: None,
    passing: ConnectionPassing | None = None,
) -> AbstractAsyncContextManager[Traffic]:
    """For an app that passes on what others say: an answer has no header that the app did not give it."""
    # A client in front of us is not to be believed more than we are.
    headers = HeaderPolicy(server_header=False, date_header=False, proxy_headers=False)
    return _serve_app(app, host, port, headers, Traffic(limits, count), passing)


@dataclass(frozen=True, slots=True)
class HeaderPolicy:
    """Headers that uvicorn sends, and believes, by itself."""

    server_header: bool = True
    date_header: bool = True
    proxy_headers: bool = True


@asynccontextmanager
async def _serve_app(
    app: ASGIApp, host: str, port: int, headers: HeaderPolicy, traffic: Traffic, passing: ConnectionPassing | None
) -> AsyncIterator[Traffic]:
    http: Callable[..., BoundedHttp] = partial(BoundedHttp, traffic=traffic)
    if passing is not None and passing.answers_all:
        http = partial(PassingHttp, traffic=traffic, passing=passing)
    config = uvicorn.Config(
        app,
        http=http,  # type: ignore[arg-type] # it is only called
        ws=_WebSocket,
        log_config=None,
        access_log=False,
        ws_per_message_deflate=False,
        ws_max_size=traffic.limits.websocket_bytes,
        ws_ping_interval=PING_SECONDS,
        ws_ping_timeout=PONG_SECONDS,
        server_header=headers.server_header,
        date_header=headers.date_header,
        proxy_headers=headers.proxy_headers,
        lifespan="off",
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    server, name = _Server(config), f"http-{port}"
    with _open_socket(host, port) as listener:
        async with Supervisor().group() as group:
            if passing is not None:
                passed = partial(PassingHttp, config, server.server_state, {}, traffic=traffic, passing=passing)
                accept_passed(group, passed, passing, f"{name} connection")
            task = group.start(name, server.serve(sockets=[listener]), may_end=server.told_to_end.is_set)
            try:
                yield traffic
            finally:
                server.end()
                await asyncio.wait([task])


def _open_socket(host: str, port: int) -> socket.socket:
    """The address `::` is every address of the machine, also those of IPv4."""
    if ":" not in host:
        return socket.create_server((host, port), backlog=BACKLOG)
    both = host == "::" and socket.has_dualstack_ipv6()
    return socket.create_server((host, port), family=socket.AF_INET6, backlog=BACKLOG, dualstack_ipv6=both)


class _WebSocket(WebSocketsSansIOProtocol):
    """Also the FrameWriter of its connection."""

    @property
    def is_writable(self) -> bool:
        return self.writable.is_set()

    async def until_writable(self) -> None:
        await self.writable.wait()

    def write_frames(self, frames: Sequence[bytes]) -> None:
        if not self.close_sent and not self.transport.is_closing():
            # Avoids `writelines`: asyncio's never pauses the writer, however much the client leaves unread.
            self.transport.write(frames[0] if len(frames) == 1 else b"".join(frames))

    @override
    def handle_connect(self, event: Request) -> None:
        super().handle_connect(event)
        if not self.close_sent:
            extensions: dict[str, object] = self.scope["extensions"]  # type: ignore[assignment] # ours is an object
            extensions[FRAMES] = self

    @override
    def data_received(self, data: bytes) -> None:
        """uvicorn's answers nothing to a handshake that it cannot read, such as one with a body, and keeps it."""
        super().data_received(data)
        if self.conn.handshake_exc is not None and not self.handshake_initiated:
            self.transport.write(b"".join(self.conn.data_to_send()) or NO_HANDSHAKE)
            self.transport.close()

    @override
    def shutdown(self) -> None:
        """uvicorn's raises where the client has closed and does not read the rest: the whole stop would fail."""
        if self.transport.is_closing():
            self.transport.abort()
        else:
            super().shutdown()


class _Server(uvicorn.Server):
    """Waits to be told to end. uvicorn looks ten times a second: six idle processes used 1 % of a core for it."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.told_to_end = asyncio.Event()

    def end(self) -> None:
        self.should_exit = True
        self.told_to_end.set()

    async def main_loop(self) -> None:
        while not await self.on_tick(DATE_IS_DUE):
            with suppress(TimeoutError):
                async with asyncio.timeout(DATE_SECONDS):
                    await self.told_to_end.wait()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
