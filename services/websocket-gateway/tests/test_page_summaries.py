"""A summary on the page says who wrote it, and what it saved."""

import pytest

from tarsy_browser import Tab
from tarsy_websocket_gateway.page_assets import load_page

pytestmark = pytest.mark.asyncio(loop_scope="module")

ASSETS = f"/assets/{load_page().version}"

NOTES = """async ([assets, item]) => {
    const { itemView } = await import(`${assets}/views/item.js`);
    const view = itemView(item);
    view.update(item, "");
    document.body.replaceChildren(view.node);
    return [...view.node.querySelectorAll(".quiet")].map((one) => one.textContent);
}"""


async def notes(tab: Tab, **metadata: object) -> list[str]:
    item = {"type": "mcp_tool_summary", "status": "completed", "content": "It restarts.", "metadata": metadata}
    found: list[str] = await tab.page.evaluate(NOTES, [ASSETS, item])
    return found


async def test_a_summary_says_its_model_and_its_sizes(tab: Tab) -> None:
    said = await notes(tab, model="gemini-3.7-flash", tokens_before=33_000, tokens_after=1_200)
    assert said == ["gemini-3.7-flash: about 33,000 tokens became 1,200"]


async def test_where_nobody_counted_nothing_is_said(tab: Tab) -> None:
    assert await notes(tab) == []
    assert await notes(tab, model="m", tokens_before=None, tokens_after=None) == []
