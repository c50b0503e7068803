"""Query parameters that no route knows."""

from typing import Annotated

import httpx2
import pytest
from fastapi import APIRouter, Depends, Query
from prometheus_client import CollectorRegistry
from pydantic import BaseModel, Field

from tarsy_service.process.runner import Readiness, build_app
from tarsy_service.process.service import Ready, Service
from tarsy_service.settings.service_settings import ServiceSettings
from tarsy_service.supervision import Supervisor
from tarsy_service.telemetry.tracing import create_tracing


class Wanted(BaseModel):
    search: str = ""
    begin: str = Field("", alias="from")


def _paging(page: int = 1) -> int:
    return page


def _router() -> APIRouter:
    inner = APIRouter(prefix="/api/v1/things")

    @inner.get("")
    async def things(wanted: Annotated[Wanted, Query()]) -> str:
        return wanted.search

    @inner.get("/{name}")
    async def thing(name: str, page: Annotated[int, Depends(_paging)], deep: bool = False) -> str:
        return f"{name} {page} {deep}"

    @inner.post("")
    async def make() -> str:
        return "made"

    router = APIRouter()
    router.include_router(inner)

    @router.get("/page")
    async def page() -> str:
        return "page"

    return router


@pytest.fixture
def client() -> httpx2.AsyncClient:
    async def run(ready: Ready) -> None:
        ready()

    tracing = create_tracing("test", ServiceSettings())
    service = Service(name="test", run=run, router=_router(), supervisor=Supervisor(), tracing=tracing)
    app = build_app([service], Readiness([]), CollectorRegistry())
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://localhost")


@pytest.mark.parametrize(
    "address", ["/api/v1/things?search=a&from=b", "/api/v1/things/x?page=2&deep=1", "/page?anything=1", "/health?x=1"]
)
async def test_a_route_takes_what_it_knows(client: httpx2.AsyncClient, address: str) -> None:
    assert (await client.get(address)).status_code == 200


@pytest.mark.parametrize(
    ("method", "address", "pointers", "known"),
    [
        ("GET", "/api/v1/things?serach=a&search=b&limit=1", ["/serach", "/limit"], "from, search"),
        ("GET", "/api/v1/things?begin=a", ["/begin"], "from, search"),
        ("GET", "/api/v1/things/x?paeg=1", ["/paeg"], "deep, page"),
        ("POST", "/api/v1/things?x=", ["/x"], "none"),
        ("POST", "/api/v1/things?=1", [""], "none"),
        ("POST", "/api/v1/things?%3Cscript%3E=1", [""], "none"),
    ],
)
async def test_any_other_parameter_is_pointed_at(
    client: httpx2.AsyncClient, method: str, address: str, pointers: list[str], known: str
) -> None:
    answer = await client.request(method, address)

    assert (answer.status_code, answer.headers["content-type"]) == (400, "application/problem+json")
    told = answer.json()
    assert [one["pointer"] for one in told["errors"]] == pointers
    assert {one["detail"] for one in told["errors"]} == {f"unknown parameter; known: {known}"}
    assert told["message"] == told["detail"]


async def test_an_unknown_address_stays_an_unknown_address(client: httpx2.AsyncClient) -> None:
    answer = await client.get("/api/v1/nothing?x=1")
    assert (answer.status_code, answer.json()["message"]) == (404, "Not Found")
