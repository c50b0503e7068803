import httpx2
import pytest
from fastapi import APIRouter, Request
from prometheus_client import CollectorRegistry

from tarsy_service.access.caller import caller_of
from tarsy_service.process.runner import Readiness, build_app
from tarsy_service.process.service import Ready, Service


async def nothing(ready: Ready) -> None:
    ready()


async def asked(*headers: tuple[str, str]) -> httpx2.Response:
    router = APIRouter()

    @router.get("/api/v1/me")
    async def me(request: Request) -> dict[str, str]:
        return {"name": caller_of(request).name}

    app = build_app([Service("one", nothing, router)], Readiness([]), CollectorRegistry())
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://localhost") as client:
        return await client.get("/api/v1/me", headers=list(headers))


@pytest.mark.parametrize("name", ["X-Forwarded-User", "x-remote-user", "X-Forwarded-Email"])
async def test_who_is_named_twice_is_nobody(name: str) -> None:
    answer = await asked((name, "root"), (name, "ann"))
    assert (answer.status_code, answer.headers["content-type"]) == (400, "application/problem+json")


async def test_the_same_name_twice_is_one() -> None:
    named = (("X-Forwarded-User", "ann"), ("X-Forwarded-User", "ann"), ("X-Forwarded-Email", "ann@example.com"))
    assert (await asked(*named)).json() == {"name": "ann"}


async def test_another_spelling_names_nobody() -> None:
    assert (await asked(("X_Forwarded_User", "root"))).json() == {"name": "api-client"}
