"""The list of sessions in Chromium while the API is behind what comes live, or away."""

import pytest
from playwright.async_api import Browser, expect

from tarsy_listed_sessions import AWAY, Show, row_of, session

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture
def show(browser: Browser, address: str) -> Show:
    return Show(browser, address)


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
