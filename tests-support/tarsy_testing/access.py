"""Access matrices: made-up callers, the routes of an app, and the answers that they get there."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pytest
from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from prometheus_client import CollectorRegistry
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tarsy_auth.identity import Identity, Refusal
from tarsy_auth.roles import Role
from tarsy_service.access.access_control import AccessControl
from tarsy_service.access.caller import IDENTITY
from tarsy_service.access.http_policy import HttpPolicy
from tarsy_service.access.rights import OWN_RIGHTS, WEBSOCKET, RightsTable, RouteRight
from tarsy_service.http.direct_calls import DirectRouteTable
from tarsy_service.process.runner import Readiness, build_app
from tarsy_service.process.service import Service

REFUSALS: Mapping[str | None, Refusal] = {
    None: Refusal("missing", "Send a key."),
    "Bearer expired": Refusal("expired", "The key has expired."),
    "Bearer away": Refusal("unavailable", "The provider does not answer."),
}
REACHED = 204


async def authenticate(credential: str | None) -> Identity | Refusal:
    """`Bearer ROLE` is the key of somebody with this role."""
    for role in Role:
        if credential == key_of(role):
            return Identity(f"the {role.label}", role, "api_key", role.label)
    return REFUSALS.get(credential, Refusal("unknown", "The key is not known."))


def key_of(role: Role) -> str:
    return f"Bearer {role.label}"


def request_with(headers: Mapping[str, str], identity: Identity | None = None) -> Request:
    """A request as a route sees it; `identity` is that of whoever was authenticated."""
    raw = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    known = {} if identity is None else {IDENTITY: identity}
    return Request({"type": "http", "headers": raw, **known})


def routes_of(app: FastAPI) -> list[tuple[str, str]]:
    """Each with its method, as tables of rights write it."""
    return sorted(_routes(app))


def _routes(app: FastAPI) -> Iterator[tuple[str, str]]:
    # Direct calls are a second way to routes of routers.
    named = [route for route in app.routes if not isinstance(route, DirectRouteTable)]
    for route in iter_route_contexts(named):
        for method in route.methods or {WEBSOCKET}:
            yield method, route.path or ""


def app_of(service: Service) -> FastAPI:
    return build_app([service], Readiness([]), CollectorRegistry(), policy=HttpPolicy(authenticate=authenticate))


def check_each_route_has_one_right(service: Service) -> None:
    table = Counter((right.method, right.path) for right in [*OWN_RIGHTS, *service.rights])
    assert Counter(routes_of(app_of(service))) == table


@dataclass(frozen=True, slots=True)
class Case:
    right: RouteRight
    credential: str | None
    status: int

    def __str__(self) -> str:
        return f"{self.right.method} {self.right.path}-{self.credential or 'no credential'}"


def cases_of(rights: Sequence[RouteRight]) -> list[Case]:
    """The access matrix: every route with no, a wrong, an expired, a too little and the right credential."""
    return [case for right in rights for case in _cases(right)]


def _cases(right: RouteRight) -> Iterator[Case]:
    others = {None: 401, "Bearer wrong": 401, "Basic dXNlcjpwYXNz": 401, "Bearer expired": 401, "Bearer away": 503}
    for credential, status in others.items():
        yield Case(right, credential, REACHED if right.access == "open" else status)
    for role in Role:
        enough = right.access == "open" or role is right.also or role.may(right.access)
        yield Case(right, key_of(role), REACHED if enough else 403)


def matrix(rights: Sequence[RouteRight]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", cases_of([*OWN_RIGHTS, *rights]), ids=str)


async def status_of(case: Case, table: Sequence[RouteRight]) -> int:
    """The status of the answer, REACHED for a request that is let in: what stands behind is not asked."""
    app = AccessControl(_reached, authenticate, RightsTable([*OWN_RIGHTS, *table]))
    path = case.right.path.replace("{path:path}", "a/b").replace("{", "").replace("}", "")
    headers = {} if case.credential is None else {"authorization": case.credential}
    answer = await answer_of(app, case.right.method, path, headers)
    return int(answer["status"])


async def answer_of(
    app: ASGIApp, method: str, path: str, headers: Mapping[str, str], subprotocols: Sequence[str] = ()
) -> Message:
    """The beginning of the answer."""
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b""}

    async def send(message: Message) -> None:
        sent.append(message)

    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope: Scope = {"type": "http", "method": method, "path": path, "headers": raw}
    if method == WEBSOCKET:
        extensions: dict[str, object] = {"websocket.http.response": {}}
        scope = {"type": "websocket", "path": path, "headers": raw, "extensions": extensions}
        scope["subprotocols"] = list(subprotocols)
    await app(scope, receive, send)
    return sent[0]


async def _reached(_: Scope, __: Receive, send: Send) -> None:
    await send({"type": "reached", "status": REACHED})
