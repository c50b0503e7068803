"""What was spent today of each budget that is configured, as people and the page are told."""

from datetime import UTC, datetime

import httpx2
import pytest
from fastapi import FastAPI

from tarsy_bus.readers.day_spendings import DaySpendings
from tarsy_contracts.api.budgets import BudgetReport
from tarsy_contracts.budgets import Budget, ConfiguredBudgets, DayBudget, DayBudgets, Spending, find_day, find_day_end
from tarsy_service.http.problem_handlers import install_problem_handlers
from tarsy_timeline.api.budget_report_route import NOT_CONFIGURED, budget_report_route
from tarsy_timeline.system.budget_report import compose_budget_report

NOON = datetime(2026, 11, 22, 11, 0, tzinfo=UTC)
BERLIN = "Europe/Berlin"
DAY = "2026-11-22"


def configured(*budgets: DayBudget, time_zone: str = BERLIN) -> ConfiguredBudgets:
    sessions = {"": Budget(tokens=501), "outage": Budget(money=10.0, soft_percent=0, at_end="ask")}
    return ConfiguredBudgets(days=DayBudgets(time_zone=time_zone, budgets=budgets), sessions=sessions)


ALL = configured(
    DayBudget(scope="day", budget=Budget(money=50.0, calls=100, soft_percent=60)),
    DayBudget(scope="team/shop", budget=Budget(tokens=1_000)),
)


def spent(**scopes: Spending) -> DaySpendings:
    """In two partitions, the same in each."""
    known = DaySpendings()
    for partition in (0, 1):
        for scope, spending in scopes.items():
            known.find_or_add(DAY, partition).spent[scope.replace("_", "/")] = spending
    return known


SPENT = spent(day=Spending(cost=15.0, calls=20, unpriced=1), team_shop=Spending(tokens=600, calls=2))


def report(at: datetime = NOON, *, sees_all: bool = True) -> BudgetReport:
    return compose_budget_report(ALL, SPENT.of_day, at, sees_all=sees_all)


def test_each_budget_says_what_is_spent_of_it_today_and_when_that_begins_anew() -> None:
    found = report()
    assert (found.day, found.time_zone, found.resets_at) == (DAY, BERLIN, "2026-11-22T23:00:00.000Z")
    limits = {one.scope: [tuple(limit.model_dump().values()) for limit in one.limits] for one in found.budgets}
    assert limits == {
        "day": [("money", 50.0, 30.0, 30.0, "warned"), ("calls", 100.0, 60.0, 40.0, "below")],
        "team/shop": [("tokens", 1_000.0, 800.0, 1_200.0, "met")],
        "session": [("tokens", 501.0, 401.0, None, None)],
        "session/outage": [("money", 10.0, None, None, None)],
    }
    assert [(one.state, one.at_end, one.calls, one.unpriced_calls) for one in found.budgets] == [
        ("warned", "conclude", 40, 2), ("met", "conclude", 4, 0), (None, "conclude", None, None),
        (None, "ask", None, None),
    ]  # fmt: skip


def test_after_midnight_in_its_time_zone_nothing_is_spent() -> None:
    found = report(datetime(2026, 11, 22, 23, 0, tzinfo=UTC))
    assert (found.day, found.resets_at) == ("2026-11-23", "2026-11-23T23:00:00.000Z")
    assert [one.state for one in found.budgets] == ["below", "below", None, None]


def test_a_caller_who_sees_some_sessions_is_told_of_the_shared_budget_only() -> None:
    assert [one.state for one in report(sees_all=False).budgets] == ["warned", None, None, None]


@pytest.mark.parametrize(
    ("zone", "moment", "day", "ends"),
    [
        ("UTC", "2026-12-31T23:59:59+00:00", "2026-12-31", "2027-01-01T00:00:00+00:00"),
        ("Asia/Tokyo", "2026-11-22T15:00:00+00:00", "2026-11-23", "2026-11-23T15:00:00+00:00"),
        # A day of 23 hours, and one of 25.
        ("Europe/Berlin", "2026-03-28T23:00:00+00:00", "2026-03-29", "2026-03-29T22:00:00+00:00"),
        ("Europe/Berlin", "2026-10-24T22:00:00+00:00", "2026-10-25", "2026-10-25T23:00:00+00:00"),
        # There is no midnight: at 24:00 clocks go to 01:00.
        ("America/Santiago", "2026-09-06T03:59:59+00:00", "2026-09-05", "2026-09-06T04:00:00+00:00"),
        ("Mars/Base", "2026-11-22T11:00:00+00:00", "2026-11-22", "2026-11-23T00:00:00+00:00"),
    ],
)
def test_a_day_ends_where_the_next_one_begins(zone: str, moment: str, day: str, ends: str) -> None:
    assert find_day(datetime.fromisoformat(moment), zone) == day
    end = find_day_end(day, zone)
    assert end.isoformat() == ends
    assert find_day(end, zone) > day


async def ask(known: ConfiguredBudgets | None) -> httpx2.Response:
    async def spendings() -> DaySpendings:
        return SPENT

    app = FastAPI()
    install_problem_handlers(app)
    app.include_router(budget_report_route(lambda: known, spendings, lambda: NOON))
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://t") as client:
        return await client.get("/api/v1/budgets")


async def test_the_api_answers_the_report_and_says_while_the_configuration_is_unknown() -> None:
    assert BudgetReport.model_validate((await ask(ALL)).json()) == report()
    unknown = await ask(None)
    assert (unknown.status_code, unknown.json()["detail"]) == (503, NOT_CONFIGURED)
