"""The list of sessions in Chromium, in front of an API that a test plays."""

import re

import pytest
from playwright.async_api import Page, ViewportSize, expect

from tarsy_testing.browser.listed_sessions import DESK, NOW, PHONE, Show, ids, row_of, session, wire
from tarsy_testing.real_servers import eventually

pytestmark = pytest.mark.asyncio(loop_scope="session")

HOSTILE = "<img src=x onerror=alert(1)> <b>checkout</b>"
NO_STORAGE = "Object.defineProperty(window, 'localStorage', { get() { throw new Error('no'); } })"
MANY = 2_000
MOST_ROWS = 80
"""In the document: those of the viewport, and of a margin around it."""
LONGEST_SCROLL_SECONDS = 600.0
"""Twenty pages, one after the other, on a machine that does other things."""
ACTIVITY = {
    "stage": 1, "stages": 1, "stage_name": "look", "agent": "K8s", "iteration": 4, "iteration_limit": 20,
    "server": "kubernetes", "tool": "pods_log", "since": wire(NOW),
}  # fmt: skip


async def test_a_line_says_what_there_is_to_know_and_hostile_text_is_text(show: Show) -> None:
    rows = [
        session(1, "in_progress", now=ACTIVITY, input_tokens=48_000, approvals_waiting=1),
        session(2, "pending", queue_position=1, severity=None),
        session(3, "failed", title=HOSTILE, error_message=f"{HOSTILE}. Again.", changed=2, repeat_count=3),
    ]
    async with show(rows) as (tab, _):
        page = tab.page
        await expect(page.locator(".list-section h2")).to_have_text(["Running 1", "Queued 1", "Today 1"])
        running, waiting, failed = (row_of(page, number) for number in (1, 2, 3))
        await expect(running.locator(".gist")).to_have_text(re.compile("^step 4 of 20 · kubernetes.pods_log · "))
        await expect(running.locator(".mark")).to_have_text(["awaiting approval"])
        await expect(running.locator(".tokens")).to_have_text("48k tok")
        await expect(waiting.locator(".gist")).to_have_text("1st in queue")
        await expect(failed.locator(".title")).to_have_text(HOSTILE)
        await expect(failed.locator(".gist")).to_have_text(f"{HOSTILE}.")
        await expect(failed.locator(".mark")).to_have_text(["changed", "×4"])
        await expect(failed.locator(".status")).to_have_text("Failed")
        assert await page.locator("main :is(img, b, script)").count() == 0


@pytest.mark.parametrize(("viewport", "height"), [(DESK, 40), (PHONE, 60)], ids=["desk", "phone"])
async def test_each_line_has_its_height_whatever_it_says(show: Show, viewport: ViewportSize, height: int) -> None:
    rows = [session(1, title="word " * 100, outcome="word " * 100, repeat_count=3, changed=1), session(2, title="x")]
    async with show(rows, viewport=viewport) as (tab, _):
        boxes = [await row_of(tab.page, number).bounding_box() for number in (1, 2)]
        wide = await tab.page.evaluate("document.documentElement.scrollWidth")

    assert [box and box["height"] for box in boxes] == [height, height]
    assert wide == viewport["width"]


async def test_two_thousand_sessions_scroll_with_few_rows_in_the_document(show: Show) -> None:
    async with show([session(number) for number in range(MANY)]) as (tab, api):
        page, most = tab.page, 0
        oldest = row_of(page, MANY - 1)

        async def is_at_the_end() -> bool:
            nonlocal most
            await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
            most = max(most, await page.locator(".listed").count())
            return await oldest.count() == 1

        await eventually(is_at_the_end, "the oldest session is shown", seconds=LONGEST_SCROLL_SECONDS)
        # The last ones may have come below what was the end.
        await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
        await expect(oldest).to_be_in_viewport()
        assert most <= MOST_ROWS
        assert len([one for one in api.asked if "completed" in one]) <= MANY / 100 + 5


async def test_what_is_read_stays_where_it_is_when_a_new_session_comes_above(show: Show) -> None:
    async with show([session(number) for number in range(100, 300)]) as (tab, api):
        page = tab.page
        await page.evaluate("scrollTo(0, 2000)")
        await expect(row_of(page, 150)).to_be_in_viewport()
        before = await row_of(page, 150).bounding_box()
        api.rows.append(session(1))
        api.change("s-00001", "completed")
        await eventually(lambda: moved(page), "the list has become longer")
        after = await row_of(page, 150).bounding_box()

    assert before is not None
    assert after is not None
    assert abs(after["y"] - before["y"]) < 1


async def moved(page: Page) -> bool:
    return float(await page.evaluate("scrollY")) == 2040


async def test_an_end_moves_the_row_and_the_focus_stays_on_it(show: Show) -> None:
    async with show([session(1, "in_progress"), session(2, "in_progress"), session(3)]) as (tab, api):
        page = tab.page
        await expect(page).to_have_title("(2) TARSy")
        await expect(page.locator('link[rel="icon"]')).to_have_attribute("href", re.compile("/icon-running.svg$"))
        await row_of(page, 1).locator("a").focus()
        api.change("s-00001", "completed", outcome="It was DNS.", input_tokens=7000)
        await expect(page).to_have_title("(1) TARSy")
        await expect(row_of(page, 1).locator(".gist")).to_have_text("It was DNS.")
        await expect(row_of(page, 1).locator("a")).to_be_focused()
        assert await ids(page) == ["s-00002", "s-00001", "s-00003"]

        api.change("s-00002", "cancelled")
        await expect(page).to_have_title("TARSy")
        await expect(page.locator('link[rel="icon"]')).to_have_attribute("href", re.compile("/icon.svg$"))
        await expect(page.locator(".list-section h2")).to_have_text(["Today 3"])


async def test_a_list_that_is_searched_shows_new_sessions_that_fit(show: Show) -> None:
    async with show([session(9)], "/?q=ns%3Ashop") as (tab, api):
        api.rows += [session(1, namespace="bank"), session(2)]
        api.change("s-00001", "completed")
        api.change("s-00002", "failed")
        await expect(row_of(tab.page, 2).locator(".status")).to_have_text("Failed")
        assert await ids(tab.page) == ["s-00002", "s-00009"]


async def test_a_session_that_is_deleted_leaves_the_list_though_the_api_has_it_for_a_while(show: Show) -> None:
    async with show([session(1), session(2, "in_progress")]) as (tab, api):
        api.send({"type": "session.deleted", "session_id": "s-00001", "number": 9, "timestamp": wire(NOW)})
        await expect(row_of(tab.page, 1)).to_have_count(0)
        api.change("s-00002", "completed", outcome="It was DNS.")
        await expect(row_of(tab.page, 2).locator(".gist")).to_have_text("It was DNS.")
        await expect(row_of(tab.page, 1)).to_have_count(0)


async def test_words_and_filters_become_the_address_and_chips(show: Show) -> None:
    rows = [session(1, title="disk is full"), session(2, "failed"), session(3, "failed", title="disk is slow")]
    async with show(rows) as (tab, _):
        page = tab.page
        field = page.get_by_label("Search sessions")
        await field.fill("disk")
        await expect(page).to_have_url(re.compile(r"/\?q=disk$"))
        await expect(page.locator(".listed")).to_have_count(2)
        await field.fill("disk status:failed")
        await field.press("Enter")
        await expect(page).to_have_url(re.compile(r"/\?q=disk\+status%3Afailed$"))
        await expect(field).to_have_value("disk")
        await expect(page.locator(".chips .chip .value")).to_have_text(["Failed"])
        await expect(page.locator(".listed")).to_have_count(1)

        await page.reload()
        await expect(field).to_have_value("disk")
        await page.get_by_role("button", name="Remove Status: Failed").click()
        await expect(page).to_have_url(re.compile(r"/\?q=disk$"))
        await expect(page.locator(".listed")).to_have_count(2)
        await field.fill("zz")
        await expect(page.get_by_text("Type at least three letters.")).to_be_visible()
        await field.fill("nothing has this")
        await expect(page.get_by_text("No session matches.")).to_be_visible()
        await page.get_by_role("button", name="Show all sessions").click()
        await expect(page.locator(".listed")).to_have_count(3)
        await expect(field).to_have_value("")


async def test_what_is_typed_while_the_address_is_written_stays_in_the_field(show: Show) -> None:
    async with show([session(1, title="disk is full")]) as (tab, _):
        page = tab.page
        await page.evaluate(
            """() => {
                const replace = history.replaceState;
                history.replaceState = (...given) => {
                    replace.apply(history, given);
                    history.replaceState = replace;
                    const field = document.getElementById("search");
                    field.value = "disk";
                    field.dispatchEvent(new Event("input", { bubbles: true }));
                };
            }"""
        )
        field = page.get_by_label("Search sessions")
        await field.fill("dis")
        await expect(page).to_have_url(re.compile(r"/\?q=disk$"))
        await expect(field).to_have_value("disk")


async def test_a_filter_that_is_chosen_while_somebody_types_holds(show: Show) -> None:
    async with show([session(1, severity="warning")]) as (tab, _):
        page = tab.page
        await page.locator(".filter-menu summary").click()
        severity = page.locator(".filter-menu").get_by_label("Severity")
        await expect(severity.locator("option")).to_have_count(3)
        await severity.evaluate(
            """(select) => {
                const change = (node, value, kind) => {
                    node.value = value;
                    node.dispatchEvent(new Event(kind, { bubbles: true }));
                };
                change(document.getElementById("search"), "alert", "input");
                change(select, "warning", "change");
            }"""
        )
        await expect(page).to_have_url(re.compile(r"/\?q=alert\+severity%3Awarning$"))


async def test_filters_and_a_span_of_time_can_be_chosen(show: Show) -> None:
    rows = [session(1, severity="warning"), session(2), session(90, severity="warning")]
    async with show(rows) as (tab, _):
        page = tab.page
        await page.locator(".filter-menu summary").click()
        await page.locator(".filter-menu").get_by_label("Severity").select_option("warning")
        await expect(page.locator(".listed")).to_have_count(2)
        await page.keyboard.press("Escape")
        await expect(page.locator(".filter-menu").get_by_label("Severity")).to_be_hidden()
        await page.get_by_label("Time", exact=True).select_option("hour")
        await expect(page.locator(".listed")).to_have_count(1)
        await expect(page).to_have_url(re.compile(r"q=severity%3Awarning&span=hour$"))
        await page.get_by_label("Time", exact=True).select_option("own")
        await page.get_by_label("Until").fill("2026-11-26T17:00")
        await expect(page).to_have_url(re.compile(r"until=2026-11-26T17%3A00%3A00.000Z$"))
        await expect(row_of(page, 1)).to_have_count(0)
        await expect(row_of(page, 90)).to_have_count(1)
        assert await ids(page) == ["s-00090"]


async def test_a_search_can_be_named_and_is_there_the_next_time(show: Show) -> None:
    async with show([session(1), session(2, "failed")], "/?q=status%3Afailed") as (tab, _):
        page = tab.page
        await page.get_by_role("button", name="Save this view").click()
        await expect(page.get_by_label("Name of the view")).to_be_focused()
        await page.keyboard.type(HOSTILE)
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("link", name=HOSTILE)).to_be_visible()
        await page.goto("/")
        await page.get_by_role("link", name=HOSTILE).click()
        await expect(page.locator(".listed")).to_have_count(1)
        await page.get_by_role("button", name=f"Delete the view {HOSTILE}").click()
        await expect(page.get_by_role("link", name=HOSTILE)).to_have_count(0)


async def test_a_browser_that_remembers_nothing_is_no_error(show_apart: Show) -> None:
    async with show_apart([session(1)]) as (tab, _):
        page = tab.page
        await page.add_init_script(
            "Object.defineProperty(window, 'localStorage', { get() { throw new Error('no'); } })"
        )
        await page.goto("/?q=status%3Acompleted")
        await page.get_by_role("button", name="Save this view").click()
        await expect(page.get_by_label("Name of the view")).to_be_focused()
        await page.keyboard.type("mine")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("link", name="mine")).to_be_visible()
