"""A session of 2,000 events on the page in Chromium, behind a real gateway and a real timeline."""

from collections.abc import Awaitable, Callable, Iterable
from typing import Any

import pytest
from playwright.async_api import expect

from tarsy_contracts import events as e

pytestmark = pytest.mark.asyncio(loop_scope="session")

EVENTS, BEGUN = 2_000, 5
"""The agent has asked its model after the first of them."""
DRAWN_MILLISECONDS = 240_000
HOSTILE = "<img src=x onerror=alert(1)>"


def calls(session_id: str, numbers: Iterable[int]) -> list[e.Event]:
    return [
        event
        for number in numbers
        for event in (
            e.ToolCallRequested(
                call_id=f"c{number}", execution_id=f"{session_id}/e", llm_call_id=f"{session_id}/l", server="k8s",
                tool="pods", arguments={"name": HOSTILE, "number": number}, repeatable=True, timeout_seconds=60,
            ),
            e.ToolCallCompleted(call_id=f"c{number}", outcome="ok", content=f"{HOSTILE} {number}"),
        )
    ]  # fmt: skip


async def test_all_of_it_is_shown_and_more_comes(
    open_page: Callable[[str], Any], append: Callable[..., Awaitable[None]], story: Callable[[], Any]
) -> None:
    session = story()
    del session.records[BEGUN:]
    count = (EVENTS - BEGUN) // 2
    session.add(*calls(session.id, range(count)))
    await append(session.records)

    async with open_page(session.id) as tab:
        shown = tab.page.locator(".item[data-type=llm_tool_call]")
        await expect(shown).to_have_count(count, timeout=DRAWN_MILLISECONDS)
        await expect(shown.last).to_contain_text(HOSTILE)
        await append(session.add(*calls(session.id, [count])).records[-2:])
        await expect(shown).to_have_count(count + 1)
        assert await tab.page.locator("main :is(script, img)").count() == 0
