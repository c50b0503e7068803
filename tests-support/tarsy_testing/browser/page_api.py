"""An API for the page in the browser: what it asks is noted, and answered with the models of the contracts."""

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import parse_qsl, urlsplit

from playwright.async_api import Page, Request, Route
from pydantic import JsonValue

from tarsy_contracts.api.me import Me
from tarsy_contracts.api.model import ApiModel
from tarsy_contracts.api.system import SystemWarnings

NOBODY = Me(name="", role=None, door=None, expires_at=None)
"""As an API answers that authenticates nobody."""


@dataclass(frozen=True, slots=True)
class Asked:
    """`act`: method and path."""

    act: str
    query: dict[str, str]
    body: JsonValue
    key: str | None


class Api(Protocol):
    async def answer(self, asked: Asked) -> tuple[int, str]:
        """Status and JSON."""
        ...


type Shown = ApiModel | Sequence[str] | dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Problem:
    """`errors`: details by their pointers."""

    status: int
    detail: str
    errors: dict[str, str] = field(default_factory=dict)

    def body(self) -> dict[str, JsonValue]:
        errors: list[JsonValue] = [{"detail": text, "pointer": pointer} for pointer, text in self.errors.items()]
        title = "Problem"
        return {"type": "about:blank", "title": title, "status": self.status, "detail": self.detail, "errors": errors}


BESIDE: dict[str, Shown] = {"links": (), "injected-memories": (), "memories": (), "similar": {"sessions": []}}
"""Answers to questions that the page asks beside each session, by the end of the address: nothing is there."""


def place_of(act: str) -> str:
    return act.rpartition("/")[2]


type Answer = Shown | Problem | Callable[[Asked], Shown | Problem]


@dataclass
class PageApi:
    """`held`: acts whose answers are made at once, and sent when the event is set."""

    answers: dict[str, Answer] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)
    held: dict[str, asyncio.Event] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.answers.setdefault("GET /api/v1/me", NOBODY)
        self.answers.setdefault("GET /api/v1/system/warnings", SystemWarnings(warnings=(), server_count=0))
        self.answers.setdefault("GET /login/available", {"available": False})

    async def install(self, page: Page) -> None:
        await intercept(page, self)

    def requests(self, act: str) -> list[Asked]:
        return [one for one in self.asked if one.act == act]

    async def answer(self, asked: Asked) -> tuple[int, str]:
        self.asked.append(asked)
        unknown = Problem(404, f"No test answers {asked.act}.")
        answer = self.answers.get(asked.act, BESIDE.get(place_of(asked.act), unknown))
        given = answer(asked) if callable(answer) else answer
        status, body = (given.status, given.body()) if isinstance(given, Problem) else (200, _body(given))
        if asked.act in self.held:
            await self.held[asked.act].wait()
        return status, json.dumps(body)


async def intercept(page: Page, api: Api) -> None:
    """Requests of this page are answered on their way. It loads nothing from a cache then."""

    async def fulfill(route: Route) -> None:
        status, body = await api.answer(_asked(route.request))
        await route.fulfill(status=status, content_type="application/json", body=body)

    await page.route("**/api/**", fulfill)
    await page.route("**/login/available", fulfill)


def _body(shown: Shown) -> object:
    return shown.model_dump(mode="json") if isinstance(shown, ApiModel) else shown


def _asked(request: Request) -> Asked:
    parts = urlsplit(request.url)
    return Asked(
        act=f"{request.method} {parts.path}",
        query=dict(parse_qsl(parts.query, keep_blank_values=True)),
        body=json.loads(request.post_data) if request.post_data else None,
        key=request.headers.get("idempotency-key"),
    )
