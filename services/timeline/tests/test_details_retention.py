"""Timelines of sessions that ended long ago leave the tables; the verdict stays."""

from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from projected_world import World, records, told

from tarsy_timeline.database.details_retention import count_details, delete_details
from tarsy_timeline.database.single_connection import SingleConnection, connected

type NewSession = Callable[[], Any]

LATER = datetime(2026, 12, 24, tzinfo=UTC)


@pytest.fixture
async def connection(database_url: str, database_schema: str, world: World) -> AsyncIterator[SingleConnection]:
    """`world` has made the tables."""
    async with connected(database_url, schema=database_schema) as connection:
        yield connection


async def test_the_verdict_stays_and_says_when_the_timeline_went(
    world: World, connection: SingleConnection, new_session: NewSession
) -> None:
    session, running = told(new_session), told(new_session, until=5)
    await world.project(*records(session), *records(running))
    before = await world.detail(session)
    assert before["details_deleted_at"] is None
    expired = await count_details(connection, LATER)
    assert expired.sessions == 1
    assert expired.oldest is not None
    assert await delete_details(connection, LATER) == 1

    after = await world.detail(session)
    assert after["details_deleted_at"] is not None
    assert after | {"details_deleted_at": None} == before
    assert (await world.client.get(f"/api/v1/sessions/{session.id}/timeline")).json() == []
    assert (await world.client.get(f"/api/v1/sessions/{running.id}/timeline")).json() != []
    assert (await count_details(connection, LATER)).sessions == 0
    assert await delete_details(connection, LATER) == 0


async def test_a_session_that_ended_lately_is_left_alone(
    world: World, connection: SingleConnection, new_session: NewSession
) -> None:
    session = told(new_session)
    await world.project(*records(session))
    ended = datetime.fromisoformat((await world.detail(session))["completed_at"])
    assert await delete_details(connection, ended) == 0
    assert await delete_details(connection, ended + timedelta(microseconds=1000)) == 1
