"""What sessions have used, by chain, model and day; and what that cost, where its models have a price."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from projected_world import NewSession, World, records
from used_sessions import CACHED, NOVEMBER, PRICES, SPENT, answer, in_short, project, used

from tarsy_auth.session_groups import SessionGroup
from tarsy_contracts import events as e
from tarsy_contracts.conversation import Usage
from tarsy_timeline.database import sql
from tarsy_timeline.database.pool import Database
from tarsy_timeline.queries.usage_queries import KEYS
from tarsy_timeline.record.past_session import past_session
from tarsy_timeline.rows.visibility import visible_query

type OpenDatabase = Callable[[], AbstractAsyncContextManager[Database]]


@pytest.fixture
async def priced(open_database: OpenDatabase) -> AsyncIterator[World]:
    async with open_database() as database:
        world = World(database, prices=PRICES)
        yield world
        await world.client.aclose()


async def test_tokens_and_cost_are_added_up_by_chain_model_and_day(priced: World, new_session: NewSession) -> None:
    both, one = used(new_session, ("big", SPENT), ("small", CACHED)), used(new_session, ("small", SPENT), chain="disk")
    await project(priced, both, one)

    by_chain = await priced.get(f"/api/v1/usage?{NOVEMBER}&by=chain")
    by_model = await priced.get(f"/api/v1/usage?{NOVEMBER}&by=model")
    by_day = await priced.get(f"/api/v1/usage?{NOVEMBER}")

    total = (2, 3, 3_400_000, 6.8, "complete")
    assert list(map(in_short, by_chain["groups"])) == [
        ("crash", 1, 2, 2_200_000, 5.0, "complete"), ("disk", 1, 1, 1_200_000, 1.8, "complete"),
    ]  # fmt: skip
    assert list(map(in_short, by_model["groups"])) == [
        ("small", 2, 2, 2_200_000, 2.8, "complete"), ("big", 1, 1, 1_200_000, 4.0, "complete"),
    ]  # fmt: skip
    assert list(map(in_short, by_day["groups"])) == [("2026-11-22", *total)]
    assert [in_short(one["total"]) for one in (by_chain, by_model, by_day)] == [total] * 3
    assert by_day["total"]["cached_input_tokens"] == 600_000
    assert by_day["unpriced_models"] == []


async def test_days_are_those_of_the_events_and_the_last_one_counts(priced: World, new_session: NewSession) -> None:
    await project(priced, used(new_session, ("big", SPENT)))
    for span, calls in {"from=2026-11-22&to=2026-11-22": 1, "from=2026-11-23&to=2027-01-01": 0}.items():
        report = await priced.get(f"/api/v1/usage?{span}")
        assert (report["total"]["calls"], len(report["groups"])) == (calls, calls)


async def test_tokens_are_priced_as_cached_written_and_others(priced: World, new_session: NewSession) -> None:
    cached = used(new_session, ("big", CACHED))
    await project(priced, cached)
    assert (await priced.detail(cached))["cost"] == pytest.approx(0.3 * 2.0 + 0.6 * 0.5 + 0.1 * 3.0)


@pytest.mark.parametrize(
    ("models", "cost", "completeness"),
    [
        (("big", "free"), 4.0, "complete"),
        (("big", "unknown"), 4.0, "partial"),
        (("free",), 0.0, "complete"),
        (("unknown",), None, "none"),
        ((), None, "none"),
    ],
)
async def test_a_session_says_whether_all_that_it_used_has_a_price(
    priced: World, new_session: NewSession, models: tuple[str, ...], cost: float | None, completeness: str
) -> None:
    session = used(new_session, *((model, SPENT) for model in models))
    await project(priced, session)
    [row] = (await priced.get("/api/v1/sessions"))["sessions"]
    past: Any = past_session(records(session), len(session.records), PRICES)
    for shown in (row, await priced.detail(session), past.session.model_dump()):
        assert (shown["cost"], shown["cost_completeness"]) == (cost, completeness)
    report = await priced.get(f"/api/v1/usage?{NOVEMBER}")
    assert report["unpriced_models"] == [one for one in models if one == "unknown"]


async def test_calls_that_failed_and_summaries_are_used_too(priced: World, new_session: NewSession) -> None:
    session = used(new_session, ("big", SPENT))
    attempts = (
        e.SummaryAttempt(provider="p", usage=Usage(input_tokens=5), error="refused"),
        e.SummaryAttempt(provider="p", model="small", usage=Usage(input_tokens=7)),
    )
    session.add(
        e.LlmCallFailed(llm_call_id="m", execution_id="x", error="no", retryable=False, usage=Usage(input_tokens=3)),
        e.SummaryFailed(summary_id="s", call_id="c", execution_id="x", error="no", attempts=attempts),
    )
    await project(priced, session)
    report = await priced.get(f"/api/v1/usage?{NOVEMBER}&by=model")
    assert [(one["key"], one["calls"], one["input_tokens"]) for one in report["groups"]] == [
        ("big", 1, 1_000_000), ("", 1, 8), ("small", 1, 7)
    ]  # fmt: skip
    assert report["total"]["cost_completeness"] == "partial"


async def test_a_price_holds_from_its_first_day_until_its_last(priced: World, new_session: NewSession) -> None:
    session = used(new_session, ("big", SPENT))
    for _ in range(3):
        session.begin += timedelta(days=1)
        session.add(answer("big", SPENT))
    await project(priced, session)
    cost = 4.0 + 1.2 + 1.2 + 4.0
    past: Any = past_session(records(session), len(session.records), PRICES)
    assert ((await priced.detail(session))["cost"], past.session.cost) == (cost, cost)
    by_model = await priced.get(f"/api/v1/usage?{NOVEMBER}&by=model")
    assert (by_model["groups"][0]["cost"], by_model["total"]["cost"]) == (cost, cost)
    by_day = await priced.get(f"/api/v1/usage?{NOVEMBER}")
    assert [one["cost"] for one in by_day["groups"]] == [4.0, 1.2, 1.2, 4.0]


async def test_a_search_of_the_web_costs_what_its_model_says(priced: World, new_session: NewSession) -> None:
    session = used(new_session, ("big", Usage(input_tokens=0, output_tokens=0, web_searches=3)))
    await project(priced, session)
    assert (await priced.detail(session))["cost"] == 0.03
    assert (await priced.get(f"/api/v1/usage?{NOVEMBER}"))["total"]["web_searches"] == 3


async def test_nobody_is_shown_what_sessions_of_other_groups_used(priced: World, new_session: NewSession) -> None:
    shop, bank = used(new_session, ("big", SPENT)), used(new_session, ("secret", SPENT), namespace="bank")
    await project(priced, shop, bank)
    priced.session_groups = (SessionGroup("shop", {"namespace": ("shop",)}),)
    report = await priced.get(f"/api/v1/usage?{NOVEMBER}&by=model")
    assert [one["key"] for one in report["groups"]] == ["big"]
    assert (report["total"]["sessions"], report["unpriced_models"]) == (1, [])
    priced.session_groups = ()
    nothing = await priced.get(f"/api/v1/usage?{NOVEMBER}")
    assert (nothing["groups"], nothing["total"]["total_tokens"]) == ([], 0)


async def test_a_deleted_session_has_used_nothing(priced: World, new_session: NewSession) -> None:
    session = used(new_session, ("big", SPENT)).add(e.SessionDeleted(request_id="r", author="ann"))
    await project(priced, session)
    assert (await priced.get(f"/api/v1/usage?{NOVEMBER}"))["total"]["calls"] == 0


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ("to=2026-11-30", "/from"),
        ("from=2026-11-01", "/to"),
        ("from=2026-11-02&to=2026-11-01", "/to"),
        ("from=2025-01-01&to=2026-11-01", "/to"),
        ("from=yesterday&to=2026-11-01", "/from"),
        (f"{NOVEMBER}&by=author", "/by"),
    ],
)
async def test_a_wrong_question_is_a_problem_with_a_pointer(priced: World, query: str, pointer: str) -> None:
    answer = await priced.client.get(f"/api/v1/usage?{query}")
    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (400, pointer)


async def test_sessions_of_before_are_counted_once_the_tables_are_migrated(open_database: OpenDatabase) -> None:
    migration = dict(sql.migrations())["0018_model_usage.sql"]
    async with open_database() as database, database.connection() as connection:
        await connection.execute(
            "insert into agent_executions (execution_id, session_id, stage_id, agent_name, agent_index, status,"
            " model_name, llm_interaction_count, input_tokens, output_tokens, started_at, number)"
            " values ('x', 's', 'st', 'A', 1, 'completed', 'big', 2, 10, 5, '2026-11-22T23:30:00Z', 9),"
            " ('y', 's', 'st', 'B', 2, 'completed', 'big', 1, 1, 1, '2026-11-22T23:30:00Z', 9),"
            " ('z', 's', 'st', 'C', 3, 'failed', null, 0, 0, 0, '2026-11-22T23:30:00Z', 9)"
        )
        await connection.execute(migration[migration.index("insert into model_usage") :])
        [row] = await connection.fetch("select * from model_usage")
    assert (row["day"].isoformat(), row["model"], row["calls"], row["input_tokens"]) == ("2026-11-22", "big", 3, 11)


@pytest.mark.parametrize("by", [*KEYS])
async def test_days_are_read_from_their_index(open_database: OpenDatabase, by: Any) -> None:
    async with open_database() as database, database.connection() as connection:
        await connection.execute(
            "insert into model_usage select 's' || n, date '2020-01-01' + n % 2000, 'm', 1, 1, 1, 0, 0, 0, 0"
            " from generate_series(1, 20000) n"
        )
        await connection.execute("analyze model_usage")
        query = visible_query("report_usage", None).replace("{keys}", KEYS[by])
        day = datetime(2023, 5, 1, tzinfo=UTC).date()
        plan = await connection.fetch(f"explain {query}", day, day, None, [], None, None)
        assert any("model_usage_by_day" in row[0] for row in plan), plan


async def test_each_price_of_a_model_that_was_used_says_on_which_days_it_holds(
    priced: World, new_session: NewSession
) -> None:
    await project(priced, used(new_session, ("big", SPENT), ("unknown", SPENT)))

    history = await priced.get(f"/api/v1/usage/prices?{NOVEMBER}")

    assert [(one["model"], one["first"], one["until"], one["input"]) for one in history["prices"]] == [
        ("big", "2026-11-23", "2026-11-25", 1.0), ("big", None, None, 2.0),
    ]  # fmt: skip
    assert (await priced.get("/api/v1/usage/prices?from=2026-10-01&to=2026-10-31"))["prices"] == []
