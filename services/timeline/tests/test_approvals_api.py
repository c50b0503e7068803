"""Calls that wait for a person, over HTTP: listed from a real PostgreSQL, decided through a real Kafka."""

import asyncio
from typing import Any

import httpx2
import pytest
from projected_world import NewSession, World, records

from tarsy_bus.client.connection import Bus
from tarsy_contracts import events as e
from tarsy_contracts.messages.inputs import CallDecisionRequested
from tarsy_testing.story.session_owner import owner_answers
from tarsy_testing.story.whole_chain import begun

WAIT_SECONDS = 90.0
SECRET = "ghp_" + "a1B2c3D4e5F6" * 3


def waits(call_id: str, *, timeout_seconds: float = 600) -> e.ToolCallApprovalRequested:
    return e.ToolCallApprovalRequested(
        call_id=call_id, execution_id="", server="kubernetes", tool="pods_delete", arguments={"name": "api-7"},
        reason="It hangs.", role="responder", timeout_seconds=timeout_seconds, on_timeout="deny",
    )  # fmt: skip


def decided(call_id: str, outcome: e.ApprovalOutcome = "approved") -> e.ToolCallApprovalDecided:
    return e.ToolCallApprovalDecided(call_id=call_id, outcome=outcome, author="ann", comment="go on")


async def test_what_waits_is_listed_until_somebody_has_decided(world: World, new_session: NewSession) -> None:
    one, other = new_session(), new_session()
    one.add(begun(), waits(f"late-{one.id}"), waits(f"soon-{one.id}", timeout_seconds=60))
    other.add(begun(), waits(f"call-{other.id}"), decided(f"call-{other.id}"))
    await world.project(*records(one), *records(other))

    listed = await world.get("/api/v1/approvals")
    assert [call["call_id"] for call in listed["approvals"]] == [f"soon-{one.id}", f"late-{one.id}"]
    assert listed["total_items"] == 2
    first = listed["approvals"][0]
    expected = {
        "session_id": one.id, "server_name": "kubernetes", "tool_name": "pods_delete",
        "arguments": {"name": "api-7"}, "reason": "It hangs.", "role": "responder",
    }  # fmt: skip
    assert {name: first[name] for name in expected} == expected
    assert first["requested_at"] < first["expires_at"]
    assert await world.get(f"/api/v1/sessions/{one.id}/approvals") == listed
    assert (await world.get(f"/api/v1/sessions/{other.id}/approvals"))["approvals"] == []

    waiting = {row["id"]: row["approvals_waiting"] for row in (await world.get("/api/v1/sessions"))["sessions"]}
    assert waiting == {one.id: 2, other.id: 0}
    assert (await world.detail(one))["approvals_waiting"] == 2


async def test_the_timeline_has_the_wait_and_the_decision(world: World, new_session: NewSession) -> None:
    session = new_session()
    session.add(begun(), waits(session.id), decided(session.id, "denied"))
    await world.project(*records(session))
    (shown,) = (await world.client.get(f"/api/v1/sessions/{session.id}/timeline")).json()
    assert (shown["event_type"], shown["status"], shown["content"]) == (
        "approval",
        "completed",
        "ann denied the call. go on",
    )
    about = {
        name: shown["metadata"][name] for name in ("outcome", "author", "comment", "reason", "tool_name", "call_id")
    }
    assert about == {
        "outcome": "denied", "author": "ann", "comment": "go on", "reason": "It hangs.", "tool_name": "pods_delete",
        "call_id": session.id,
    }  # fmt: skip


async def test_a_session_that_an_operator_ended_unread_waits_for_nobody(world: World, new_session: NewSession) -> None:
    session = new_session()
    session.add(begun(), waits(session.id), e.SessionFailed(error="ended by olga", request_id="r"))
    await world.project(*records(session))
    assert (await world.get("/api/v1/approvals"))["approvals"] == []
    assert (await world.detail(session))["approvals_waiting"] == 0


async def test_the_calls_of_a_session_that_is_not_there_are_not_found(world: World, new_session: NewSession) -> None:
    await world.project(new_session().add(begun()).recorded(1))
    assert (await world.client.get("/api/v1/sessions/none/approvals")).status_code == 404


# Decisions

through_kafka = pytest.mark.asyncio(loop_scope="module")


async def send(
    client: httpx2.AsyncClient,
    bus: Bus,
    body: dict[str, str],
    *,
    accepted: bool = True,
    code: int = 200,
    reason: str = "",
) -> tuple[httpx2.Response, CallDecisionRequested]:
    """The answer of the API, and what came to the inbox, when the owner answers so."""
    asking = asyncio.Event()
    owner = asyncio.create_task(owner_answers(bus, asking, accepted, code, reason))
    await asking.wait()
    answer = await client.post("/api/v1/sessions/abc/approvals/c1", json=body, headers={"X-Forwarded-User": "bob"})
    async with asyncio.timeout(WAIT_SECONDS):
        [asked] = await owner
    assert isinstance(asked, CallDecisionRequested)
    return answer, asked


@through_kafka
@pytest.mark.parametrize(("decision", "done"), [("approve", "The call is approved."), ("deny", "The call is denied.")])
async def test_a_decision_goes_to_the_owner_with_its_author_and_masked(
    client: httpx2.AsyncClient, system_bus: Bus, decision: str, done: str
) -> None:
    answer, asked = await send(client, system_bus, {"decision": decision, "comment": f"token {SECRET}"})
    assert (answer.status_code, answer.json()["message"]) == (200, done)
    assert (asked.call_id, asked.decision, asked.author) == ("c1", decision, "bob")
    assert SECRET not in asked.comment


@through_kafka
async def test_a_decision_that_comes_second_is_a_conflict_with_the_one_on_record(
    client: httpx2.AsyncClient, system_bus: Bus
) -> None:
    reason = "the call was approved already, by ann"
    answer, _ = await send(client, system_bus, {"decision": "deny"}, accepted=False, code=409, reason=reason)
    assert (answer.status_code, answer.json()["detail"]) == (409, reason)


@through_kafka
@pytest.mark.usefixtures("impatient")
async def test_the_same_key_with_another_decision_is_refused(client: httpx2.AsyncClient) -> None:
    async def post(decision: str) -> httpx2.Response:
        headers = {"Idempotency-Key": "k"}
        return await client.post("/api/v1/sessions/abc/approvals/c2", json={"decision": decision}, headers=headers)

    first, again = await asyncio.gather(post("approve"), post("approve"))
    assert (first.status_code, first.json()["request_id"]) == (202, again.json()["request_id"])
    assert (await post("deny")).status_code == 422


@through_kafka
@pytest.mark.parametrize(
    "body",
    [{}, {"decision": "maybe"}, {"decision": "approve", "comment": "x" * 2_001}, {"decision": "deny", "by": "me"}],
)
async def test_what_is_no_decision_is_a_problem(client: httpx2.AsyncClient, body: dict[str, Any]) -> None:
    answer = await client.post("/api/v1/sessions/abc/approvals/c1", json=body)
    assert answer.status_code in (400, 422)
    assert answer.headers["content-type"] == "application/problem+json"
