"""A route that is called directly answers as FastAPI would, and shows the same API."""

from typing import Annotated

import httpx2
import pytest
from fastapi import APIRouter, FastAPI, Header, Request
from fastapi.routing import APIRoute
from prometheus_client import CollectorRegistry
from pydantic import BaseModel

from tarsy_service.http.direct_calls import DirectRoute
from tarsy_service.process.runner import Readiness, build_app
from tarsy_service.process.service import Service


class Answer(BaseModel):
    said: str
    by: str | None = None


def _app(route_class: type[APIRoute]) -> FastAPI:
    router = APIRouter(prefix="/api/v1/echo", route_class=route_class)

    @router.post("", status_code=202, response_model_exclude_none=True)
    async def echo(request: Request, by: str | None = None) -> Answer:
        return Answer(said=(await request.body()).decode(), by=by)

    @router.post("/whole", status_code=202)
    async def echo_whole(request: Request) -> Answer:
        return Answer(said=(await request.body()).decode())

    @router.post("/header")
    async def echo_header(request: Request, name: Annotated[str, Header()]) -> Answer:
        return Answer(said=name)

    async def run(_: object) -> None:
        return

    direct = [route for route in router.routes if isinstance(route, DirectRoute)]
    service = Service(name="echo", run=run, router=router, direct_routes=direct)
    return build_app([service], Readiness([]), CollectorRegistry())


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/v1/echo", 202),
        ("/api/v1/echo?by=ana", 202),
        ("/api/v1/echo?form=1", 400),
        ("/api/v1/echo/whole", 202),
        ("/api/v1/echo/whole?by=ana", 400),
        ("/api/v1/echo/header", 200),
    ],
)
async def test_a_direct_call_is_answered_as_by_fastapi(path: str, status: int) -> None:
    answers = []
    for route_class in (APIRoute, DirectRoute):
        transport = httpx2.ASGITransport(app=_app(route_class))
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
            answers.append(await client.post(path, content="ünd".encode(), headers={"name": "ana"}))
    usual, direct = answers
    assert direct.status_code == usual.status_code == status
    assert (direct.json(), direct.headers) == (usual.json(), usual.headers)


def test_a_direct_call_is_documented_as_any_other() -> None:
    assert _app(DirectRoute).openapi() == _app(APIRoute).openapi()
