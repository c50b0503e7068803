"""Load balancers ask with `HEAD` and `OPTIONS`, and a slash at the end of a URL is nobody's error."""

import httpx2
import pytest
from fastapi import APIRouter
from prometheus_client import CollectorRegistry

from tarsy_service.process.runner import Readiness, build_app
from tarsy_service.process.service import Service


async def _run(_: object) -> None:
    raise AssertionError("it does not run")


async def asked(method: str, path: str) -> httpx2.Response:
    router = APIRouter(prefix="/api/v1")

    @router.post("/alerts")
    async def take() -> str:
        return "taken"

    app = build_app([Service(name="ingest", run=_run, router=router)], Readiness([]), CollectorRegistry())
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://localhost") as client:
        return await client.request(method, path)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("HEAD", "/health", 200),
        ("HEAD", "/ready", 200),
        ("GET", "/health/", 200),
        ("POST", "/api/v1/alerts/", 200),
        ("OPTIONS", "/api/v1/alerts", 204),
        ("OPTIONS", "/health", 204),
        ("HEAD", "/api/v1/alerts", 405),
        ("GET", "/api/v1/alerts", 405),
        ("OPTIONS", "/nowhere", 404),
    ],
)
async def test_it_is_answered_as_load_balancers_expect(method: str, path: str, status: int) -> None:
    assert (await asked(method, path)).status_code == status


async def test_options_lists_the_methods_and_has_no_body() -> None:
    answer = await asked("OPTIONS", "/api/v1/alerts")
    assert (answer.headers["allow"], answer.content) == ("POST, OPTIONS", b"")
