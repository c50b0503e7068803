"""What people do in the list of sessions: choose many, press keys, ask for notifications, send a first alert."""

import re

import pytest
from playwright.async_api import Page, expect

from tarsy_testing.browser.browser import copying
from tarsy_testing.browser.listed_sessions import Show, row_of, session, status_of

pytestmark = pytest.mark.asyncio(loop_scope="session")

NOTICES = """
    window.notices = [];
    window.Notification = class {
        static permission = "default";
        static asked = 0;
        static async requestPermission() { this.asked += 1; this.permission = "granted"; return "granted"; }
        constructor(title, options) { notices.push([title, options.body]); }
        close() {}
    };
"""
CLIPBOARD = """Object.defineProperty(navigator, "clipboard", {
    value: { writeText: async (text) => { window.copied = text; } },
});"""


async def test_many_are_cancelled_after_a_second_question_and_each_row_says_what_was_answered(show: Show) -> None:
    async with show([session(1, "in_progress"), session(2, "pending"), session(3)]) as (tab, api):
        page = tab.page
        api.refused["s-00002"] = "The session has ended."
        for number in (1, 2, 3):
            await row_of(page, number).get_by_role("checkbox").check()
        bar = page.get_by_role("region", name="Selected sessions")
        await bar.get_by_role("button", name="Cancel", exact=True).click()
        await expect(bar).to_contain_text("Cancel 2 sessions?")
        await expect(bar.get_by_role("button", name="No, keep it running")).to_be_focused()
        assert [one for one in api.asked if one.startswith("POST")] == []
        await bar.get_by_role("button", name="Yes, cancel").click()
        await expect(bar.get_by_role("status")).to_have_text("Requested for 1 session; 1 was refused.")
        await expect(row_of(page, 1).locator(".gist")).to_have_text("The session is being cancelled.")
        await expect(row_of(page, 2).locator(".gist")).to_have_text("Not cancelled: The session has ended.")
        posted = sorted(one for one in api.asked if one.startswith("POST"))
        assert posted == ["POST /sessions/s-00001/cancel?", "POST /sessions/s-00002/cancel?"]
        await bar.get_by_role("button", name="Done").click()
        await expect(bar).to_have_count(0)
        tab.complaints[:] = [one for one in tab.complaints if "409" not in one]


async def test_many_are_run_again(show: Show) -> None:
    async with show([session(1), session(2, "failed")]) as (tab, api):
        page = tab.page
        for number in (1, 2):
            await row_of(page, number).get_by_role("checkbox").check()
        await expect(page.get_by_role("button", name="Cancel", exact=True)).to_be_disabled()
        await page.get_by_role("button", name="Re-run").click()
        await page.get_by_role("button", name="Yes, re-run").click()
        await expect(row_of(page, 1).locator(".gist")).to_have_text("It was re-run as a new session.")
        await expect(page.get_by_text("Requested for 2 sessions.")).to_be_visible()
        assert len([one for one in api.asked if one.endswith("/rerun?")]) == 2


async def test_nothing_can_be_done_while_the_connection_is_lost(show: Show) -> None:
    async with show([session(1, "in_progress")]) as (tab, api):
        page = tab.page
        await row_of(page, 1).get_by_role("checkbox").check()
        await expect(page.get_by_role("button", name="Re-run")).to_be_enabled()
        assert api.socket is not None
        api.is_down = True
        await api.socket.close()
        await expect(page.locator("#connection")).to_have_attribute("data-state", "lost")
        for name in ("Re-run", "Cancel"):
            await expect(page.get_by_role("button", name=name, exact=True)).to_be_disabled()


async def test_a_viewer_is_offered_nothing_that_is_refused(show: Show) -> None:
    async with show([session(1, "in_progress")], role="viewer") as (tab, _):
        await expect(row_of(tab.page, 1)).to_be_visible()
        await expect(tab.page.get_by_role("checkbox")).to_have_count(0)


async def press_at_once(page: Page, keys: str) -> None:
    """Without time between them: the second key counts for a second and a half, and a busy browser takes longer."""
    await page.evaluate(
        """(keys) => {
            for (const key of keys) {
                const options = { key, bubbles: true, cancelable: true };
                document.activeElement.dispatchEvent(new KeyboardEvent("keydown", options));
            }
        }""",
        keys,
    )


async def test_no_key_is_lost_that_comes_before_the_row_of_the_last_one_is_drawn(show: Show) -> None:
    """They lead through the first hundred sessions: of others nobody knows when the API has answered."""
    async with show([session(number) for number in range(300)]) as (tab, _):
        await press_at_once(tab.page, "j" * 96)
        await expect(row_of(tab.page, 95).locator("a")).to_be_focused()
        await press_at_once(tab.page, "k" * 50)
        await expect(row_of(tab.page, 45).locator("a")).to_be_focused()


async def test_keys_lead_through_the_list_and_do_nothing_while_somebody_types(show: Show) -> None:
    async with show([session(number) for number in range(300)]) as (tab, _):
        page = tab.page
        await page.keyboard.press("j")
        await page.keyboard.press("j")
        await expect(row_of(page, 1).locator("a")).to_be_focused()
        await page.keyboard.press("k")
        await expect(row_of(page, 0).locator("a")).to_be_focused()
        for _ in range(60):
            await page.keyboard.press("j")
        await expect(row_of(page, 60).locator("a")).to_be_focused()
        await expect(row_of(page, 60)).to_be_in_viewport(ratio=1)
        await page.keyboard.press("x")
        await expect(page.get_by_text("1 session selected")).to_be_visible()
        await page.keyboard.press("/")
        field = page.get_by_label("Search sessions")
        await expect(field).to_be_focused()
        await page.keyboard.type("jkx?")
        await expect(field).to_have_value("jkx?")
        await page.keyboard.press("Escape")
        await page.keyboard.press("?")
        await expect(page.get_by_role("dialog")).to_contain_text("Next session")
        await page.keyboard.press("Escape")
        await expect(page.get_by_role("dialog")).to_have_count(0)
        await press_at_once(page, "gm")
        await expect(page).to_have_url(re.compile("/servers$"))
        await press_at_once(page, "gl")
        await expect(row_of(page, 0)).to_be_visible()
        await page.keyboard.press("j")
        await expect(row_of(page, 0).locator("a")).to_be_focused()
        await page.keyboard.press("Enter")
        await expect(page).to_have_url(re.compile("/sessions/s-00000$"))
        tab.complaints.clear()


async def test_a_row_that_is_scrolled_away_keeps_its_focus(show: Show) -> None:
    async with show([session(number) for number in range(300)]) as (tab, _):
        await row_of(tab.page, 2).locator("a").focus()
        await tab.page.evaluate("scrollTo(0, 3500)")
        await expect(row_of(tab.page, 90)).to_be_in_viewport()
        await expect(row_of(tab.page, 2).locator("a")).to_be_focused()


async def test_those_that_wait_are_folded_above_five(show: Show) -> None:
    rows = [session(number, "pending", queue_position=9 - number) for number in range(1, 9)]
    async with show(rows) as (tab, _):
        page = tab.page
        await expect(page.locator(".listed .gist")).to_have_text(
            [f"{place} in queue" for place in ("1st", "2nd", "3rd", "4th", "5th")]
        )
        await page.get_by_role("button", name="Show 3 more").click()
        await expect(page.locator(".listed")).to_have_count(8)
        await page.get_by_role("button", name="Show fewer").click()
        await expect(page.locator(".listed")).to_have_count(5)


async def test_an_end_is_noticed_by_who_asked_for_it_and_by_nobody_else(show_apart: Show) -> None:
    async with show_apart([session(number, "in_progress") for number in range(1, 10)]) as (tab, api):
        page = tab.page
        await page.add_init_script(NOTICES)
        await page.reload()
        await expect(page.locator("#connection")).to_have_text("Live")
        await expect(page.locator(".listed")).to_have_count(9)
        assert await page.evaluate("Notification.asked") == 0
        api.change("s-00001", "completed")
        await expect(row_of(page, 1).locator(".status")).to_have_text("Completed")
        assert await page.evaluate("notices") == []
        await page.get_by_role("button", name="Notify me").click()
        await expect(page.get_by_role("button", name="Notify me")).to_have_attribute("aria-pressed", "true")
        for number in range(2, 10):
            api.change(f"s-{number:05}", "failed")
        await expect(page.locator(".listed .status", has_text="Failed")).to_have_count(8)
        noticed = await page.evaluate("notices")

    assert [title for title, _ in noticed] == [f"Failed: Alert {number}" for number in range(2, 7)]


async def test_an_end_is_noticed_once_though_the_api_has_it_before_it_comes_live(show_apart: Show) -> None:
    async with show_apart([session(1, "in_progress")]) as (tab, api):
        page = tab.page
        await page.add_init_script(NOTICES)
        await page.reload()
        await expect(row_of(page, 1).locator(".status")).to_have_text("Running")
        await page.get_by_role("button", name="Notify me").click()
        await expect(page.get_by_role("button", name="Notify me")).to_have_attribute("aria-pressed", "true")
        api.rows[0] |= session(1, "completed", last_number=9, outcome="It was DNS.")
        await expect(row_of(page, 1).locator(".status")).to_have_text("Completed")
        api.send(status_of("s-00001", "completed"), status_of("s-00001", "failed", 10))
        await expect(row_of(page, 1).locator(".status")).to_have_text("Failed")
        assert await page.evaluate("notices") == [["Completed: Alert 1", "It was DNS."]]


async def test_an_empty_list_says_how_to_send_the_first_alert(show_apart: Show) -> None:
    async with show_apart([]) as (tab, api):
        page = tab.page
        await page.add_init_script(CLIPBOARD)
        await page.reload()
        await expect(page.get_by_role("heading", name="No alert has been investigated yet")).to_be_visible()
        async with copying(page):
            await page.get_by_role("button", name="Copy: Every alert from Alertmanager").click()
        copied = await page.evaluate("window.copied")
        assert "webhook_configs:" in copied
        assert f"{page.url}api/v1/alerts/alertmanager" in copied
        await expect(page.locator("#connection")).to_have_text("Live")
        api.rows.append(session(1))
        api.change("s-00001", "in_progress")
        await expect(row_of(page, 1)).to_be_visible()
        await expect(page.locator(".first-alert")).to_have_count(0)
