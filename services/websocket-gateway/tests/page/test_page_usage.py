"""Tokens and their cost in Chromium, by what the API answers."""

import re
from datetime import UTC, date, datetime

import pytest
import pytest_asyncio
from playwright.async_api import expect
from pydantic import JsonValue

from tarsy_contracts.api.budgets import BudgetLimit, BudgetReport, BudgetStatus
from tarsy_contracts.api.usage import ModelPrice, PriceHistory
from tarsy_testing.browser.axe import violations_in_both_schemes
from tarsy_testing.browser.browser import Tab
from tarsy_testing.browser.page_api import Asked, PageApi, Problem
from tarsy_testing.browser.torn_words import torn_words

pytestmark = pytest.mark.asyncio(loop_scope="session")

HOSTILE = "<img src=x onerror=alert(1)>"
USAGE = "GET /api/v1/usage"
BUDGETS = "GET /api/v1/budgets"
OUTCOMES = "GET /api/v1/usage/outcomes"
PRICES = "GET /api/v1/usage/prices"
NOW = datetime(2026, 11, 22, 10, 0, tzinfo=UTC)


def usage(millions: int, cost: float | None, completeness: str = "complete") -> dict[str, JsonValue]:
    return {
        "sessions": 2, "calls": 1_200, "input_tokens": millions * 1_000_000, "output_tokens": 5_000,
        "total_tokens": millions * 1_000_000 + 5_000, "thinking_tokens": 1_000, "cached_input_tokens": 400_000,
        "cache_written_tokens": 0, "cost": cost, "cost_completeness": completeness,
    }  # fmt: skip


def report(by: str, *groups: dict[str, JsonValue], unpriced: tuple[str, ...] = ()) -> dict[str, JsonValue]:
    partial = "partial" if unpriced else "complete"
    return {"by": by, "groups": list(groups), "total": usage(3, 1.5, partial), "unpriced_models": list(unpriced)}


def budgets(*found: BudgetStatus) -> BudgetReport:
    return BudgetReport(
        day="2026-11-22", time_zone="Europe/Berlin", resets_at="2026-11-22T23:00:00.000Z", budgets=found
    )


def limited(scope: str, *limits: BudgetLimit, unpriced_calls: int | None = 0) -> BudgetStatus:
    return BudgetStatus(scope=scope, at_end="ask", limits=limits, state=None, calls=None, unpriced_calls=unpriced_calls)


@pytest.fixture
def api() -> PageApi:
    def answer(asked: Asked) -> dict[str, JsonValue]:
        if asked.query["by"] == "model":
            groups = {"key": HOSTILE, **usage(2, None, "none")}, {"key": "", **usage(1, 0.001)}
            return report("model", *groups, unpriced=(HOSTILE,))
        return report("day", {"key": "2026-11-21", **usage(3, 1.5)})

    return PageApi({USAGE: answer, BUDGETS: budgets()})


@pytest_asyncio.fixture(loop_scope="session")
async def tab(api_tab: Tab) -> Tab:
    await api_tab.page.clock.set_fixed_time(NOW)
    return api_tab


async def test_the_last_thirty_days_are_shown_with_those_without_usage(api: PageApi, tab: Tab) -> None:
    page = tab.page
    await page.goto("/usage?by=day")
    await expect(page.locator("tbody tr")).to_have_count(30)
    assert api.requests(USAGE)[0].query == {"by": "day", "from": "2026-10-24", "to": "2026-11-22"}
    await expect(page.locator(".figures dd:not(.quiet)")).to_have_text(["$1.50", "2", "3M", "5,000"])
    await expect(page.locator(".figures dd.quiet")).to_have_text(
        ["", "1,200 model answers", "400K from cache", "1,000 thinking"]
    )
    await expect(page.locator("tbody th").first).to_have_text("2026-11-22")
    await expect(page.locator("tbody tr").nth(1).locator("th, .number")).to_have_text(
        ["2026-11-21", "2", "3M", "5,000", "$1.50"]
    )
    await expect(page.locator("tbody tr").nth(1).locator("rect.input")).to_have_attribute("width", re.compile("^99.8"))


async def test_the_span_and_the_way_stand_in_the_address(api: PageApi, tab: Tab) -> None:
    page = tab.page
    await page.goto("/usage?by=model&from=2026-11-01&to=2026-11-02")
    await expect(page.locator("tbody th")).to_have_text([HOSTILE, "not named"])
    await expect(page.locator("tbody tr td:last-child")).to_have_text(["no price", "< $0.01"])
    await expect(page.locator(".figures dd").first).to_have_text("at least $1.50")
    await expect(page.locator(".unpriced")).to_contain_text(HOSTILE)
    await page.get_by_role("link", name="7 days").click()
    await expect(page).to_have_url(re.compile(r"/usage\?by=model&from=2026-11-16&to=2026-11-22$"))
    await expect(page.get_by_role("link", name="7 days")).to_have_attribute("aria-current", "true")
    await page.get_by_role("link", name="By day").click()
    await expect(page.locator("tbody tr")).to_have_count(7)
    await page.get_by_label("First day").fill("2026-11-20")
    await page.get_by_label("First day").blur()
    await expect(page).to_have_url(re.compile(r"/usage\?by=day&from=2026-11-20&to=2026-11-22$"))
    await expect(page.locator("tbody tr")).to_have_count(3)


@pytest.mark.parametrize("span", ["from=yesterday&to=2026-11-22", "from=2026-11-22&to=2026-11-01", "from=1990-01-01"])
async def test_a_span_that_cannot_be_is_the_usual_one(api: PageApi, tab: Tab, span: str) -> None:
    await tab.page.goto(f"/usage?by=day&{span}")
    await expect(tab.page.locator("tbody tr")).to_have_count(30)
    assert api.requests(USAGE)[0].query["from"] == "2026-10-24"


@pytest.mark.parametrize(("by", "name"), [("team", "By team"), ("tool_server", "By tool server")])
async def test_usage_is_shown_by_team_and_tool_server(api: PageApi, tab: Tab, by: str, name: str) -> None:
    api.answers[USAGE] = report(by, {"key": "payments", **usage(2, 1.0)})
    await tab.page.goto("/usage")
    await tab.page.get_by_role("link", name=name).click()
    await expect(tab.page.locator("tbody th")).to_have_text(["payments"])
    assert api.requests(USAGE)[-1].query["by"] == by


async def test_a_failure_is_said(api: PageApi, tab: Tab) -> None:
    api.answers[USAGE] = Problem(503, "The database cannot be reached.")
    await tab.page.goto("/usage?by=day")
    await expect(tab.page.locator("#content > .notice")).to_have_text("The database cannot be reached.")


async def test_days_without_any_usage_are_said(api: PageApi, tab: Tab) -> None:
    api.answers[USAGE] = report("day")
    await tab.page.goto("/usage?by=day")
    await expect(tab.page.locator("#content > .notice")).to_have_text("No model was asked on these days.")


async def test_budgets_are_shown_with_what_is_spent_today_and_what_follows(api: PageApi, tab: Tab) -> None:
    money = BudgetLimit(resource="money", limit=50.0, soft_limit=40.0, spent=45.0, state="warned")
    calls = BudgetLimit(resource="calls", limit=10, soft_limit=None, spent=12, state="met")
    tokens = BudgetLimit(resource="tokens", limit=5_000, soft_limit=4_000, spent=None, state=None)
    team = limited(f"team/{HOSTILE}", tokens, unpriced_calls=None)
    session = limited("session/outage", tokens, unpriced_calls=None)
    api.answers[BUDGETS] = budgets(limited("day", money, calls, unpriced_calls=2), team, session)
    await tab.page.goto("/usage")
    section = tab.page.get_by_role("region", name="Budgets").first
    chart_before = ".charts, #content > .notice, .spans"
    assert await section.evaluate(
        "(budgets, before) => [...document.querySelectorAll(before)].every("
        "(one) => one.compareDocumentPosition(budgets) & Node.DOCUMENT_POSITION_FOLLOWING)",
        chart_before,
    )
    await expect(section).to_contain_text("Spent on 2026-11-22 (Europe/Berlin).")
    rows = section.locator("tbody tr")
    await expect(rows.locator("th")).to_have_text(["All sessions", f"Team {HOSTILE}", "Each session of outage"])
    await expect(rows.nth(0).locator(".number")).to_have_text(["$45.00", "$50.00", "$40.00"])
    await expect(rows.nth(0).locator("td").last).to_contain_text("Nearly used up, then a person is asked")
    await expect(rows.nth(0).locator("td").last).to_contain_text("Money is unknown of 2 calls")
    await expect(rows.nth(1).locator(".number")).to_have_text(["12 calls", "10 calls", ""])
    await expect(rows.nth(1).locator("td").last).to_have_text("Used up: a person is asked ")
    await expect(rows.nth(1).locator("rect.spent")).to_have_attribute("width", "100%")
    await expect(rows.nth(2).locator("td").last).to_have_text("Not told to you, then a person is asked ")
    await expect(rows.nth(3).locator("td").last).to_have_text("At its end a person is asked ")


async def test_without_a_budget_nothing_is_said_of_them_and_a_failure_is(api: PageApi, tab: Tab) -> None:
    await tab.page.goto("/usage?by=day")
    await expect(tab.page.locator("tbody tr")).to_have_count(30)
    await expect(tab.page.locator(".budgets")).to_have_count(0)
    api.answers[BUDGETS] = Problem(503, "The ingest has not answered yet.")
    await tab.page.goto("/usage")
    await expect(tab.page.locator(".budgets .notice")).to_have_text("The ingest has not answered yet.")


@pytest.mark.parametrize("width", [1440, 390])
async def test_the_prices_of_these_days_are_a_table_that_is_saved_as_csv(api: PageApi, tab: Tab, width: int) -> None:
    new = ModelPrice(
        model=HOSTILE, first=date(2026, 11, 20), until=None, input=2.0, output=10.0, cached_input=0.075,
        cache_written=None, web_search=None,
    )  # fmt: skip
    old = new.model_copy(update={"first": None, "until": date(2026, 11, 20), "input": 3.0})
    api.answers[PRICES] = PriceHistory(prices=(new, old))
    page = tab.page
    await page.set_viewport_size({"width": width, "height": 900})
    await page.goto("/usage?by=day")
    section = page.get_by_role("region", name="Price history").first
    await expect(section.locator("tbody tr").nth(0).locator("th, td")).to_have_text(
        [HOSTILE, "2026-11-20", "", "$2.00", "$10.00", "$0.075", "", ""]
    )
    await expect(section.locator("tbody tr").nth(1).locator("th, td").nth(3)).to_have_text("$3.00")
    assert api.requests(PRICES)[0].query == {"from": "2026-10-24", "to": "2026-11-22"}
    async with page.expect_download() as saving:
        await section.get_by_role("button", name="Save as CSV").click()
    saved = await (await saving.value).path()
    assert f"{HOSTILE},2026-11-20,,2,10,0.075,," in saved.read_text("utf-8").splitlines()
    assert await torn_words(page) == []
    assert await violations_in_both_schemes(page) == []


def outcomes(sessions: int, completed: int, failed: int) -> dict[str, JsonValue]:
    return {
        "sessions": sessions, "completed": completed, "failed": failed, "cancelled": 0, "p50_seconds": 133.0,
        "p90_seconds": 412.0, "scored": 2, "mean_score": 71.5,
    }  # fmt: skip


@pytest.mark.parametrize("width", [1440, 820, 390])
async def test_charts_show_days_types_and_hours_at_each_width(api: PageApi, tab: Tab, width: int) -> None:
    api.answers[OUTCOMES] = {
        "days": [{"day": "2026-11-21", **outcomes(4, 3, 1)}],
        "alert_types": [{"alert_type": HOSTILE, **outcomes(3, 2, 1)}, {"alert_type": "", **outcomes(1, 1, 0)}],
        "hours": [{"weekday": 6, "hour": 3, "sessions": 4}],
        "total": outcomes(4, 3, 1),
    }  # fmt: skip
    page = tab.page
    await page.set_viewport_size({"width": width, "height": 900})
    await page.goto("/usage")
    charts = page.locator("figure.chart")
    await expect(charts.locator("h2")).to_have_text(
        ["Sessions", "Duration", "Tokens", "Cost", "Scores", "Top alert types", "Alerts by hour and weekday (UTC)"]
    )
    await expect(charts.first.locator("strong")).to_have_text("75 % succeeded")
    await expect(charts.nth(1).locator("strong")).to_have_text("median 2 min 13 s")
    await expect(charts.first.get_by_role("img")).to_have_attribute(
        "aria-label", "Sessions · 4 alerts · 75 % succeeded · 1 failed"
    )
    await expect(charts.first.locator("rect.block")).to_have_count(2)
    await expect(page.locator(".ranking .name")).to_have_text([HOSTILE, "not named"])
    await expect(page.locator(".ranking .name").first).to_have_attribute("href", re.compile(r"^/\?q=type%3A"))
    await expect(page.locator(".hour[data-level='4']")).to_have_attribute("title", "Sat 03:00 · 4 alerts")
    await charts.first.locator("summary").click()
    await expect(charts.first.locator("tbody tr")).to_have_count(30)
    await expect(charts.first.locator("tbody tr").nth(28).locator("th, td")).to_have_text(
        ["2026-11-21", "3", "1", "0", "0"]
    )
    await expect(charts.nth(4).locator("strong")).to_have_text("mean 72")
    async with page.expect_download() as saving:
        await charts.first.get_by_role("button", name="Save as CSV").click()
    saved = await (await saving.value).path()
    assert "2026-11-21,3,1,0,0" in saved.read_text("utf-8").splitlines()
    assert await page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    assert await torn_words(page) == []
    assert await violations_in_both_schemes(page) == []
