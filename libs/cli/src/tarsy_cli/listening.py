"""An HTTP server beside other work, which leaves the signals to it."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import uvicorn
from starlette.types import ASGIApp

from tarsy_cli.places import HOST

GRACE_SECONDS = 3
BACKLOG = 512


@asynccontextmanager
async def listening(app: ASGIApp, port: int) -> AsyncIterator[None]:
    """Listens before the body runs, and stops after it. Raises OSError when the port is taken."""
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        ws_per_message_deflate=False,
        # Whoever is behind us has set these, and whoever is in front of us is not to be believed more than we are.
        server_header=False,
        date_header=False,
        proxy_headers=False,
        lifespan="off",
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    server = _Server(config)
    with socket.create_server((HOST, port), backlog=BACKLOG) as listener:
        task = asyncio.create_task(server.serve(sockets=[listener]), name=f"http-{port}")
        try:
            yield
        finally:
            server.should_exit = True
            await task


class _Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
