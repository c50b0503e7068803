"""Session groups are a condition that PostgreSQL answers from its index of labels."""

from collections.abc import AsyncIterator

import asyncpg
import pytest

from tarsy_auth.session_groups import GroupLabels
from tarsy_timeline.database import sql
from tarsy_timeline.rows.visibility import visible_labels, visible_query

type Connection = asyncpg.Connection[asyncpg.Record]

GROUPS: dict[str, GroupLabels] = {
    "one label": [{"team": ["t7", "t9"]}],
    "one label each": [{"team": ["t7"]}, {"namespace": ["n9"]}],
    "two labels": [{"team": ["t7"], "namespace": ["n9", "n7"]}],
    "several": [{"team": ["t7"], "cluster": ["c"]}, {"workload": ["w"]}, {"namespace": ["n9"], "team": ["t9"]}],
}
MANY = """
    insert into sessions (session_id, partition, last_number, last_event_id, created_at, namespace, labels)
    select 's' || n, 0, 1, 'e', now(), 'n' || n % 1000, array['team=t' || n % 1000, 'owner=o' || n]
    from generate_series(1, 20000) n;
"""


@pytest.fixture
async def connection(database_url: str) -> AsyncIterator[Connection]:
    connection = await asyncpg.connect(database_url)
    yield connection
    await connection.close()


def test_a_query_has_the_condition_where_its_place_is() -> None:
    assert "$11::text[] is null" in visible_query("count_sessions", None)
    assert "false" in visible_query("count_sessions", [])
    assert "{visible" not in visible_query("find_sessions", GROUPS["several"])
    assert visible_labels(None) is None
    assert visible_labels(GROUPS["several"]) == [
        "workload=w", "team=t7", "cluster=c", "namespace=n9", "team=t9"
    ]  # fmt: skip


@pytest.mark.parametrize("groups", GROUPS.values(), ids=[*GROUPS])
async def test_the_index_of_labels_finds_the_sessions_of_few(
    connection: Connection, database_schema: str, groups: GroupLabels
) -> None:
    await connection.execute(f"create schema {database_schema}; set search_path = {database_schema}; {sql.schema()}")
    await connection.execute(MANY)
    await connection.execute("vacuum analyze sessions")
    counting = await connection.prepare(visible_query("count_sessions", groups))
    for _ in range(7):  # PostgreSQL makes a plan for all arguments after five
        await counting.fetchval(*(None,) * 10, visible_labels(groups), *(None,) * 6)
    plan = await counting.explain(*(None,) * 10, visible_labels(groups), *(None,) * 6)
    assert "sessions_by_label" in str(plan), plan
