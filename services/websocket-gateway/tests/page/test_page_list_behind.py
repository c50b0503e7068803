"""The list of sessions in Chromium while the API is behind what comes live, or away."""

from typing import Any

import pytest
from playwright.async_api import expect

from tarsy_testing.browser.browser import Tab
from tarsy_testing.browser.listed_sessions import AWAY, Show, row_of, session
from tarsy_testing.real_servers import eventually
from tarsy_websocket_gateway.page_files.assets import load_page

pytestmark = pytest.mark.asyncio(loop_scope="session")

ASSETS = f"/assets/{load_page().version}"


async def test_a_list_that_could_not_be_read_after_an_outage_is_read_once_the_api_is_back(show: Show) -> None:
    async with show([session(1)]) as (tab, api):
        notice = tab.page.locator(".notice")
        api.is_away = True
        assert api.socket is not None
        await api.socket.close()
        await expect(notice).to_have_text(AWAY)
        api.rows.append(session(2))
        api.is_away = False
        await expect(row_of(tab.page, 2)).to_have_count(1)
        await expect(notice).to_have_text("")


async def test_all_stay_in_the_list_though_more_end_than_are_asked_for_at_once(show: Show) -> None:
    rows = [session(number, "in_progress" if number % 2 else "pending") for number in range(130)]
    async with show(rows) as (tab, api):
        for number in range(130):
            api.rows[number] |= session(number, last_number=9)
        await expect(tab.page.locator(".list-section h2")).to_have_text(["Today 130"])
        await expect(tab.page.locator(".sessions")).to_have_css("height", f"{36 + 130 * 40}px")


async def test_older_ones_that_could_not_be_read_come_once_the_api_is_back(show: Show) -> None:
    async with show([session(number) for number in range(500)]) as (tab, api):
        page = tab.page
        notice, rows = page.locator(".notice"), page.locator(".sessions")
        await expect(page.get_by_text("Scroll down for older sessions …")).to_be_visible()
        api.is_away = True

        async def is_refused() -> bool:
            await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
            return await notice.inner_text() == AWAY

        await eventually(is_refused, "the end of what is known is reached")
        height = await rows.evaluate("(node) => getComputedStyle(node).height")
        api.is_away = False
        await expect(rows).not_to_have_css("height", height)
        await expect(notice).to_have_text("")


async def test_a_page_that_is_still_under_way_for_another_list_keeps_nobody_from_reading_on(tab: Tab) -> None:
    found: Any = await tab.page.evaluate(
        """async ([assets, row]) => {
            const { OlderSessions } = await import(`${assets}/stores/older_sessions.js`);
            const { emptyQuery } = await import(`${assets}/state/search_query.js`);
            const { fetch } = window, answers = [], taken = [];
            window.fetch = () => new Promise((answer) => answers.push(answer));
            const answer = (place, id) => answers[place]({
                ok: true, status: 200,
                json: async () => ({ sessions: [{ ...row, id }], pagination: { page: 1, total_pages: 2 } }),
            });
            const take = (rows) => taken.push(...rows.map(({ id }) => id));
            try {
                const older = new OlderSessions();
                older.begin({ rows: [row], isWhole: false });
                const before = older.read(emptyQuery(), take);
                older.begin({ rows: [row], isWhole: false });
                const now = older.read(emptyQuery(), take);
                const asked = answers.length;
                answer(0, "of the list before");
                await before;
                const again = older.read(emptyQuery(), take);
                answer(1, "of this list");
                await Promise.all([now, again]);
                return [asked, answers.length, taken];
            } finally {
                window.fetch = fetch;
            }
        }""",
        [ASSETS, session(1)],
    )
    assert found == [2, 2, ["of this list"]]
