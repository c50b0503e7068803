"""Answers of the API, as a browser asks for them."""

import gzip
from collections.abc import AsyncIterator

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from tarsy_service.http.compressed_answers import CompressedAnswers

ROWS = [{"title": f"Alert {number}", "status": "completed"} for number in range(1_000)]


async def rows(_: Request) -> Response:
    return JSONResponse(ROWS)


async def few(_: Request) -> Response:
    return JSONResponse(ROWS[:2])


async def text(_: Request) -> Response:
    return PlainTextResponse("a line\n" * 1_000)


async def pieces(_: Request) -> Response:
    async def made() -> AsyncIterator[bytes]:
        for _ in range(3):
            yield b'"' + b"x" * 5_000 + b'"'

    return StreamingResponse(made(), media_type="application/json")


async def compressed(_: Request) -> Response:
    return Response(
        gzip.compress(b"x" * 100_000 + bytes(range(256)) * 100),
        media_type="application/json",
        headers={"content-encoding": "gzip"},
    )


@pytest.fixture
async def client() -> AsyncIterator[httpx2.AsyncClient]:
    named = (("/api/v1/rows", rows), ("/api/v1/few", few), ("/api/v1/text", text), ("/api/v1/pieces", pieces))
    routes = [*named, ("/api/v1/compressed", compressed), ("/internal/v1/rows", rows)]
    app = CompressedAnswers(Starlette(routes=[Route(path, answer) for path, answer in routes]))
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://localhost") as client:
        yield client


async def test_a_long_json_answer_is_sent_in_a_tenth_of_its_bytes(client: httpx2.AsyncClient) -> None:
    plain = await client.get("/api/v1/rows", headers={"accept-encoding": "identity"})
    answer = await client.get("/api/v1/rows", headers={"accept-encoding": "gzip, deflate, br"})

    assert "content-encoding" not in plain.headers
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.headers["vary"] == "Accept-Encoding"
    assert int(answer.headers["content-length"]) < len(plain.content) / 10
    assert answer.json() == ROWS


@pytest.mark.parametrize("accepted", ["", "br", "gzip;q=0", "gzip; q=0.0"])
async def test_who_does_not_take_gzip_does_not_get_it(client: httpx2.AsyncClient, accepted: str) -> None:
    answer = await client.get("/api/v1/rows", headers={"accept-encoding": accepted})

    assert "content-encoding" not in answer.headers
    assert answer.json() == ROWS


@pytest.mark.parametrize("path", ["/api/v1/few", "/api/v1/text", "/api/v1/pieces", "/internal/v1/rows"])
async def test_short_answers_other_types_streams_and_those_inside_stay_as_they_are(
    client: httpx2.AsyncClient, path: str
) -> None:
    answer = await client.get(path, headers={"accept-encoding": "gzip"})

    assert "content-encoding" not in answer.headers
    assert answer.content


async def test_what_is_compressed_already_is_not_compressed_again(client: httpx2.AsyncClient) -> None:
    answer = await client.get("/api/v1/compressed", headers={"accept-encoding": "gzip"})

    assert answer.content.startswith(b"x" * 1_000)
