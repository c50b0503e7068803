"""The chat beside the story, and questions from a selection, in Chromium."""

from collections.abc import Callable
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Locator, expect

from tarsy_testing.browser.axe import violations
from tarsy_testing.browser.browser import Tab
from tarsy_testing.browser.chat_page import Scene
from tarsy_testing.browser.styled_page import add_styles
from tarsy_testing.story.reply import Exchange

pytestmark = pytest.mark.asyncio(loop_scope="session")

WIDE = {"width": 1440, "height": 900}
NARROW = {"width": 700, "height": 900}

SELECT = """(selector) => {
    const range = document.createRange();
    range.selectNodeContents(document.querySelector(selector));
    getSelection().removeAllRanges();
    getSelection().addRange(range);
}"""


@pytest_asyncio.fixture(loop_scope="session")
async def scene(tab: Tab, story: Callable[[], Any]) -> Scene:
    await tab.page.set_viewport_size(WIDE)  # type: ignore[arg-type]
    await add_styles(tab.page)
    await tab.page.evaluate("localStorage.removeItem('rail')")
    scene = Scene(tab, story())
    await tab.page.evaluate("async (assets) => (await import(`${assets}/stores/rail.js`)).openChat()", scene.assets)
    return scene


def rail_tab(scene: Scene, name: str) -> Locator:
    return scene.tab.page.get_by_role("tab", name=name)


def field(scene: Scene) -> Locator:
    return scene.tab.page.get_by_label("Ask the investigation")


def ask_about(scene: Scene) -> Locator:
    return scene.tab.page.get_by_role("button", name="Ask about this")


async def select(scene: Scene, selector: str) -> None:
    await expect(scene.tab.page.locator(selector).first).to_be_visible()
    await scene.tab.page.evaluate(SELECT, selector)


async def test_the_chat_stands_beside_the_story_and_its_field_is_in_view_wherever_one_reads(scene: Scene) -> None:
    await scene.show()
    page = scene.tab.page
    for number in range(1, 7):
        await scene.add(*Exchange(scene.session.id, number=number, stage=number + 1).whole())
    await expect(field(scene)).to_be_in_viewport(ratio=1)
    story, chat = page.locator(".timeline"), page.locator(".chat")
    left, right = await story.bounding_box(), await chat.bounding_box()
    assert left is not None
    assert right is not None
    assert left["x"] + left["width"] <= right["x"]
    await page.evaluate("scrollTo(0, document.body.scrollHeight)")
    await expect(field(scene)).to_be_in_viewport(ratio=1)


async def test_the_browser_remembers_which_tab_was_chosen_at_the_end(scene: Scene) -> None:
    await scene.show()
    page = scene.tab.page
    await expect(rail_tab(scene, "Chat")).to_have_attribute("aria-selected", "true")
    await rail_tab(scene, "Details").click()
    await expect(page.locator(".chat")).to_be_hidden()
    await expect(page.locator(".facts")).to_be_visible()
    assert await page.evaluate("localStorage.getItem('rail')") == "details"
    await scene.show()
    await expect(page.locator(".chat")).to_be_hidden()
    await page.keyboard.press("q")
    await expect(field(scene)).to_be_focused()


async def test_tabs_are_reached_by_arrows(scene: Scene) -> None:
    await scene.show()
    await rail_tab(scene, "Chat").focus()
    for key, name in (("ArrowLeft", "Details"), ("ArrowRight", "Chat"), ("ArrowRight", "Details")):
        await scene.tab.page.keyboard.press(key)
        await expect(rail_tab(scene, name)).to_be_focused()
        await expect(rail_tab(scene, name)).to_have_attribute("aria-selected", "true")


async def test_what_runs_is_shown_until_the_end_opens_the_chat(tab: Tab, scene: Scene) -> None:
    await tab.page.reload()
    await add_styles(tab.page)
    await scene.show_only(scene.live(0)[:6])
    page = scene.tab.page
    await expect(rail_tab(scene, "Now")).to_have_attribute("aria-selected", "true")
    await expect(page.locator(".chat")).to_be_hidden()
    await scene.feed(scene.live(0))
    await expect(rail_tab(scene, "Chat")).to_have_attribute("aria-selected", "true")
    await expect(rail_tab(scene, "Now")).to_have_count(0)


async def test_where_there_is_no_room_it_stands_below_the_story(scene: Scene) -> None:
    await scene.show()
    page = scene.tab.page
    await rail_tab(scene, "Details").click()
    await page.set_viewport_size(NARROW)  # type: ignore[arg-type]
    await expect(page.locator(".chat")).to_be_visible()
    await expect(page.get_by_role("tab")).to_have_count(0)
    story, chat = await page.locator(".timeline").bounding_box(), await page.locator(".chat").bounding_box()
    assert story is not None
    assert chat is not None
    assert story["y"] + story["height"] <= chat["y"]


async def test_the_newest_reply_is_in_view_until_a_reader_goes_up(scene: Scene) -> None:
    await scene.show()
    page = scene.tab.page
    box = page.locator(".conversation")
    for number in range(1, 7):
        await scene.add(*Exchange(scene.session.id, number=number, stage=number + 1).whole())
    await expect(page.locator(".turn")).to_have_count(6)
    await expect(page.locator(".turn .item:visible").last).to_be_in_viewport()
    await box.evaluate("(box) => box.scrollTo(0, 0)")
    await page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    await scene.add(*Exchange(scene.session.id, number=7, stage=8).whole())
    await expect(page.locator(".turn")).to_have_count(7)
    assert await box.evaluate("(box) => box.scrollTop") == 0


async def test_a_selection_becomes_a_quotation_in_the_field(scene: Scene) -> None:
    await scene.show()
    await select(scene, ".analysis .markdown")
    await expect(ask_about(scene)).to_be_in_viewport()
    await ask_about(scene).click()
    await expect(field(scene)).to_have_value("> It was DNS.\n\n")
    await expect(field(scene)).to_be_focused()
    await expect(ask_about(scene)).to_be_hidden()
    await scene.tab.page.keyboard.type("Since when?")
    await expect(field(scene)).to_have_value("> It was DNS.\n\nSince when?")


async def test_a_key_asks_about_a_part_of_a_result_and_opens_the_chat(scene: Scene) -> None:
    await scene.show()
    page = scene.tab.page
    await field(scene).fill("Why?")
    await rail_tab(scene, "Details").click()
    await page.locator(".timeline .call > summary").first.click()
    await select(scene, ".timeline .inside pre.data")
    await expect(ask_about(scene)).to_have_attribute("aria-keyshortcuts", "q")
    await page.keyboard.press("q")
    await expect(field(scene)).to_have_value("Why?\n\n> {}\n\n")
    await expect(field(scene)).to_be_focused()


async def test_it_is_not_offered_for_what_is_no_part_of_the_story_nor_while_nobody_can_ask(scene: Scene) -> None:
    await scene.show()
    await select(scene, ".analysis .markdown")
    await expect(ask_about(scene)).to_be_visible()
    await rail_tab(scene, "Details").click()
    await select(scene, ".side .facts")
    await expect(ask_about(scene)).to_be_hidden()
    await scene.show(chat_enabled=False)
    await select(scene, ".analysis .markdown")
    await scene.tab.page.evaluate(
        "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
    )
    await expect(ask_about(scene)).to_be_hidden()


@pytest.mark.parametrize(
    ("words", "selected", "most", "quoted"),
    [
        ("", "one\n\n  \ntwo  ", 100, "> one\n> two\n\n"),
        ("Why?\n", " one ", 100, "Why?\n\n> one\n\n"),
        ("Why?", " \n ", 100, "Why?"),
        ("", "0123456789", 12, "> 0123456…\n\n"),
        ("Why?", "0123456789", 11, "Why?"),
        ("", "\N{FIRE}\N{FIRE}\N{FIRE}\N{FIRE}", 7, "> \N{FIRE}\N{FIRE}…\n\n"),
    ],
)
async def test_a_quotation_fits_the_field(tab: Tab, words: str, selected: str, most: int, quoted: str) -> None:
    found = await tab.page.evaluate(
        """async ([assets, words, selected, most]) =>
            (await import(`${assets}/state/quotation.js`)).withQuotation(words, selected, most)""",
        [Scene(tab, None).assets, words, selected, most],
    )
    assert found == quoted


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_the_chat_and_a_selection_are_accessible_at_every_width(scene: Scene, scheme: Any) -> None:
    page = scene.tab.page
    await page.emulate_media(color_scheme=scheme)
    await scene.show()
    await scene.add(*Exchange(scene.session.id, answer="Since 03:00 [call 1].").whole())
    broken = []
    for width in (390, 900, 1440):
        await page.set_viewport_size({"width": width, "height": 900})
        await select(scene, ".analysis .markdown")
        await expect(ask_about(scene)).to_be_visible()
        broken += [f"{width}: {one}" for one in await violations(page)]
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), width
    await rail_tab(scene, "Details").click()
    broken += [f"details: {one}" for one in await violations(page)]
    assert broken == []
