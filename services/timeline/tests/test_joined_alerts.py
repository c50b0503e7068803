"""An alert that joined a session is counted there, and its sender finds the session by the id that it was given."""

from collections.abc import Callable
from typing import Any

import pytest
from projected_world import World, records, told

from tarsy_contracts import events as e

type NewSession = Callable[[], Any]

JOINED, OTHER = "33333333-3333-5333-8333-333333333333", "44444444-4444-5444-8444-444444444444"
AGAIN = e.AlertRepeated(input_id="i", source="api", count=3, total=3, joined=(JOINED, OTHER))


async def test_the_id_that_a_sender_was_given_shows_the_session_that_has_the_alert(
    world: World, new_session: NewSession
) -> None:
    session = told(new_session).add(AGAIN)
    await world.project(*records(session))
    for path in ("", "/status", "/timeline"):
        by_alias, by_id = [await world.get(f"/api/v1/sessions/{id}{path}") for id in (JOINED, session.id)]
        assert by_alias == by_id
    assert (await world.get(f"/internal/v1/sessions/{OTHER}/history"))["session"]["id"] == session.id
    assert (await world.get(f"/api/v1/sessions/{JOINED}/status?at_least=1"))["id"] == session.id


async def test_a_gateway_learns_which_session_an_alert_joined(world: World, new_session: NewSession) -> None:
    session = told(new_session).add(AGAIN)
    await world.project(*records(session))
    found = [await world.get(f"/internal/v1/joined?session_id={id}") for id in (JOINED, session.id, "nobody's")]
    assert [one["session_id"] for one in found] == [session.id, None, None]


async def test_a_request_reaches_the_session_with_its_body(world: World, new_session: NewSession) -> None:
    session = told(new_session).add(AGAIN)
    await world.project(*records(session))
    answer = await world.client.post(f"/test/sessions/{JOINED}", json={"known": session.id, "content": "why?"})
    assert answer.json() == {"session_id": session.id, "known": session.id, "content": "why?"}


async def test_an_id_that_nobody_was_given_is_not_found(world: World, new_session: NewSession) -> None:
    await world.project(*records(told(new_session)))
    answer = await world.client.get(f"/api/v1/sessions/{JOINED}")
    assert answer.status_code == 404
    assert JOINED in answer.text


async def test_every_alert_is_counted_and_the_last_one_dated(world: World, new_session: NewSession) -> None:
    session = told(new_session).add(AGAIN, e.AlertRepeated(input_id="j", source="api", count=2, total=5))
    await world.project(*records(session))
    detail = await world.detail(session)
    assert detail["repeat_count"] == 5
    assert detail["last_alert_at"] is not None


async def test_repeats_of_before_there_was_a_total_are_counted_too(world: World, new_session: NewSession) -> None:
    session = told(new_session).add(*[e.AlertRepeated(input_id=str(one), source="api") for one in range(4)])
    await world.project(*records(session))
    assert (await world.detail(session))["repeat_count"] == 4


async def test_a_session_of_its_own_comes_before_what_it_once_joined(world: World, new_session: NewSession) -> None:
    later = told(new_session)
    first = told(new_session).add(e.AlertRepeated(input_id="i", source="api", total=1, joined=(later.id,)))
    await world.project(*records(first), *records(later))
    assert (await world.detail(later))["id"] == later.id


async def test_a_deleted_session_is_not_found_by_any_id(world: World, new_session: NewSession) -> None:
    session = told(new_session).add(AGAIN, e.SessionDeleted(request_id="r", author="ann"))
    await world.project(*records(session))
    assert (await world.client.get(f"/api/v1/sessions/{JOINED}")).status_code == 404


@pytest.mark.parametrize(("total", "shown"), [(50, 1), (51, 0)])
async def test_a_storm_fills_no_timeline(world: World, new_session: NewSession, total: int, shown: int) -> None:
    session = told(new_session).add(e.AlertRepeated(input_id="i", source="api", count=2, total=total))
    await world.project(*records(session))
    timeline = await world.client.get(f"/api/v1/sessions/{session.id}/timeline")
    noted = [row["content"] for row in timeline.json() if row["event_type"] == "alert_repeated"]
    assert noted == ["The same alert arrived 2 more times (api)."][:shown]
