"""A log whose beginning was deleted: it is cut below all that is wanted, and rebuilt to the same rows."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime
from typing import Any

import httpx2
import pytest
import pytest_asyncio

from tarsy_bus.client.connection import Bus
from tarsy_bus.client.publisher import Publisher
from tarsy_bus.log.retention import LogCut, cut_log, plan_log_cuts
from tarsy_contracts import events as e
from tarsy_contracts.events.heads import SessionHead, Span, head_key
from tarsy_testing.real_servers import WAIT_SECONDS, eventually
from tarsy_timeline.database.single_connection import SingleConnection, connected
from tarsy_timeline.rebuild.checksums import table_checksums
from tarsy_timeline.rebuild.processes import RebuildTarget
from tarsy_timeline.rebuild.rebuild import RebuildPlan, fresh_schema_of, rebuild

type NewSession = Callable[[], Any]
type Story = Callable[[Any], Any]
type Append = Callable[..., Awaitable[int]]
type RunningApi = Callable[..., AbstractAsyncContextManager[httpx2.AsyncClient]]

pytestmark = pytest.mark.asyncio(loop_scope="module")

DELETED = e.SessionDeleted(request_id="r", author="ann")
PARTITION = 3


class Steps:
    def step(self, what: str) -> None: ...
    def count(self, events: int) -> None: ...


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def timeline(system_bus: Bus, running_api: RunningApi, module_schema: str) -> AsyncIterator[httpx2.AsyncClient]:
    async with running_api(system_bus, module_schema, wait_seconds=WAIT_SECONDS) as client:
        yield client


@pytest_asyncio.fixture(loop_scope="module")
async def connection(database_url: str) -> AsyncIterator[SingleConnection]:
    async with connected(database_url) as connection:
        yield connection


def session_of_partition(bus: Bus, new_session: NewSession) -> Any:
    while bus.partition_of_session((session := new_session()).id) != PARTITION:
        pass
    return session


async def write_head(bus: Bus, session: Any, offset: int, *spans: tuple[int, int]) -> None:
    """At rest at its last event, which lies at `offset`."""
    number = len(session.records)
    head = SessionHead(
        phase="rest",
        number=number,
        offset=offset,
        event_id=session.records[-1][0].id,
        decided=number,
        spans=tuple(Span(first=first, last=last) for first, last in spans),
    )
    async with Publisher(bus, source="test", now=lambda: datetime.now(UTC)).running() as publisher:
        key = head_key(session.id, number)
        await publisher.publish(bus.topics.heads, head, key=key, id=key, subject=session.id, partition=PARTITION)


async def shown(client: httpx2.AsyncClient, session: Any) -> None:
    async def look() -> bool:
        answer = await client.post("/internal/v1/chains", json={"session_ids": [session.id]})
        return session.records[-1][0].id in answer.text

    await eventually(look, f"{session.id} is projected")


async def checksums(connection: SingleConnection, schema: str) -> dict[str, tuple[int, str]]:
    """When all words are indexed."""

    async def look() -> bool:
        return not await connection.fetchval(f"select count(*) from {schema}.search_queue")

    await eventually(look, "all words are indexed")
    return await table_checksums(connection, schema)


async def test_what_nobody_wants_goes_and_the_tables_come_back_the_same(
    timeline: httpx2.AsyncClient,
    connection: SingleConnection,
    system_bus: Bus,
    database_url: str,
    module_schema: str,
    append: Append,
    new_session: NewSession,
    story: Story,
) -> None:
    one, two, three = (session_of_partition(system_bus, new_session) for _ in range(3))
    gone, again, kept = story(one).add(DELETED), story(two).add(DELETED), story(three)
    await append(system_bus, PARTITION, gone.records)
    await append(system_bus, PARTITION, again.records)
    first = await append(system_bus, PARTITION, kept.records)
    before = len(again.records)
    later = await append(system_bus, PARTITION, story(again).records[before:])
    ends = {"gone": len(gone.records) - 1, "kept": first + len(kept.records) - 1}
    end_of_again = later + len(again.records) - before - 1
    await write_head(system_bus, gone, ends["gone"])
    await write_head(system_bus, kept, ends["kept"], (first, ends["kept"]))
    await write_head(system_bus, again, end_of_again, (later, end_of_again))
    for session in (gone, kept, again):
        await shown(timeline, session)

    positions = {PARTITION: end_of_again + 1}
    cuts = await plan_log_cuts(system_bus, positions)
    assert cuts == [LogCut(PARTITION, 0, first)]
    # Who has read less keeps more.
    assert await plan_log_cuts(system_bus, {PARTITION: 2}) == [LogCut(PARTITION, 0, 2)]
    assert await plan_log_cuts(system_bus, {}) == []
    await cut_log(system_bus, cuts)
    assert await plan_log_cuts(system_bus, positions) == []

    live = await checksums(connection, module_schema)
    plan = RebuildPlan(RebuildTarget(system_bus, database_url, fresh_schema_of(module_schema)), module_schema, 1)
    await rebuild(plan, connection, Steps())
    assert await checksums(connection, module_schema) == live
    assert live["sessions"][0] == 3

    # The same alert as that of the session that is gone: its next life follows what the tables kept.
    known = len(gone.records)
    await append(system_bus, PARTITION, story(gone).records[known:])
    await shown(timeline, gone)
    answer = await timeline.get(f"/api/v1/sessions/{gone.id}")
    assert (answer.status_code, answer.json()["status"]) == (200, "completed")


async def test_a_life_that_heads_do_not_name_is_dropped_as_by_every_other_reader(
    timeline: httpx2.AsyncClient,
    connection: SingleConnection,
    system_bus: Bus,
    database_url: str,
    module_schema: str,
    append: Append,
    new_session: NewSession,
    story: Story,
) -> None:
    """Somebody who was frozen wrote a second beginning to a chain that had moved on."""
    forged = story(new_session()).add(DELETED)
    known = len(forged.records)
    zombie = story(forged).records[known:]
    await append(system_bus, PARTITION, zombie)
    whole = story(new_session())
    await append(system_bus, PARTITION, whole.records)
    await shown(timeline, whole)
    live = await checksums(connection, module_schema)
    plan = RebuildPlan(RebuildTarget(system_bus, database_url, fresh_schema_of(module_schema)), module_schema, 1)
    await rebuild(plan, connection, Steps())
    assert await checksums(connection, module_schema) == live
    assert (await timeline.get(f"/api/v1/sessions/{forged.id}")).status_code == 404
