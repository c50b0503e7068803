"""Slack over real HTTP: the three methods that notifications need, with its errors, scopes, metadata and pages, and
the addresses at which people who clicked are answered.

A client that makes a mistake is refused as Slack refuses it. A test changes what it says.
"""

import json
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from urllib.parse import parse_qsl

import pytest
from pydantic import BaseModel, JsonValue
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tarsy_processes.ports import free_port
from tarsy_service.http.server import http_server

HOST = "127.0.0.1"
TOKEN = "xoxb-1234-token"
CHANNEL = "C0123"


class Metadata(BaseModel):
    """As much of it as tests look at."""

    event_type: str
    event_payload: dict[str, str]


type Message = dict[str, JsonValue]


@dataclass
class SlackServer:
    """`messages` of CHANNEL, oldest first. `errors`: what the next calls of a method answer instead; `lost`: that the
    next message is written, and its answer is not. `page`: the most messages of one answer. `answers`: what people who
    clicked were told.
    """

    port: int = field(default_factory=free_port)
    messages: list[Message] = field(default_factory=list)
    errors: dict[str, list[Response]] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)
    lost: bool = False
    now: Callable[[], float] = time.time
    page: int = 1_000
    answers: list[Message] = field(default_factory=list)

    @property
    def api_url(self) -> str:
        return f"http://{HOST}:{self.port}/api"

    @property
    def hooks_url(self) -> str:
        return f"http://{HOST}:{self.port}"

    @property
    def event_ids(self) -> list[str]:
        """Ids of the events that messages of ours tell of, in their order."""
        found = [one["metadata"] for one in self.messages if "metadata" in one]
        return [Metadata.model_validate(one).event_payload["event_id"] for one in found]

    def say(self, text: str, **more: JsonValue) -> str:
        """A person's, or another app's, message. Returns its `ts`."""
        ts = f"{self.now() + len(self.messages) / 1_000:.6f}"
        self.messages.append({"type": "message", "ts": ts, "text": text, **more})
        return ts

    async def post(self, request: Request) -> Response:
        asked = await _arguments(request)
        if (refusal := self._refusal(request, "chat.postMessage", asked)) is not None:
            return refusal
        if not asked.get("text") or not isinstance(asked.get("blocks"), list):
            return slack_error("no_text")
        kept = {name: asked[name] for name in ("text", "blocks", "metadata", "thread_ts") if asked.get(name)}
        ts = self.say(str(kept.pop("text")), **kept)
        if self.lost:
            self.lost = False
            return Response(status_code=502)
        return JSONResponse({"ok": True, "channel": CHANNEL, "ts": ts})

    async def history(self, request: Request) -> Response:
        """Newest first, without replies."""
        asked = await _arguments(request)
        if (refusal := self._refusal(request, "conversations.history", asked)) is not None:
            return refusal
        return self._pages([one for one in reversed(self.messages) if "thread_ts" not in one], asked)

    async def replies(self, request: Request) -> Response:
        """The thread's first message, and its replies."""
        asked = await _arguments(request)
        if (refusal := self._refusal(request, "conversations.replies", asked)) is not None:
            return refusal
        return self._pages([one for one in self.messages if asked["ts"] in (one["ts"], one.get("thread_ts"))], asked)

    async def take_answer(self, request: Request) -> Response:
        """An address tells whose click it was; only messages to that person alone are taken."""
        answer: Message = json.loads(await request.body())
        if not answer.get("text") or answer.get("response_type", "ephemeral") != "ephemeral":
            return slack_error("invalid_payload")
        self.answers.append(answer)
        return Response("ok")

    def _pages(self, found: list[Message], asked: Mapping[str, JsonValue]) -> Response:
        oldest = float(str(asked.get("oldest") or 0))
        found = [one for one in found if float(str(one["ts"])) >= oldest]
        start = int(str(asked.get("cursor") or 0))
        end = start + min(self.page, int(str(asked["limit"])))
        shown = [self._shown(one, asked) for one in found[start:end]]
        cursor = str(end) if end < len(found) else ""
        return JSONResponse({"ok": True, "messages": shown, "response_metadata": {"next_cursor": cursor}})

    def _shown(self, one: Message, asked: Mapping[str, JsonValue]) -> Message:
        with_metadata = str(asked.get("include_all_metadata")).lower() in ("1", "true")
        return one if with_metadata else {name: value for name, value in one.items() if name != "metadata"}

    def _refusal(self, request: Request, method: str, asked: Mapping[str, JsonValue]) -> Response | None:
        self.calls.append(method)
        if self.errors.get(method):
            return self.errors[method].pop(0)
        if request.headers.get("authorization") != f"Bearer {TOKEN}":
            return slack_error("invalid_auth")
        return None if asked.get("channel") == CHANNEL else slack_error("channel_not_found")


def rate_limited(seconds: int) -> Response:
    return JSONResponse({"ok": False, "error": "ratelimited"}, 429, headers={"Retry-After": str(seconds)})


def slack_error(error: str) -> Response:
    return JSONResponse({"ok": False, "error": error})


async def _arguments(request: Request) -> dict[str, JsonValue]:
    body = (await request.body()).decode()
    if request.headers.get("content-type", "").startswith("application/json"):
        found: dict[str, JsonValue] = json.loads(body)
        return found
    return {**dict(request.query_params), **dict(parse_qsl(body))}


@pytest.fixture
async def slack() -> AsyncIterator[SlackServer]:
    """Runs in the loop of the test."""
    async with serving() as one:
        yield one


@asynccontextmanager
async def serving() -> AsyncIterator[SlackServer]:
    one = SlackServer()
    app = Starlette(
        routes=[
            Route("/actions/{workspace}/{number}/{secret}", one.take_answer, methods=["POST"]),
            Route("/api/chat.postMessage", one.post, methods=["POST"]),
            Route("/api/conversations.history", one.history, methods=["GET", "POST"]),
            Route("/api/conversations.replies", one.replies, methods=["GET", "POST"]),
        ]
    )
    async with http_server(app, HOST, one.port):
        yield one
