"""A summary on the page says who wrote it, and what it saved."""

import pytest

from tarsy_testing.browser.browser import Tab
from tarsy_testing.browser.page_feed import SHOW_SESSION
from tarsy_websocket_gateway.page_files.assets import load_page

pytestmark = pytest.mark.asyncio(loop_scope="session")

ASSETS = f"/assets/{load_page().version}"


async def notes(tab: Tab, **metadata: object) -> list[str]:
    summary = {
        "type": "timeline_event.created", "event_id": "s", "event_type": "mcp_tool_summary", "status": "completed",
        "content": "It restarts.", "metadata": metadata, "number": 1,
    }  # fmt: skip
    await tab.page.evaluate(SHOW_SESSION, [ASSETS, "a", None, [summary]])
    return await tab.page.locator(".item .quiet").all_inner_texts()


async def test_a_summary_says_its_model_and_its_sizes(tab: Tab) -> None:
    said = await notes(tab, model="gemini-3.7-flash", tokens_before=33_000, tokens_after=1_200)
    assert said == ["gemini-3.7-flash shortened about 33,000 tokens to 1,200"]


async def test_a_summary_that_was_reused_says_so_instead(tab: Tab) -> None:
    said = await notes(tab, model="gemini-3.7-flash", tokens_before=33_000, tokens_after=1_200, reused_from="c")
    assert said == ["Same lines as above: summary reused, no model was asked"]


async def test_where_nobody_counted_nothing_is_said(tab: Tab) -> None:
    assert await notes(tab) == []
    assert await notes(tab, model="m", tokens_before=None, tokens_after=None) == []
