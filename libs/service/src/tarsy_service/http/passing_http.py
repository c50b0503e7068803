"""HTTP/1.1 connections that move to another process when their next request is for that one."""

import asyncio
import socket
from functools import partial
from typing import Any

from starlette.types import ASGIApp
from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import RequestResponseCycle
from uvicorn.server import ServerState

from tarsy_service.http.bounded_http import BoundedHttp, Traffic
from tarsy_service.http.connection_passing import ConnectionPassing
from tarsy_service.http.problems import problem_response
from tarsy_service.supervision import SupervisedGroup


class PassingHttp(BoundedHttp):
    """`first`: bytes that another process has read of the connection."""

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
        *,
        traffic: Traffic,
        passing: ConnectionPassing,
        first: bytes = b"",
    ) -> None:
        super().__init__(config, server_state, app_state, _loop, traffic=traffic)
        self._passing = passing
        self._first = first

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn has it
        super().connection_made(transport)
        if self._first:
            first, self._first = self._first, b""
            super().data_received(first)

    def data_received(self, data: bytes) -> None:
        if not self._is_between_requests() or not self._passing.is_elsewhere(data):
            super().data_received(data)
        elif self._pass_on(data):
            return
        elif self._passing.answers_all:
            super().data_received(data)
        else:
            self.transport.close()

    def app_for(self, cycle: RequestResponseCycle, app: ASGIApp) -> ASGIApp:
        if not self._passing.answers_all and self._passing.is_elsewhere(
            _request_line(cycle.scope["method"], cycle.scope["raw_path"])
        ):
            # It came in one piece with a request that is ours, so its connection could not go back before.
            cycle.keep_alive = False
            return problem_response(421, "Misdirected request", "Send it by itself: it is for another service.")
        return app

    def shutdown(self) -> None:
        """The process ends. A connection that waits for a request goes back to where it came from."""
        if self._passing.answers_all or not self._is_between_requests() or not self._pass_on(b""):
            super().shutdown()

    def _is_between_requests(self) -> bool:
        """Nothing of a request was read yet, and all answers are out."""
        return (
            self.is_idle
            and self._head_bytes == 0
            and not self.transport.is_closing()
            and self.transport.get_write_buffer_size() == 0
        )

    def _pass_on(self, data: bytes) -> bool:
        self.transport.pause_reading()
        if not self._passing.pass_on(self.transport.get_extra_info("socket").fileno(), data):
            self.transport.resume_reading()
            return False
        self.stop_timers()
        self.transport.abort()  # closes our descriptor: the other process has one of its own
        return True


def _request_line(method: str, path: bytes) -> bytes:
    return method.encode() + b" " + path + b" "


def accept_passed(
    group: SupervisedGroup, protocol: "partial[PassingHttp]", passing: ConnectionPassing, name: str
) -> None:
    """Serves the connections that come from other processes, in tasks of the group."""
    loop = asyncio.get_running_loop()

    async def serve(connection: socket.socket, first: bytes) -> None:
        try:
            await loop.connect_accepted_socket(partial(protocol, first=first), connection)
        except OSError:
            connection.close()  # its client has gone meanwhile

    def accept(connection: socket.socket, first: bytes) -> None:
        connection.setblocking(False)
        try:
            group.start_finite(name, serve(connection, first))
        except RuntimeError:
            connection.close()  # the server has ended

    passing.receive(accept)
