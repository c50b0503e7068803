"""The API of a test, at the page's own address. A tab that asks there loads the page from its cache; one whose requests
are caught on their way has none."""

import json
from dataclasses import dataclass, field
from uuid import uuid4

from fastapi import APIRouter, Request, Response
from playwright.async_api import Page

from tarsy_testing.browser.page_api import BESIDE, Api, Asked, place_of

HEADER = "x-api-of-test"
"""A request that an earlier test has left behind is answered by that test's API."""
METHODS = ["GET", "POST", "PUT", "DELETE"]


@dataclass
class ServedApis:
    _apis: dict[str, Api] = field(default_factory=dict)

    def add_to(self, router: APIRouter) -> None:
        for path in ("/api/v1/{path:path}", "/login/available"):
            router.add_route(path, self._answer, methods=METHODS)

    async def serve(self, api: Api, page: Page) -> None:
        """From now on it answers what this page asks."""
        name = uuid4().hex
        self._apis[name] = api
        await page.set_extra_http_headers({HEADER: name})

    async def _answer(self, request: Request) -> Response:
        if HEADER not in request.headers and (place := place_of(request.url.path)) in BESIDE:
            return Response(json.dumps(BESIDE[place]), media_type="application/json")
        body = await request.body()
        asked = Asked(
            act=f"{request.method} {request.url.path}",
            query=dict(request.query_params),
            body=json.loads(body) if body else None,
            key=request.headers.get("idempotency-key"),
        )
        status, content = await self._apis[request.headers[HEADER]].answer(asked)
        return Response(content, status, media_type="application/json", headers={"Cache-Control": "no-store"})
