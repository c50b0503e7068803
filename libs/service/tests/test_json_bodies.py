import httpx2
import pytest
from fastapi import APIRouter
from prometheus_client import CollectorRegistry
from pydantic import BaseModel

from tarsy_service.http.bounded_routes import create_bounded_route
from tarsy_service.process.runner import Readiness, build_app
from tarsy_service.process.service import Ready, Service


class Question(BaseModel):
    content: str


async def nothing(ready: Ready) -> None:
    ready()


async def posted(path: str, body: bytes, kind: str | None) -> httpx2.Response:
    router = APIRouter(prefix="/api/v1", route_class=create_bounded_route(1000))

    @router.post("/ask")
    async def ask(question: Question) -> dict[str, str]:
        return {"asked": question.content}

    @router.post("/cancel")
    async def cancel() -> dict[str, str]:
        return {"done": "yes"}

    app = build_app([Service("one", nothing, router)], Readiness([]), CollectorRegistry())
    headers = {} if kind is None else {"Content-Type": kind}
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://localhost") as client:
        return await client.post(f"/api/v1/{path}", content=body, headers=headers)


@pytest.mark.parametrize(
    "kind", [None, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "json"]
)
@pytest.mark.parametrize("path", ["ask", "cancel"])
async def test_a_body_that_does_not_say_that_it_is_json_is_refused(path: str, kind: str | None) -> None:
    answer = await posted(path, b'{"content": "why"}', kind)
    assert (answer.status_code, answer.headers["content-type"]) == (415, "application/problem+json")
    assert "Content-Type: application/json" in answer.json()["detail"]


@pytest.mark.parametrize("kind", ["application/json", "Application/JSON; charset=utf-8", "application/problem+json"])
async def test_json_is_read(kind: str) -> None:
    assert (await posted("ask", b'{"content": "why"}', kind)).json() == {"asked": "why"}


async def test_who_sends_no_body_names_no_type() -> None:
    assert (await posted("cancel", b"", None)).status_code == 200
    assert (await posted("ask", b"", None)).status_code == 400
