"""Access matrix of the timeline: every route, with every kind of credential."""

import httpx2
import pytest
from fastapi import Request
from prometheus_client import CollectorRegistry

from tarsy_audit.trail import NOT_RECORDED, AuditTrail
from tarsy_auth.roles import Role
from tarsy_bus.client.publisher import NotWrittenError
from tarsy_service.access.rights import RouteRight
from tarsy_testing.access import Case, app_of, check_each_route_has_one_right, key_of, matrix, status_of
from tarsy_timeline.api.rights import RIGHTS
from tarsy_timeline.app import build
from tarsy_timeline.settings import TimelineSettings

SETTINGS = TimelineSettings.model_validate({"database": "postgresql://nobody@127.0.0.1:1/none"})


def test_each_route_has_exactly_one_right() -> None:
    check_each_route_has_one_right(build(SETTINGS, CollectorRegistry()))


# What a tool of MCP does is an act of the route that it asks. Slack is answered before the act: test_slack_door.py.
NO_ACTS = ("/internal", "/mcp", "/api/v1/slack")
ACTS = [right for right in RIGHTS if right.method != "GET" and not right.path.startswith(NO_ACTS)]


@pytest.mark.parametrize("act", ACTS, ids=lambda act: f"{act.method} {act.path}")
async def test_no_act_is_done_that_is_not_on_record(act: RouteRight, monkeypatch: pytest.MonkeyPatch) -> None:
    async def not_written(trail: AuditTrail, request: Request) -> None:
        raise NotWrittenError("no broker")

    monkeypatch.setattr(AuditTrail, "record", not_written)
    app = app_of(build(SETTINGS, CollectorRegistry()))
    path = act.path.replace("{", "").replace("}", "")
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://127.0.0.1") as asking:
        answer = await asking.request(
            act.method,
            path,
            headers={"Authorization": key_of(Role.ADMIN)},
            json={"content": "a", "decision": "approve"},
        )
    assert (answer.status_code, answer.json()["detail"]) == (503, NOT_RECORDED)


@matrix(RIGHTS)
async def test_a_route_is_for_its_role_and_those_above(case: Case) -> None:
    assert await status_of(case, RIGHTS) == case.status
