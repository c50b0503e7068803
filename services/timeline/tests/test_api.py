"""The service as a whole: HTTP in front, a real Kafka and a real PostgreSQL behind."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import httpx2
import pytest
from prometheus_client import CollectorRegistry

from tarsy_bus.client.connection import Bus
from tarsy_contracts.messages.inputs import (
    CancelRequested,
    OperatorRequest,
    SessionFailRequested,
    SessionReleaseRequested,
)
from tarsy_service.process.runner import Readiness, build_app
from tarsy_testing.old_messages import old_message
from tarsy_testing.real_servers import eventually
from tarsy_testing.story.projection import once_projected
from tarsy_testing.story.session_owner import owner_answers
from tarsy_timeline.app import build
from tarsy_timeline.settings import TimelineSettings

type Make = Callable[..., Any]
type Append = Callable[..., Awaitable[int]]

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_the_list_has_gos_shape_and_its_filters(client: httpx2.AsyncClient, session: Any) -> None:
    answer = (await client.get(f"/api/v1/sessions?id_prefix={session.id}")).json()

    assert answer["pagination"] == {"page": 1, "page_size": 25, "total_pages": 1, "total_items": 1}
    [item] = answer["sessions"]
    expected = {
        "id": session.id, "alert_type": "pod-crash", "chain_id": "default", "status": "completed", "author": "ann",
        "created_at": "2026-11-22T10:00:00.000Z", "completed_at": "2026-11-22T10:00:12.000Z", "duration_ms": 11_000,
        "total_stages": 1, "completed_stages": 1, "llm_interaction_count": 1, "mcp_interaction_count": 1,
        "total_tokens": 120, "has_parallel_stages": False, "scripted": True, "last_number": 13,
    }  # fmt: skip
    assert {name: item[name] for name in expected} == expected

    mine = f"&id_prefix={session.id}"

    async def count(query: str) -> int:
        found: int = (await client.get(f"/api/v1/sessions?{query}{mine}")).json()["pagination"]["total_items"]
        return found

    assert await count("status=failed,completed&alert_type=pod-crash&chain_id=default") == 1
    assert await count("status=failed") == 0
    assert await count("start_date=2026-11-22T10:00:00Z&end_date=2026-11-22T10:00:01Z") == 1
    assert await count("end_date=2026-11-22T10:00:00Z") == 0
    for order in ("created_at", "status", "alert_type", "author", "duration"):
        assert await count(f"sort_by={order}&sort_order=asc&page=1") == 1


async def test_a_session_is_found_by_the_beginning_of_its_id(client: httpx2.AsyncClient, session: Any) -> None:
    async def found(beginning: str) -> list[str]:
        answer = (await client.get(f"/api/v1/sessions?id_prefix={beginning}")).json()
        assert answer["pagination"]["total_items"] == len(answer["sessions"])
        return [item["id"] for item in answer["sessions"]]

    assert await found(session.id[:12]) == [session.id]
    assert await found(session.id) == [session.id]
    assert await found(session.id[1:12]) == []
    assert await found("_") == []


async def test_the_search_looks_into_alerts_and_timelines(client: httpx2.AsyncClient, session: Any) -> None:
    """A moment later: the projector does not wait for the index."""

    async def found(text: str) -> bool:
        items = (await client.get(f"/api/v1/sessions?search={text}&page_size=100")).json()["sessions"]
        return session.id in [item["id"] for item in items]

    await eventually(lambda: found("crashes%20dns%20short"), "alert and timeline are indexed")
    assert [await found(text) for text in ("50%25", "I%20look", session.id, "%220%25%22", "5_%25")] == [
        True, True, True, False, False
    ]  # fmt: skip


@pytest.mark.parametrize(
    "query",
    [
        "sort_by=nope",
        "search=ab",
        "status=nope",
        "start_date=yesterday",
        "page=0",
        "search=a%00bc",
        "id_prefix=a%00",
        "start_date=0001-01-01T00:00:00%2B01:00",
        "end_date=9999-12-31T23:59:59-23:59",
        "limit=1",
    ],
)
async def test_a_wrong_query_is_a_problem(client: httpx2.AsyncClient, query: str) -> None:
    answer = await client.get(f"/api/v1/sessions?{query}")

    assert answer.status_code == 400
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["errors"][0]["pointer"] == "/" + query.partition("=")[0]


async def test_detail_status_and_timeline(client: httpx2.AsyncClient, session: Any) -> None:
    detail = (await client.get(f"/api/v1/sessions/{session.id}")).json()
    status = (await client.get(f"/api/v1/sessions/{session.id}/status")).json()
    timeline = await once_projected(client, f"/api/v1/sessions/{session.id}/timeline?at_least=13")

    assert detail["alert_data"] == "pod api-7 crashes 50% of the time"
    assert detail["last_number"] == 13
    [stage] = detail["stages"]
    assert (stage["stage_name"], stage["status"], stage["expected_agent_count"]) == ("look", "completed", 1)
    [execution] = stage["executions"]
    assert (execution["agent_name"], execution["llm_provider"], execution["model_name"]) == ("looker", None, "m1")
    assert (status["status"], status["final_analysis"], status["error_message"]) == ("completed", "It was DNS.", None)
    assert timeline.headers["TARSy-Last-Number"] == "13"
    events = timeline.json()
    assert [event["sequence_number"] for event in events] == [50, 51, 60, 90, 110]
    assert events[2]["stage_id"] == stage["id"]
    assert events[2]["metadata"]["arguments"] == {"ns": "a\ufffdb"}
    assert events[2]["metadata"]["display_cut"] is True
    assert events[2]["metadata"]["outcome"] == "ok"


@pytest.mark.usefixtures("impatient")
async def test_unknown_sessions_and_numbers_not_reached_are_problems(client: httpx2.AsyncClient, session: Any) -> None:
    for path in ("", "/status", "/timeline"):
        answer = await client.get(f"/api/v1/sessions/nope{path}")
        assert (answer.status_code, answer.json()["detail"]) == (404, "There is no session nope.")

        answer = await client.get(f"/api/v1/sessions/{session.id}{path}?at_least=14")
        assert (answer.status_code, answer.json()["title"]) == (503, "Not there yet")


@pytest.mark.parametrize("path", ["", "/status", "/timeline"])
async def test_a_reader_that_waits_gets_the_event_once_it_is_projected(
    client: httpx2.AsyncClient, system_bus: Bus, append: Append, new_session: Make, story: Make, path: str
) -> None:
    """Who heard of the last event over the WebSocket is not told of a session that still runs."""
    session = story(new_session())
    await append(system_bus, 0, session.records[:5])

    waiting = asyncio.create_task(once_projected(client, f"/api/v1/sessions/{session.id}{path}?at_least=13"))
    await append(system_bus, 0, session.records[5:])

    answer = await waiting
    assert answer.headers["TARSy-Last-Number"] == "13"
    if path != "/timeline":
        assert (answer.json()["status"], answer.json()["last_number"]) == ("completed", 13)


async def test_gateways_get_the_identity_the_positions_and_every_chain(
    client: httpx2.AsyncClient, session: Any
) -> None:
    answer = await client.get("/internal/v1/chains")

    head, *lines = [json.loads(line) for line in answer.text.splitlines()]
    assert head["log_identity"]["topic"].endswith(".sessions")
    assert set(head["positions"]) == {str(number) for number in range(12)}
    assert head["positions"]["1"] >= 13
    known = session.known()
    assert {"session_id": session.id, "partition": 1, "event_id": known.event_id, "number": 13} in lines


async def test_gateways_ask_for_the_chains_of_open_sessions_and_of_those_that_they_name(
    client: httpx2.AsyncClient, system_bus: Bus, append: Append, new_session: Make, story: Make, session: Any
) -> None:
    running = story(new_session())
    await append(system_bus, 2, running.records[:5])
    await once_projected(client, f"/internal/v1/sessions/{running.id}/history?at_least=5")

    answer = await client.get("/internal/v1/chains?open_only=true")
    head, *lines = [json.loads(line) for line in answer.text.splitlines()]
    named = {line["session_id"]: line["number"] for line in lines}
    assert (named.get(running.id), named.get(session.id)) == (5, None)

    asked = {"session_ids": [session.id, "never-was", "never\0was"]}
    answer = await client.post("/internal/v1/chains", json=asked)
    again, line = [json.loads(line) for line in answer.text.splitlines()]
    assert again["log_identity"] == head["log_identity"]
    assert again["positions"]["2"] >= head["positions"]["2"] >= 5
    known = session.known()
    assert line == {"session_id": session.id, "partition": 1, "event_id": known.event_id, "number": 13}


async def test_gateways_get_a_history_of_one_moment(client: httpx2.AsyncClient, session: Any) -> None:
    history = (await once_projected(client, f"/internal/v1/sessions/{session.id}/history?at_least=13")).json()

    assert history["last_number"] == history["session"]["last_number"] == 13
    assert [event["number"] for event in history["timeline"]] == [5, 5, 8, 10, 11]


async def test_gateways_get_the_histories_of_several_sessions_of_one_moment(
    client: httpx2.AsyncClient, system_bus: Bus, append: Append, new_session: Make, story: Make, session: Any
) -> None:
    """Without those that do not reach yet what was asked for."""
    running = story(new_session())
    await append(system_bus, 2, running.records[:5])
    alone = (await once_projected(client, f"/internal/v1/sessions/{running.id}/history?at_least=5")).json()

    def asked(id: str, number: int, partition: int = 2, offset: int = 0) -> dict[str, object]:
        return {"session_id": id, "number": number, "partition": partition, "offset": offset}

    async def answers(*sessions: dict[str, object]) -> dict[str, Any]:
        answer = await client.post("/internal/v1/histories", json={"sessions": sessions})
        head, *lines = [json.loads(line) for line in answer.text.splitlines()]
        assert head["positions"]["2"] >= 5
        return {line["session_id"]: line for line in lines}

    found = await answers(asked(session.id, 13, 1), asked(running.id, 5), asked("never-was", 0), asked("a\0", 0))
    assert {id: line["number"] for id, line in found.items()} == {session.id: 13, running.id: 5}
    assert found[running.id]["history"] == alone
    assert found[session.id]["history"]["last_number"] == 13

    early = await answers(asked(session.id, 14, 1), asked(running.id, 5, offset=10**9))
    told = {id: (line["reached"], line["history"]) for id, line in early.items()}
    assert told == {session.id: (False, None), running.id: (False, None)}


async def test_a_log_of_an_earlier_version_is_shown_like_any_other(
    client: httpx2.AsyncClient, system_bus: Bus, append: Append, new_session: Make, story: Make
) -> None:
    """`session.started` as it was written before native tools were named."""
    told, old = story(new_session()), new_session()
    old.add_body("session.started", 1, old_message("session.started", 1))
    old.add(*(told.recorded(number).event for number in range(2, 14)))
    await append(system_bus, 3, old.records)

    detail = (await once_projected(client, f"/api/v1/sessions/{old.id}?at_least=13")).json()

    assert (detail["status"], detail["title"], detail["total_stages"]) == ("completed", "Crash", 4)
    assert detail["mcp_selection"] == {
        "servers": [{"name": "kubernetes", "tools": ["pods_list"]}],
        "native_tools": {"google_search": True, "url_context": False, "code_execution": None},
    }


async def test_the_message_of_slack_and_the_rule_of_the_chain_are_shown(
    client: httpx2.AsyncClient, system_bus: Bus, append: Append, new_session: Make, story: Make
) -> None:
    """Notifications ask for it after a restart."""
    told, session = story(new_session()), new_session()
    started = told.recorded(1).event
    alert = started.alert.model_copy(update={"slack_message_fingerprint": "FIRING: cart"})
    chain = started.chain.model_copy(update={"chosen_by": "no chain matched, so the default", "unmatched": True})
    session.add(started.model_copy(update={"alert": alert, "chain": chain}))
    await append(system_bus, 3, session.records)

    detail = (await once_projected(client, f"/api/v1/sessions/{session.id}?at_least=1")).json()

    assert detail["slack_message_fingerprint"] == "FIRING: cart"
    assert (detail["chain_chosen_by"], detail["chain_unmatched"]) == ("no chain matched, so the default", True)


@pytest.mark.parametrize(
    ("accepted", "code", "reason"), [(True, 200, ""), (False, 409, "It has ended."), (False, 404, "Never seen.")]
)
async def test_a_cancellation_is_answered_by_the_owner(
    client: httpx2.AsyncClient, system_bus: Bus, accepted: bool, code: int, reason: str
) -> None:
    asking = asyncio.Event()
    owner = asyncio.create_task(owner_answers(system_bus, asking, accepted, code, reason))
    await asking.wait()

    answer = await client.post(
        "/api/v1/sessions/abc/cancel",
        json={"reason": "a drill, password=kf83Jd72lPq0"},
        headers={"X-Forwarded-User": "bob", "Idempotency-Key": f"k{code}"},
    )

    [asked] = await owner
    assert isinstance(asked, CancelRequested)
    assert asked.author == "bob"
    assert asked.comment.startswith("a drill, password=")
    assert "kf83Jd72lPq0" not in asked.comment
    assert answer.status_code == code
    assert answer.json().get("detail", "") == reason
    assert answer.json().get("session_id") == ("abc" if accepted else None)


@pytest.mark.parametrize(
    ("verb", "body", "expected"),
    [
        ("release", None, SessionReleaseRequested(request_id="", author="olga", request="release")),
        ("retry", None, SessionReleaseRequested(request_id="", author="olga", request="retry")),
        ("fail", {"reason": "no use"}, SessionFailRequested(request_id="", author="olga", reason="no use")),
    ],
)
async def test_an_operators_verb_is_answered_by_the_owner(
    client: httpx2.AsyncClient, system_bus: Bus, verb: str, body: object, expected: OperatorRequest
) -> None:
    asking = asyncio.Event()
    owner = asyncio.create_task(owner_answers(system_bus, asking, True, 200, ""))
    await asking.wait()

    answer = await client.post(f"/api/v1/sessions/abc/{verb}", json=body, headers={"X-Forwarded-User": "olga"})

    [asked] = await owner
    assert asked.model_copy(update={"request_id": ""}) == expected
    assert (answer.status_code, answer.json()["request_id"]) == (200, asked.request_id)


@pytest.mark.parametrize("body", [None, {}, {"reason": ""}, {"reason": "x" * 1_001}])
async def test_who_ends_a_session_says_why(client: httpx2.AsyncClient, body: object) -> None:
    assert (await client.post("/api/v1/sessions/abc/fail", json=body)).status_code == 400


@pytest.mark.usefixtures("impatient")
async def test_without_an_answer_a_cancellation_is_taken_in(client: httpx2.AsyncClient) -> None:
    headers = {"Idempotency-Key": "k"}
    first = await client.post("/api/v1/sessions/abc/cancel", headers=headers)
    again = await client.post("/api/v1/sessions/abc/cancel", headers=headers)
    other = await client.post("/api/v1/sessions/xyz/cancel", headers=headers)

    assert first.status_code == 202
    assert first.headers["Location"] == first.json()["location"] == "/api/v1/sessions/abc/status"
    assert again.json() == first.json()
    assert other.json()["request_id"] != first.json()["request_id"]


@pytest.mark.usefixtures("impatient")
async def test_the_same_key_with_another_body_is_refused(client: httpx2.AsyncClient) -> None:
    headers = {"Idempotency-Key": "of one reason"}
    first = await client.post("/api/v1/sessions/abc/fail", json={"reason": "no use"}, headers=headers)
    again = await client.post("/api/v1/sessions/abc/fail", json={"reason": "no use"}, headers=headers)
    other = await client.post("/api/v1/sessions/abc/fail", json={"reason": "too slow"}, headers=headers)

    assert (first.status_code, again.status_code, again.json()) == (202, 202, first.json())
    assert (other.status_code, other.headers["content-type"]) == (422, "application/problem+json")
    assert "Idempotency-Key" in other.json()["detail"]


async def test_a_session_is_summed_up_in_gos_shape(client: httpx2.AsyncClient, session: Any) -> None:
    answer = await once_projected(client, f"/api/v1/sessions/{session.id}/summary?at_least=13")

    assert answer.headers["TARSy-Last-Number"] == "13"
    assert answer.json() == {
        "session_id": session.id, "total_interactions": 2, "llm_interactions": 1, "mcp_interactions": 1,
        "input_tokens": 100, "output_tokens": 20, "total_tokens": 120, "total_duration_ms": 11_000,
        "estimated_cost_usd": None, "cost_completeness": "none", "unpriced_interaction_count": 1,
        "chain_statistics": {
            "total_stages": 1, "completed_stages": 1, "failed_stages": 0, "current_stage_index": 1
        },
        "last_number": 13,
    }  # fmt: skip
    unknown = await client.get("/api/v1/sessions/nope/summary")
    assert (unknown.status_code, unknown.json()["message"]) == (404, "There is no session nope.")


async def test_runbooks_are_those_that_alerts_named(
    client: httpx2.AsyncClient, system_bus: Bus, append: Append, new_session: Make, story: Make
) -> None:
    last = None
    for name in ("disk.md", "crash.md", "disk.md"):
        last = new_session()
        started = story(new_session()).recorded(1).event
        alert = started.alert.model_copy(update={"runbook_url": f"https://github.com/o/r/blob/main/{name}"})
        last.add(started.model_copy(update={"alert": alert}))
        await append(system_bus, 4, last.records)
        await once_projected(client, f"/api/v1/sessions/{last.id}?at_least=1")

    found = (await client.get("/api/v1/runbooks")).json()

    assert sorted(found) == [f"https://github.com/o/r/blob/main/{name}" for name in ("crash.md", "disk.md")]


async def test_while_there_is_no_database_answers_are_503() -> None:
    registry = CollectorRegistry()
    service = build(TimelineSettings.model_validate({"database": "postgresql://nobody@127.0.0.1:1/none"}), registry)
    transport = httpx2.ASGITransport(build_app([service], Readiness([service.name]), registry))
    async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
        for path in ("/api/v1/sessions", "/api/v1/sessions/x", "/internal/v1/chains"):
            answer = await client.get(path)
            assert (answer.status_code, answer.json()["title"]) == (503, "Service unavailable")


async def test_metrics_are_told(client: httpx2.AsyncClient, session: Any) -> None:
    """Rows are there a moment before they are counted."""

    async def are_told() -> bool:
        text = (await client.get("/metrics")).text
        counted = 'tarsy_timeline_events_projected_total{type="session.started"} ' in text
        return counted and 'tarsy_timeline_lag_records{partition="1"} 0.0' in text

    await eventually(are_told, "events are counted, and nothing waits")
