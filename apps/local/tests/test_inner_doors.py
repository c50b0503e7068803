"""What services may ask of each other reaches them through the inner doors of `tarsy up --processes`."""

import sys
from contextlib import AsyncExitStack
from pathlib import Path

import httpx2
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

sys.path.append(str(Path(__file__).parent))

from door_running import Behind, service

from tarsy_auth.roles import Role
from tarsy_ingest.rights import ALERTS
from tarsy_ingest.rights import RIGHTS as RIGHTS_OF_INGEST
from tarsy_local.front_door.http_proxy import HttpProxy
from tarsy_local.front_door.inner_doors import choose_inner_doors
from tarsy_local.front_door.routes import OUTSIDE, service_of
from tarsy_local.service_settings import SETTINGS
from tarsy_service.access.rights import RouteRight, rights
from tarsy_service.settings.secret_files import variable_of
from tarsy_timeline.api.rights import RIGHTS as RIGHTS_OF_TIMELINE

SUBMITTED_OVER_MCP = rights(Role.RESPONDER, f"POST {ALERTS}")
"""A timeline asks for it with the rights of its own caller."""
ASKED_BY_SERVICES = {
    owner: [right for right in table if Role.SERVICE in (right.access, right.also)]
    for owner, table in {"ingest": RIGHTS_OF_INGEST, "timeline": RIGHTS_OF_TIMELINE}.items()
}


def app_named(name: str) -> Starlette:
    async def answer(request: Request) -> Response:
        return PlainTextResponse(f"{name}: {request.method} {request.url.path}")

    return Starlette(routes=[Route("/{path:path}", answer, methods=["GET", "POST"])])


async def test_whatever_a_service_may_ask_of_another_reaches_that_one() -> None:
    asked = {**ASKED_BY_SERVICES, "ingest": [*ASKED_BY_SERVICES["ingest"], *SUBMITTED_OVER_MCP]}
    behind, doors = Behind(), choose_inner_doors()
    async with AsyncExitStack() as running:
        for owner in asked:
            behind.ports[owner] = [await running.enter_async_context(service(app_named(owner)))]
        proxy = await running.enter_async_context(HttpProxy(behind, behind.counted).running())
        await running.enter_async_context(doors.opened(proxy))
        client = await running.enter_async_context(httpx2.AsyncClient(trust_env=False, timeout=90))
        wanted = {_act(owner, right) for owner, table in asked.items() for right in table}
        found = {
            (await client.request(right.method, doors.settings[f"TARSY_{owner.upper()}_URL"] + right.path)).text
            for owner, table in asked.items()
            for right in table
        }
    assert found == wanted
    assert {"ingest: GET /internal/v1/prices", "timeline: GET /api/v1/sessions/{session_id}"} <= found


def _act(owner: str, right: RouteRight) -> str:
    return f"{owner}: {right.method} {right.path}"


def test_every_address_that_a_service_asks_is_an_inner_door() -> None:
    ours = {variable_of(name) for settings in SETTINGS.values() for name in settings.model_fields}
    assert choose_inner_doors().settings.keys() == {one for one in ours if one.endswith("_URL")}


def test_what_only_services_may_ask_leads_nowhere_from_outside() -> None:
    internal = [right.path for table in ASKED_BY_SERVICES.values() for right in table if right.access is Role.SERVICE]
    assert {path: service_of(path, OUTSIDE) for path in internal} == dict.fromkeys(internal)
