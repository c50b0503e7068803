"""Usage by alert type, team and tool server, day by day, and summed up in the shape of Go TARSy."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager

import pytest
from projected_world import NewSession, World
from used_sessions import CACHED, NOVEMBER, PRICES, SPENT, answer, in_short, project, used

from tarsy_contracts import events as e
from tarsy_contracts.prices import ModelPrices, TokenPrice
from tarsy_testing.story.whole_chain import begun
from tarsy_timeline.database.pool import Database

type OpenDatabase = Callable[[], AbstractAsyncContextManager[Database]]

WINDOW = "start_date=2026-11-01T00:00:00Z&end_date=2026-12-01T00:00:00Z"


@pytest.fixture
async def priced(open_database: OpenDatabase) -> AsyncIterator[World]:
    async with open_database() as database:
        world = World(database, prices=PRICES)
        yield world
        await world.client.aclose()


def called(server: str, call_id: str) -> e.ToolCallRequested:
    return e.ToolCallRequested(
        call_id=call_id,
        llm_call_id="l",
        execution_id="x",
        server=server,
        tool="get",
        arguments={},
        repeatable=True,
        timeout_seconds=9,
    )


async def test_tokens_are_added_up_by_alert_type_and_team(priced: World, new_session: NewSession) -> None:
    first = begun()
    alert = first.alert.model_copy(update={"alert_type": "disk", "labels": {"team": "payments"}})
    theirs = new_session().add(first.model_copy(update={"alert": alert}), answer("big", SPENT))
    await project(priced, theirs, used(new_session, ("small", CACHED)))

    by_type = await priced.get(f"/api/v1/usage?{NOVEMBER}&by=alert_type")
    by_team = await priced.get(f"/api/v1/usage?{NOVEMBER}&by=team")

    assert [(one["key"], one["cost"]) for one in by_type["groups"]] == [("disk", 4.0), (first.alert.alert_type, 1.0)]
    assert [(one["key"], one["cost"]) for one in by_team["groups"]] == [("payments", 4.0), ("", 1.0)]


async def test_a_session_counts_whole_at_each_server_and_once_in_the_total(
    priced: World, new_session: NewSession
) -> None:
    both = used(new_session, ("big", SPENT)).add(*(called(one, f"{one}{n}") for one in ("git", "k8s") for n in (1, 2)))
    await project(priced, both, used(new_session, ("small", SPENT)))

    report = await priced.get(f"/api/v1/usage?{NOVEMBER}&by=tool_server")

    assert [(one["key"], one["sessions"], one["cost"]) for one in report["groups"]] == [
        ("", 1, 1.8), ("git", 1, 4.0), ("k8s", 1, 4.0),
    ]  # fmt: skip
    assert in_short(report["total"]) == (2, 2, 2_400_000, 5.8, "complete")


async def test_a_corrected_price_makes_every_old_session_right(
    open_database: OpenDatabase, new_session: NewSession
) -> None:
    session = used(new_session, ("big", SPENT))
    async with open_database() as database:
        for dollars in (2.0, 3.0):
            prices = ModelPrices(prices={"big": TokenPrice(input=dollars, output=0.0)})
            world = World(database, prices=prices)
            if dollars == 2.0:
                await project(world, session)
            [listed] = (await world.get("/api/v1/sessions"))["sessions"]
            summary = await world.get(f"/api/v1/usage/summary?{WINDOW}")
            series = await world.get(f"/api/v1/usage/series?{NOVEMBER}")
            assert (listed["cost"], (await world.detail(session))["cost"]) == (dollars, dollars)
            assert summary["totals"]["estimated_cost_usd"] == dollars
            assert series["series"][0]["points"][0]["cost"] == dollars
            await world.client.aclose()


async def test_the_summary_ranks_by_cost_where_there_are_prices_and_by_tokens_where_wanted(
    priced: World, new_session: NewSession
) -> None:
    dear, much = (
        used(new_session, ("big", SPENT)),
        used(new_session, ("small", SPENT), ("unknown", SPENT), chain="disk"),
    )
    await project(priced, dear, much)

    by_cost = await priced.get(f"/api/v1/usage/summary?{WINDOW}")
    by_tokens = await priced.get(f"/api/v1/usage/summary?{WINDOW}&rank_by=tokens")
    of_chain = await priced.get(f"/api/v1/usage/summary?{WINDOW}&chain_id=disk")

    assert by_cost["window"] == {"start": "2026-11-01T00:00:00.000Z", "end": "2026-12-01T00:00:00.000Z"}
    assert (by_cost["rank_by"], by_cost["cost_estimation_enabled"]) == ("cost", True)
    assert by_cost["totals"] == {
        "session_count": 2, "input_tokens": 3_000_000, "output_tokens": 600_000, "total_tokens": 3_600_000,
        "estimated_cost_usd": 5.8, "average_cost_usd": 2.9, "cost_completeness": "partial",
        "unpriced_interaction_count": 1, "unpriced_token_count": 1_200_000,
    }  # fmt: skip
    assert [one["session_id"] for one in by_cost["top_sessions"]] == [dear.id, much.id]
    assert [one["session_id"] for one in by_tokens["top_sessions"]] == [much.id, dear.id]
    assert [one["chain_id"] for one in by_cost["by_chain"]] == ["crash", "disk"]
    assert [(one["model_name"], one["priced"]) for one in by_cost["by_model"]] == [
        ("big", True), ("small", True), ("unknown", False),
    ]  # fmt: skip
    assert of_chain["totals"]["session_count"] == len(of_chain["top_sessions"]) == 1


@pytest.mark.parametrize(
    "query",
    [
        "start_date=2026-11-01T00:00:00Z",
        "start_date=2026-11-02T00:00:00Z&end_date=2026-11-01T00:00:00Z",
        "start_date=2025-01-01T00:00:00Z&end_date=2026-11-01T00:00:00Z",
        "start_date=2026-11-01T00:00:00&end_date=2026-11-02T00:00:00",
    ],
)
async def test_a_window_that_cannot_be_is_a_problem(priced: World, query: str) -> None:
    assert (await priced.client.get(f"/api/v1/usage/summary?{query}")).status_code == 400


async def test_nothing_is_ranked_by_cost_without_prices(world: World) -> None:
    assert (await world.client.get(f"/api/v1/usage/summary?{WINDOW}&rank_by=cost")).status_code == 400
    empty = await world.get(f"/api/v1/usage/summary?{WINDOW}")
    assert (empty["rank_by"], empty["totals"]["session_count"], empty["by_model"]) == ("tokens", 0, [])


async def test_the_series_has_the_greatest_apart_and_the_others_together(
    priced: World, new_session: NewSession
) -> None:
    sessions = [used(new_session, *[("small", SPENT)] * count, chain=f"c{count}") for count in range(1, 7)]
    await project(priced, *sessions)

    report = await priced.get(f"/api/v1/usage/series?{NOVEMBER}&by=chain")

    found = [(one["key"], [(p["day"], p["calls"]) for p in one["points"]]) for one in report["series"]]
    assert found == [(key, [("2026-11-22", calls)]) for key, calls in (
        ("c6", 6), ("c5", 5), ("c4", 4), ("c3", 3), (None, 3),
    )]  # fmt: skip
