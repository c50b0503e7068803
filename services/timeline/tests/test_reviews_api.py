"""Reviews over HTTP: listed, filtered and told from a real PostgreSQL, decided through a real Kafka."""

import asyncio
from typing import Any

import httpx2
import pytest
from projected_world import NewSession, World, records

from tarsy_bus.client.connection import Bus
from tarsy_contracts import events as e
from tarsy_contracts.messages.inputs import ReviewRequested
from tarsy_contracts.review import FIRST_STATUSES, Rating, ReviewAction, ReviewStatus
from tarsy_testing.story.session_owner import owner_answers
from tarsy_testing.story.whole_chain import begun

WAIT_SECONDS = 90.0
SECRET = "ghp_" + "a1B2c3D4e5F6" * 3


def reviewed(
    action: ReviewAction, before: ReviewStatus, after: ReviewStatus, number: int = 1, rating: Rating | None = None
) -> e.ReviewChanged:
    return e.ReviewChanged(
        request_id=f"r{number}", number=number, author="ann", action=action, from_status=before, to_status=after,
        assignee="" if after == "needs_review" else "ann", rating=rating or "", cause="a full disk" if rating else "",
    )  # fmt: skip


ENDED = e.SessionCompleted(final_analysis="A leak.")
CLAIMED = reviewed("claim", "needs_review", "in_progress")
RATED = reviewed("complete", "in_progress", "reviewed", 2, "wrong")
REOPENED = reviewed("reopen", "reviewed", "needs_review", 3)


async def find(world: World, query: str) -> list[str]:
    return [row["id"] for row in (await world.get(f"/api/v1/sessions?{query}"))["sessions"]]


async def test_the_board_is_the_list_by_the_status_of_the_review(world: World, new_session: NewSession) -> None:
    new, claimed, rated, running = (new_session() for _ in range(4))
    new.add(begun(), ENDED)
    claimed.add(begun(), ENDED, CLAIMED)
    rated.add(begun(), ENDED, CLAIMED, RATED)
    running.add(begun())
    await world.project(*(record for one in (new, claimed, rated, running) for record in records(one)))

    assert await find(world, "review_status=needs_review") == [new.id]
    assert await find(world, "review_status=in_progress&assignee=ann") == [claimed.id]
    assert await find(world, "review_status=in_progress&assignee=ben") == []
    assert sorted(await find(world, "review_status=in_progress,reviewed")) == sorted([claimed.id, rated.id])
    assert await find(world, "quality_rating=inaccurate") == [rated.id]
    assert (await find(world, "sort_by=quality_rating"))[0] == rated.id
    for sort in ("quality_rating", "score"):
        await world.get(f"/api/v1/sessions?search=memory&sort_by={sort}")
    assert await find(world, "team=nobody") == []
    triage = {group: await world.get(f"/api/v1/sessions/triage/{group}") for group in ("investigating", "needs_review")}
    assert {group: [row["id"] for row in page["sessions"]] for group, page in triage.items()} == {
        "investigating": [running.id],
        "needs_review": [new.id],
    }
    assert triage["needs_review"]["count"] == 1


async def test_a_session_tells_its_review_and_every_act_on_it(world: World, new_session: NewSession) -> None:
    session = new_session()
    session.add(begun(), ENDED, CLAIMED, RATED)
    await world.project(*records(session))
    detail = await world.detail(session)
    names = ("review_status", "assignee", "quality_rating", "review_cause", "reviewed_by")
    assert [detail[name] for name in names] == ["reviewed", "ann", "wrong", "a full disk", "ann"]
    session.add(REOPENED)
    await world.project(*records(session)[-1:])
    detail = await world.detail(session)
    assert (detail["review_status"], detail["assignee"], detail["quality_rating"]) == ("needs_review", None, None)
    acts = (await world.get(f"/api/v1/sessions/{session.id}/review-activity"))["activities"]
    assert [(act["action"], act["rating"]) for act in acts] == [
        ("claim", None),
        ("complete", "wrong"),
        ("reopen", None),
    ]


@pytest.mark.parametrize("ended", [ENDED, e.SessionFailed(error="no"), e.SessionCancelled(author="ann"), None])
async def test_a_review_that_nobody_has_begun_follows_from_the_end(
    world: World, new_session: NewSession, ended: e.Event | None
) -> None:
    session = new_session()
    session.add(begun(), *([] if ended is None else [ended]))
    await world.project(*records(session))
    detail = await world.detail(session)
    assert detail["review_status"] == FIRST_STATUSES.get(detail["status"])
    for status in ("needs_review", "reviewed"):
        found = await find(world, f"review_status={status}")
        assert found == ([session.id] if detail["review_status"] == status else [])


async def test_nothing_of_a_review_outlives_its_session(world: World, new_session: NewSession) -> None:
    session = new_session()
    session.add(begun(), ENDED, CLAIMED, RATED, e.SessionDeleted(request_id="d", author="ann"))
    await world.project(*records(session))
    assert await find(world, "review_status=reviewed") == []
    assert (await world.client.get(f"/api/v1/sessions/{session.id}/review-activity")).status_code == 404


through_kafka = pytest.mark.asyncio(loop_scope="module")


async def send(client: httpx2.AsyncClient, bus: Bus, body: dict[str, Any], reason: str = "") -> tuple[Any, Any]:
    """The answer of the API, and what came to the inbox. With a reason the owner refuses."""
    asking = asyncio.Event()
    owner = asyncio.create_task(owner_answers(bus, asking, not reason, 409 if reason else 200, reason))
    await asking.wait()
    bulk = "session_ids" in body
    path, method = ("review", "PATCH") if bulk else ("abc/review", "POST")
    headers = {"X-Forwarded-User": "bob"}
    answer = await client.request(method, f"/api/v1/sessions/{path}", json=body, headers=headers)
    async with asyncio.timeout(WAIT_SECONDS):
        [asked] = await owner
    return answer, asked


@through_kafka
async def test_an_act_goes_to_the_owner_with_its_author_and_masked(client: httpx2.AsyncClient, system_bus: Bus) -> None:
    body = {"action": "complete", "rating": "wrong", "cause": f"token {SECRET}", "note": SECRET}
    answer, asked = await send(client, system_bus, body)
    assert (answer.status_code, answer.json()["message"]) == (200, "It is on record.")
    assert isinstance(asked, ReviewRequested)
    assert (asked.author, asked.action, asked.rating) == ("bob", "complete", "wrong")
    assert SECRET not in asked.to_bytes().decode()


@through_kafka
async def test_whoever_comes_second_is_told_who_was_first(client: httpx2.AsyncClient, system_bus: Bus) -> None:
    answer, _ = await send(client, system_bus, {"action": "claim"}, "ann has claimed the review: reassign it first")
    assert answer.status_code == 409
    assert answer.json()["detail"].startswith("ann has claimed")


@through_kafka
async def test_several_reviews_are_decided_one_by_one_by_go_tarsys_names(
    client: httpx2.AsyncClient, system_bus: Bus
) -> None:
    body = {
        "session_ids": ["abc"],
        "action": "update_feedback",
        "quality_rating": "partially_accurate",
        "investigation_feedback": "so so",
    }
    answer, asked = await send(client, system_bus, body)
    assert answer.json() == {"results": [{"session_id": "abc", "success": True, "code": 200, "error": None}]}
    assert (asked.action, asked.rating, asked.note) == ("feedback", "partly", "so so")
    refused, _ = await send(client, system_bus, {"session_ids": ["abc"], "action": "claim"}, "ann has claimed it")
    assert refused.json()["results"] == [
        {"session_id": "abc", "success": False, "code": 409, "error": "ann has claimed it"}
    ]


@through_kafka
@pytest.mark.parametrize(
    "body",
    [
        {"action": "complete"},
        {"action": "like"},
        {"action": "complete", "rating": "great"},
        {"action": "claim", "note": "x" * 10_001},
        {"action": "claim", "by": "me"},
    ],
)
async def test_what_is_no_act_is_a_problem(client: httpx2.AsyncClient, body: dict[str, Any]) -> None:
    assert (await client.post("/api/v1/sessions/abc/review", json=body)).status_code == 400
    several = await client.patch("/api/v1/sessions/review", json={**body, "session_ids": ["abc"]})
    assert several.status_code == 400
