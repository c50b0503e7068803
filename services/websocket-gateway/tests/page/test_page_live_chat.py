"""The chat on the page in Chromium, in front of a real gateway and a real timeline. Only the orchestrator is played."""

import re
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from playwright.async_api import Locator, Page, expect

from tarsy_contracts.messages.chunks import LlmChunk
from tarsy_testing.real_servers import eventually
from tarsy_testing.story.reply import Exchange

pytestmark = pytest.mark.asyncio(loop_scope="session")

type Append = Callable[..., Awaitable[None]]
type Open = Callable[[], Any]


CLOCK = re.compile(r"\d\d:\d\d:\d\d")
NOTHING = re.compile(r"(?!)")


def chunk(exchange: Exchange, index: int, text: str) -> LlmChunk:
    call = exchange.llm_call_id(2)
    return LlmChunk(call_id=call, execution_id=exchange.execution_id, run=1, index=index, part="text", text=text)


async def until_they_read_the_same(one: Page, other: Page, place: str, *, but_for: re.Pattern[str]) -> None:
    """Both are read again: each may have something to draw yet."""
    shown: list[str] = []

    async def look() -> bool:
        shown[:] = [await page.locator(place).inner_text() for page in (one, other)]
        return but_for.sub("", shown[0]) == but_for.sub("", shown[1])

    await eventually(look, lambda: f"{shown[0]!r} is {shown[1]!r}")


def loading(page: Page) -> Locator:
    """The parts that wait for what they show: several do."""
    return page.get_by_text("Loading …").filter(visible=True)


def words(page: Page) -> Locator:
    return page.locator(".turn .item[data-type=llm_response] .body")


async def test_two_people_see_the_same_chat_live_and_a_reload_tells_the_same(
    open_page: Callable[[str], Any], append: Append, stream: Callable[..., Any], story: Callable[[], Any]
) -> None:
    session = story()
    exchange = Exchange(session.id)
    await append(session.records)
    session.add(*exchange.whole())
    rest = session.records[13:]

    async with open_page(session.id) as ann, open_page(session.id) as bob:
        pages = (ann.page, bob.page)
        for page in pages:
            await expect(page.get_by_label("Ask the investigation")).to_be_enabled()
        await append(rest[:-4])
        await stream(session.id, chunk(exchange, 0, "Since "), chunk(exchange, 1, "**03"))
        for page in pages:
            await expect(page.locator(".turn .author")).to_have_text("ann")
            await expect(words(page)).to_have_text("Since **03")
            await expect(page.get_by_role("button", name="Cancel the reply")).to_be_visible()
        await until_they_read_the_same(ann.page, bob.page, ".chat", but_for=CLOCK)
        await bob.page.reload()
        await expect(words(bob.page)).to_have_text("Since **03")
        await expect(bob.page.locator(".turn .end")).to_contain_text("Running")
        # A stream begins for a page when the page is told of it.
        await until_they_read_the_same(ann.page, bob.page, ".chat", but_for=CLOCK)

        await append(rest[-4:])
        for page in pages:
            await expect(words(page).locator("strong")).to_have_text("03:00")
            await expect(page.get_by_label("Ask the investigation")).to_be_enabled()
            await expect(page.locator(".state .status")).to_have_text("Completed")
            await expect(loading(page)).to_have_count(0)
        await ann.page.reload()
        await expect(words(ann.page).locator("strong")).to_have_text("03:00")
        await expect(loading(ann.page)).to_have_count(0)
        # What was counted is read again after the reply, and a long story is drawn part by part.
        await until_they_read_the_same(ann.page, bob.page, "main", but_for=NOTHING)


async def test_a_question_that_is_not_answered_yet_stays_in_its_field_and_is_asked_once(
    open_page: Callable[[str], Any], append: Append, story: Callable[[], Any]
) -> None:
    session = story()
    await append(session.records)

    async with open_page(session.id) as tab:
        field = tab.page.get_by_label("Ask the investigation")
        await expect(field).to_be_enabled()
        ids = []
        for _ in range(2):
            await field.fill("Since when?")
            async with tab.page.expect_response("**/chat/messages") as taken:
                await field.press("Enter")
            answer = await taken.value
            ids.append((answer.status, (await answer.json())["message_id"]))
            await expect(tab.page.locator(".asking .answer")).to_contain_text("Your question was received")
            await expect(field).to_have_value("Since when?")

    assert len(set(ids)) == 1
    assert ids[0][0] == 202
