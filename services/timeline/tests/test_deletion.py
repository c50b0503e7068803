"""Deletion of a session as the API shows it: nothing of it is left but where its chain stands."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import httpx2
import pytest
from projected_world import World, records, told

from tarsy_bus.client.connection import Bus
from tarsy_contracts import events as e
from tarsy_contracts.messages.inputs import SessionDeleteRequested
from tarsy_testing.story.session_owner import owner_answers
from tarsy_testing.story.whole_chain import whole_chain
from tarsy_timeline.projection.resilient_writer import split_at_new_lives

type NewSession = Callable[[], Any]

DELETED = e.SessionDeleted(request_id="r", author="ann")


async def test_nothing_of_a_deleted_session_is_answered(world: World, new_session: NewSession) -> None:
    kept, session = told(new_session), told(new_session)
    await world.project(*records(kept), *records(session.add(DELETED)))
    for path in ("", "/timeline", "/status"):
        answer = await world.client.get(f"/api/v1/sessions/{session.id}{path}")
        assert answer.status_code == 404, path
    listed = await world.get("/api/v1/sessions")
    assert [row["id"] for row in listed["sessions"]] == [kept.id]
    assert listed["pagination"]["total_items"] == 1
    assert (await world.get("/api/v1/sessions/filter-options"))["alert_types"] != [""]


async def test_readers_of_the_log_are_told_where_its_chain_stands(world: World, new_session: NewSession) -> None:
    session = told(new_session).add(DELETED)
    await world.project(*records(session))
    answer = await world.client.post("/internal/v1/chains", json={"session_ids": [session.id]})
    assert session.records[-1][0].id in answer.text
    asked = {"session_id": session.id, "number": len(session.records), "partition": 0, "offset": 0}
    answer = await world.client.post("/internal/v1/histories", json={"sessions": [asked]})
    line = json.loads(answer.text.splitlines()[1])
    assert (line["reached"], line["event_id"], line["history"]) == (True, session.records[-1][0].id, None)


@pytest.mark.parametrize("at_once", [True, False])
async def test_the_same_alert_later_is_shown_as_if_there_had_been_nothing_before(
    world: World, new_session: NewSession, at_once: bool
) -> None:
    fresh, session = told(new_session), told(new_session)
    session.add(DELETED, *whole_chain(session.id))
    found = records(session)
    if at_once:
        for piece in split_at_new_lives([*found, *records(fresh)]):
            await world.project(*piece)
    else:
        for record in found:
            await world.project(record)
        await world.project(*records(fresh))
    assert plain(await world.detail(session), session) == plain(await world.detail(fresh), fresh)
    shown, wanted = [await world.get(f"/api/v1/sessions/{one.id}/timeline") for one in (session, fresh)]
    assert [row["content"] for row in shown] == [row["content"].replace(fresh.id, session.id) for row in wanted]  # type: ignore[index]


def plain(detail: dict[str, Any], session: Any) -> list[object]:
    """What does not depend on when it was, and on which session it is."""
    return [
        [stage["stage_name"], stage["status"], stage["duration_ms"], len(stage["executions"])]
        for stage in detail["stages"]
    ] + [detail["status"], detail["title"].replace(session.id, ""), detail["duration_ms"], detail["final_analysis"]]


def test_a_batch_ends_where_a_deleted_session_goes_on(new_session: NewSession) -> None:
    one, other = told(new_session).add(DELETED), told(new_session).add(DELETED)
    again = records(one.add(*whole_chain(one.id)))[-len(whole_chain(one.id)) :]
    before = [*records(one)[: -len(again)], *records(other)]
    assert [len(piece) for piece in split_at_new_lives([*before, *again])] == [len(before), len(again)]
    assert split_at_new_lives(before) == [before]
    assert split_at_new_lives([]) == [[]]


@pytest.mark.asyncio(loop_scope="module")
async def test_who_asks_for_it_is_told_what_the_owner_decided(client: httpx2.AsyncClient, system_bus: Bus) -> None:
    asking = asyncio.Event()
    owner = asyncio.create_task(owner_answers(system_bus, asking, accepted=True, code=200, reason=""))
    await asking.wait()
    answer = await client.delete("/api/v1/sessions/abc", headers={"X-Forwarded-User": "bob"})
    async with asyncio.timeout(90):
        [asked] = await owner
    assert isinstance(asked, SessionDeleteRequested)
    assert asked.author == "bob"
    assert (answer.status_code, answer.json()["message"]) == (200, "The session is deleted.")
