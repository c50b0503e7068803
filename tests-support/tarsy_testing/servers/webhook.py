"""An address that keeps what it gets, over real HTTP."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tarsy_processes.ports import free_port
from tarsy_service.http.server import http_server


@dataclass
class Webhook:
    """`answer` is what everybody gets."""

    port: int = field(default_factory=free_port)
    answer: Response = field(default_factory=Response)
    got: list[tuple[dict[str, str], bytes]] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook"

    @property
    def ids(self) -> list[str]:
        return [headers["webhook-id"] for headers, _ in self.got]

    async def take(self, request: Request) -> Response:
        self.got.append((dict(request.headers), await request.body()))
        return self.answer


@pytest.fixture
async def hook() -> AsyncIterator[Webhook]:
    """Runs in the loop of the test."""
    one = Webhook()
    app = Starlette(routes=[Route(path, one.take, methods=["POST"]) for path in ("/hook", "/other")])
    async with http_server(app, "127.0.0.1", one.port):
        yield one
