"""The WebSocket's address."""

from collections.abc import Collection

from fastapi import APIRouter, WebSocket

from tarsy_websocket_gateway.connection import TRY_AGAIN_LATER, NewConnection
from tarsy_websocket_gateway.hub import Hub
from tarsy_websocket_gateway.metrics import Metrics
from tarsy_websocket_gateway.origins import may_connect

FORBIDDEN = 1008


def websocket_routes(
    hub: Hub, new_connection: NewConnection, allowed_origins: Collection[str], metrics: Metrics
) -> APIRouter:
    router = APIRouter()

    @router.websocket("/api/v1/ws")
    async def connect(websocket: WebSocket) -> None:
        if not may_connect(websocket.headers, allowed_origins):
            metrics.dropped("origin")
            await websocket.close(FORBIDDEN)
            return
        await websocket.accept()
        if not hub.open:
            metrics.dropped("starting")
            await websocket.close(TRY_AGAIN_LATER, "starting: connect again")
            return
        await new_connection(websocket).run()

    return router
