"""Access control in front of an app: refusals, what they count and log, and what a route sees."""

import httpx2
import pytest
from fastapi import APIRouter, Request
from prometheus_client import CollectorRegistry
from structlog.testing import capture_logs

from tarsy_auth.identity import Identity, Refusal
from tarsy_auth.roles import Role
from tarsy_service.access.access_control import AccessControl
from tarsy_service.access.caller import caller_of
from tarsy_service.access.denial_log import DenialLog
from tarsy_service.access.http_policy import DEFAULT_POLICY, HttpPolicy
from tarsy_service.access.rights import WEBSOCKET, RightsTable, rights
from tarsy_service.process.runner import Readiness, build_app
from tarsy_service.process.service import Ready, Service
from tarsy_testing.access import REFUSALS, answer_of, authenticate, check_each_route_has_one_right, key_of

ME, FORGOTTEN = "/api/v1/me", "/api/v1/forgotten"
POLICY = HttpPolicy(authenticate=authenticate)


async def nothing(ready: Ready) -> None:
    ready()


class Asked:
    def __init__(self, policy: HttpPolicy = POLICY) -> None:
        self.registry = CollectorRegistry()
        router = APIRouter()

        @router.get(ME)
        @router.post(ME)
        @router.get(FORGOTTEN)
        async def me(request: Request) -> dict[str, str]:
            return {"name": caller_of(request).name}

        table = (*rights(Role.VIEWER, f"GET {ME}"), *rights(Role.OPERATOR, f"POST {ME}"))
        service = Service("one", nothing, router, rights=table)
        self._app = build_app([service], Readiness([]), self.registry, policy=policy)

    async def __call__(self, method: str, path: str, *headers: tuple[str, str]) -> httpx2.Response:
        transport = httpx2.ASGITransport(app=self._app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.request(method, path, headers=list(headers))

    def denied(self, reason: str) -> float:
        return self.registry.get_sample_value("tarsy_http_denied_total", {"reason": reason}) or 0


def key(role: Role) -> tuple[str, str]:
    return "Authorization", key_of(role)


@pytest.mark.parametrize(
    ("credential", "reason"), [(None, "missing"), ("Bearer nonsense", "unknown"), ("Bearer expired", "expired")]
)
async def test_whoever_is_not_known_is_answered_401(credential: str | None, reason: str) -> None:
    asked = Asked()
    answer = await asked("GET", ME, *([("Authorization", credential)] if credential else []))
    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["cache-control"] == "no-store"
    assert asked.denied(reason) == 1


async def test_while_nobody_can_tell_the_answer_is_503_with_a_time_to_ask_again() -> None:
    answer = await Asked()("GET", ME, ("Authorization", "Bearer away"))
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
    assert answer.json()["detail"] == REFUSALS["Bearer away"].sentence


async def test_a_right_that_is_missing_is_named() -> None:
    asked = Asked()
    answer = await asked("POST", ME, key(Role.VIEWER))
    assert answer.status_code == 403
    assert answer.json()["detail"] == "This needs the role operator, and you have the role viewer."
    assert asked.denied("role") == 1


async def test_a_higher_role_may_do_what_a_lower_one_may() -> None:
    answer = await Asked()("GET", ME, key(Role.ADMIN), ("X-Forwarded-User", "root"))
    assert (answer.status_code, answer.json()) == (200, {"name": "the admin"})


async def test_a_route_without_a_right_is_for_nobody() -> None:
    asked = Asked()
    assert (await asked("GET", FORGOTTEN, key(Role.ADMIN))).status_code == 404
    assert (await asked("GET", "/nowhere", key(Role.ADMIN))).status_code == 404
    answer = await asked("PUT", ME, key(Role.ADMIN))
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, POST")
    assert answer.json()["detail"] == "This address takes GET, POST."
    assert asked.denied("no_right") == 3


async def test_two_credentials_are_none() -> None:
    asked = Asked()
    answer = await asked("GET", ME, key(Role.ADMIN), key(Role.ADMIN))
    assert (answer.status_code, asked.denied("malformed")) == (401, 1)


async def test_probes_need_no_credential_and_metrics_do() -> None:
    asked = Asked()
    assert [(await asked("GET", path)).status_code for path in ("/health", "/ready")] == [200, 200]
    assert [(await asked("GET", path)).status_code for path in ("/metrics", "/openapi.json")] == [401, 401]
    assert (await asked("GET", "/metrics", key(Role.VIEWER))).status_code == 200


async def test_the_name_and_the_page_are_looked_at_before_the_credential() -> None:
    asked = Asked()
    assert (await asked("POST", ME, ("Origin", "http://evil.example"))).status_code == 403
    assert (await asked("GET", ME, ("Host", "evil.example"))).status_code == 421
    assert asked.denied("missing") == 0


async def test_without_authentication_everything_is_as_before() -> None:
    asked = Asked(DEFAULT_POLICY)
    answer = await asked("GET", FORGOTTEN, ("X-Forwarded-User", "ann"))
    assert (answer.status_code, answer.json()) == (200, {"name": "ann"})


async def test_a_request_that_is_let_in_is_counted_by_its_route() -> None:
    asked = Asked()
    await asked("GET", ME, key(Role.VIEWER))
    labels = {"method": "GET", "route": ME, "status": "200"}
    assert asked.registry.get_sample_value("tarsy_http_requests_total", labels) == 1


@pytest.mark.parametrize(
    ("offered", "status"),
    [
        (["tarsy.v1", "tarsy.bearer.viewer"], 204),
        (["tarsy.bearer.viewer", "tarsy.v1"], 204),
        (["tarsy.v1", "tarsy.bearer.wrong"], 401),
        (["tarsy.v1", "tarsy.bearer.viewer", "tarsy.bearer.admin"], 401),
        (["tarsy.bearer.viewer"], 401),  # a browser would get no subprotocol back
        (["tarsy.v1"], 401),
        ([], 401),
    ],
    ids=str,
)
async def test_a_browser_sends_its_token_as_a_subprotocol(offered: list[str], status: int) -> None:
    async def reached(_: object, __: object, send: object) -> None:
        assert callable(send)
        await send({"type": "reached", "status": 204})

    app = AccessControl(reached, authenticate, RightsTable(rights(Role.VIEWER, f"{WEBSOCKET} /ws")))
    answer = await answer_of(app, WEBSOCKET, "/ws", {}, offered)
    assert answer["status"] == status


async def test_neither_a_credential_nor_a_flood_of_them_is_logged() -> None:
    clock = [0.0]
    denials = DenialLog("request.denied", lambda: clock[0])
    with capture_logs() as lines:
        for _ in range(1000):
            denials.write("unknown", {})
        denials.write("missing", {})
        clock[0] = 1.0
        denials.write("unknown", {})
    assert [(line["reason"], line["left_out"]) for line in lines] == [("unknown", 0), ("missing", 0), ("unknown", 999)]
    with capture_logs() as lines:
        await Asked()("GET", ME, ("Authorization", "Bearer sup3rs3cret"))
    assert len(lines) == 1
    assert "sup3rs3cret" not in str(lines)


async def test_the_highest_role_counts_where_templates_overlap() -> None:
    table = RightsTable(
        [*rights(Role.VIEWER, "GET /a/{id}"), *rights(Role.ADMIN, "GET /a/b"), *rights("open", "GET /{x}/b")]
    )
    assert [table.strictest_access("GET", path) for path in ("/a/b", "/a/c", "/c/b", "/c/d")] == [
        Role.ADMIN,
        1,
        "open",
        None,
    ]


async def test_a_service_may_ask_what_services_ask_and_nothing_else() -> None:
    table = RightsTable(
        [
            *rights(Role.VIEWER, "GET /sessions"),
            *rights(Role.VIEWER, "GET /sessions/{id}", also=Role.SERVICE),
            *rights(Role.OPERATOR, "GET /sessions/letters"),
            *rights(Role.SERVICE, "POST /internal/chains"),
            *rights("open", "GET /health"),
        ]
    )
    asked = (
        "GET /sessions",
        "GET /sessions/1",
        "GET /sessions/letters",
        "POST /internal/chains",
        "GET /health",
        "GET /x",
    )
    let_in = {role: [one for one in asked if table.admits(role, *one.split())] for role in Role}
    assert let_in[Role.SERVICE] == ["GET /sessions/1", "POST /internal/chains", "GET /health"]
    assert let_in[Role.OPERATOR] == ["GET /sessions", "GET /sessions/1", "GET /sessions/letters", "GET /health"]
    assert let_in[Role.VIEWER] == ["GET /sessions", "GET /sessions/1", "GET /health"]
    assert let_in[Role.ADMIN] == [*asked[:5]]
    assert table.strictest_access("POST", "/internal/chains") is Role.SERVICE


def test_each_route_that_every_process_has_has_one_right() -> None:
    check_each_route_has_one_right(Service("one", nothing))


async def test_a_token_that_is_rejected_is_answered_401() -> None:
    async def reject(_: str | None) -> Identity | Refusal:
        return Refusal("rejected", "The token is not accepted.")

    asked = Asked(HttpPolicy(authenticate=reject))
    assert ((await asked("GET", ME, key(Role.ADMIN))).status_code, asked.denied("rejected")) == (401, 1)
