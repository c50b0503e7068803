"""The WebSocket's address."""

from collections.abc import Iterator
from contextlib import contextmanager

from fastapi import APIRouter, WebSocket

from tarsy_service.access.credentials import subprotocol_of
from tarsy_service.http.problems import problem_response
from tarsy_websocket_gateway.clients.connection import TRY_AGAIN_LATER, NewConnection
from tarsy_websocket_gateway.clients.hub import Hub
from tarsy_websocket_gateway.metrics import Metrics

WEBSOCKET = "/api/v1/ws"
FULL = "This instance has reached its limit of clients (TARSY_MOST_CLIENTS). Connect again later."


class ClientLimit:
    """How many clients there are, and may be."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.clients = 0

    @property
    def is_reached(self) -> bool:
        return self.clients >= self._most

    @contextmanager
    def taken(self) -> Iterator[None]:
        self.clients += 1
        try:
            yield
        finally:
            self.clients -= 1


def websocket_routes(hub: Hub, new_connection: NewConnection, metrics: Metrics, limit: ClientLimit) -> APIRouter:
    router = APIRouter()
    metrics.connections.set_function(lambda: limit.clients)

    @router.websocket(WEBSOCKET)
    async def connect(websocket: WebSocket) -> None:
        if limit.is_reached:
            metrics.count_dropped("full")
            await websocket.send_denial_response(problem_response(503, "Service unavailable", FULL))
            return
        with limit.taken():
            await websocket.accept(subprotocol_of(websocket.scope))
            if not hub.open:
                metrics.count_dropped("starting")
                await websocket.close(TRY_AGAIN_LATER, "starting: connect again")
                return
            await new_connection(websocket).run()

    return router
