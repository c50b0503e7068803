"""A server of the page for its measurements: the page as the websocket-gateway serves it, and an API of made sessions.

Nothing is answered by the browser's own interception, which would switch its cache and the emulated network off.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from fastapi import APIRouter, FastAPI, Request, WebSocket, WebSocketDisconnect
from fastapi.responses import JSONResponse
from page_sessions import Messages, long_session, three_agents

from tarsy_processes.ports import free_port
from tarsy_service.http.compressed_answers import CompressedAnswers
from tarsy_service.http.server import proxy_server
from tarsy_testing.browser.listed_sessions import CONFIRMED, ListedSessions, session
from tarsy_testing.browser.page_api import BESIDE, place_of
from tarsy_testing.story.session_logs import SESSION
from tarsy_websocket_gateway.page_files.assets import load_page
from tarsy_websocket_gateway.page_files.routes import page_routes

HOST = "127.0.0.1"
SESSIONS = 10_000
TOKEN_SECONDS = 0.02
"""Each agent says 50 tokens a second."""


@dataclass
class PageServer:
    """`shown`: the session that is at `path`, whatever its id. `streaming`: set while its agents speak."""

    port: int = field(default_factory=free_port)
    streaming: asyncio.Event = field(default_factory=asyncio.Event)
    shown: Messages = field(default_factory=lambda: Messages(three_agents()))

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}"

    @property
    def path(self) -> str:
        return f"/sessions/{SESSION}"

    def show_three_agents(self) -> None:
        self.shown = Messages(three_agents())

    def show_long_session(self, events: int) -> None:
        self.shown = Messages(long_session(events))

    @asynccontextmanager
    async def running(self) -> AsyncIterator["PageServer"]:
        app = FastAPI()
        app.add_middleware(CompressedAnswers)
        app.include_router(_router(self))
        async with proxy_server(app, HOST, self.port):
            yield self


def _router(server: PageServer) -> APIRouter:
    listed = ListedSessions([session(number) for number in range(SESSIONS)])
    detail = session(0, "in_progress") | {
        "id": SESSION, "alert_data": "{}", "total_stages": 1, "total_tokens": 0, "reruns": [], "chat_enabled": True,
    }  # fmt: skip
    router = page_routes(load_page())

    @router.get("/api/v1/{path:path}")
    async def api(path: str, request: Request) -> JSONResponse:
        if path == f"sessions/{SESSION}":
            return JSONResponse(detail)
        if path == f"sessions/{SESSION}/trace":
            return JSONResponse(server.shown.trace)
        if (place := place_of(path)) in BESIDE:
            return JSONResponse(BESIDE[place])
        return JSONResponse(listed.body(f"/{path}", dict(request.query_params)))

    @router.get("/login/available")
    async def login() -> JSONResponse:
        return JSONResponse({"available": False})

    @router.websocket("/api/v1/ws")
    async def socket(socket: WebSocket) -> None:
        await socket.accept()
        # Also where it stands in a group.
        with suppress(WebSocketDisconnect):
            await _serve(server, socket)

    return router


async def _serve(server: PageServer, socket: WebSocket) -> None:
    while (asked := json.loads(await socket.receive_text()))["action"] != "subscribe":
        pass
    await socket.send_text(json.dumps(CONFIRMED | {"channel": asked["channel"]}))
    async with asyncio.TaskGroup() as group:
        if asked["channel"] != "sessions":
            group.create_task(_speak(server, server.shown, socket))
        while True:
            # It raises when the page is gone.
            await socket.receive_text()


async def _speak(server: PageServer, shown: Messages, socket: WebSocket) -> None:
    """The history, then tokens by the clock: what one sleep took too long, the next makes up for."""
    for message in shown.history:
        await socket.send_text(message)
    index, began = 0, None
    while True:
        await server.streaming.wait()
        began = began or asyncio.get_running_loop().time()
        for message in shown.tokens(index):
            await socket.send_text(message)
        index += 1
        await asyncio.sleep(max(0.0, began + index * TOKEN_SECONDS - asyncio.get_running_loop().time()))
