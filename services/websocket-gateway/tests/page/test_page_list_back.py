"""The way from the list into a session and back, in Chromium; and the first session, from an empty list."""

import re

import pytest
from playwright.async_api import expect

from tarsy_testing.browser.listed_sessions import Show, row_of, session
from tarsy_testing.real_servers import eventually

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_back_returns_to_the_same_row(show: Show) -> None:
    async with show([session(number) for number in range(300)]) as (tab, _):
        page = tab.page
        await page.evaluate("scrollTo(0, 2000)")
        await expect(row_of(page, 50)).to_be_in_viewport()
        before = await row_of(page, 50).bounding_box()
        await row_of(page, 50).locator("a").first.click()
        await expect(page).to_have_url(re.compile("/sessions/s-00050$"))

        await page.go_back()

        await expect(row_of(page, 50)).to_be_in_viewport()
        assert before is not None

        async def is_there() -> bool:
            after = await row_of(page, 50).bounding_box()
            return after is not None and abs(after["y"] - before["y"]) < 2

        await eventually(is_there, "the row stands where it stood")


async def test_a_filter_does_not_break_back(show: Show) -> None:
    rows = [session(1), session(2, title="DNS fails"), session(3)]
    async with show(rows) as (tab, _):
        page = tab.page
        await page.get_by_label("Search sessions").fill("DNS fails")
        await expect(page.locator(".listed")).to_have_count(1)
        filtered = page.url
        await row_of(page, 2).locator("a").first.click()
        await expect(page).to_have_url(re.compile("/sessions/s-00002$"))

        await page.go_back()

        await expect(page).to_have_url(filtered)
        await expect(page.get_by_label("Search sessions")).to_have_value("DNS fails")
        await expect(page.locator(".listed")).to_have_count(1)


async def test_an_empty_list_sends_the_demo_alert_and_leads_to_its_session(show: Show) -> None:
    async with show([]) as (tab, api):
        await tab.page.get_by_role("button", name="Send the demo alert").click()
        await expect(tab.page).to_have_url(re.compile("/sessions/s-again$"))
        assert [one for one in api.asked if one.startswith("POST")] == ["POST /alerts?"]
