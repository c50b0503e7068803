"""Sessions are listed by where their alerts come from; those that do not say it are listed as ever."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest
from projected_world import NewSession, World, records

from tarsy_contracts import events as e
from tarsy_contracts.alert import Alert
from tarsy_testing.story.whole_chain import begun
from tarsy_timeline.database.pool import Database
from tarsy_timeline.database.sql import QUERIES
from tarsy_timeline.queries.session_queries import MOST_OPTIONS, OPTION_VALUES

type OpenDatabase = Callable[[], AbstractAsyncContextManager[Database]]

FACETS: dict[str, Any] = {"severity": "Warning", "cluster": "lab", "namespace": "shop", "workload": "checkout"}
BARE = Alert(alert_type="a", data="d", source="api", author="ann")


async def test_the_facets_of_an_alert_are_answered_and_filter_the_list(
    open_database: OpenDatabase, new_session: NewSession
) -> None:
    bare, full = new_session(), new_session()
    bare.add(begun().model_copy(update={"alert": BARE}))
    full.add(begun().model_copy(update={"alert": BARE.model_copy(update=FACETS)}))
    async with open_database() as database:
        world = World(database)
        await world.project(*records(bare), *records(full))

        async def found(query: str) -> list[str]:
            answer = await world.get(f"/api/v1/sessions?{query}")
            assert answer["pagination"]["total_items"] == len(answer["sessions"])
            return sorted(one["id"] for one in answer["sessions"])

        listed = await world.get(f"/api/v1/sessions?id_prefix={full.id}")
        for shown in (await world.detail(full), listed["sessions"][0]):
            assert {name: shown[name] for name in FACETS} == FACETS
        assert {name: (await world.detail(bare))[name] for name in FACETS} == dict.fromkeys(FACETS)
        assert await found("") == sorted([bare.id, full.id])
        for name, value in FACETS.items():
            assert await found(f"{name}={value}") == [full.id]
            assert await found(f"{name}=other") == []
        assert await found("severity=WARNING&namespace=shop&workload=checkout&cluster=lab") == [full.id]
        assert await found("namespace=shop&workload=other") == []
        assert (await world.client.get("/api/v1/sessions?namespace=%00")).status_code == 400

        full.add(e.SessionDeleted(request_id="r", author="ann"))
        await world.project(full.recorded(2))
        async with database.connection() as connection:
            [kept] = await connection.fetch("select * from sessions where session_id = $1", full.id)
        assert {name: kept[name] for name in FACETS} == dict.fromkeys(FACETS)
        await world.client.aclose()


async def test_facets_that_sessions_have_are_offered_once_and_those_of_deleted_ones_no_longer(
    world: World, new_session: NewSession
) -> None:
    sessions = [new_session() for _ in range(4)]
    others = {"severity": "critical", "cluster": "prod", "namespace": "shop", "workload": ""}
    for session, facets in zip(sessions, (FACETS, {**FACETS, "severity": "WARNING"}, others, {}), strict=True):
        session.add(begun().model_copy(update={"alert": BARE.model_copy(update=facets)}))
    await world.project(*(record for session in sessions for record in records(session)))
    offered = await world.get("/api/v1/sessions/filter-options")
    assert (offered["severities"], offered["clusters"]) == (["critical", "warning"], ["lab", "prod"])
    assert (offered["namespaces"], offered["workloads"]) == (["shop"], ["checkout"])
    await world.project(sessions[2].add(e.SessionDeleted(request_id="r", author="ann")).recorded(2))
    offered = await world.get("/api/v1/sessions/filter-options")
    assert (offered["severities"], offered["clusters"]) == (["warning"], ["lab"])


@pytest.mark.parametrize("name", [*OPTION_VALUES])
async def test_options_are_bounded_and_cost_as_many_rows_as_there_are_values(
    open_database: OpenDatabase, name: str
) -> None:
    """Rows of the index are counted, not seconds."""
    async with open_database() as database, database.connection() as connection:
        await connection.execute(
            "insert into sessions (session_id, partition, last_number, last_event_id, created_at, alert_type, chain_id,"
            " severity, cluster, namespace, workload)"
            " select 's' || n, 0, 1, 'e', now(), 'v' || n % 9, 'v' || n % 9, 'V' || n % 9, 'v' || n % 9, 'v' || n % 9,"
            " 'v' || n % 9 from generate_series(1, 20000) n"
        )
        await connection.execute("analyze sessions")
        query = QUERIES["read_options"].replace("{value}", OPTION_VALUES[name])
        values = [row["value"] for row in await connection.fetch(query, MOST_OPTIONS)]
        assert values == [f"v{n}" for n in range(9)]
        assert [row["value"] for row in await connection.fetch(query, 3)] == values[:3]
        plan = "\n".join(row[0] for row in await connection.fetch(f"explain {query}", MOST_OPTIONS))
        assert "Seq Scan" not in plan, plan
        assert "Sort" not in plan, plan
