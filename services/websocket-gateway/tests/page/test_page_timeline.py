"""A session of 2,000 items in Chromium."""

import pytest

from tarsy_testing.browser.browser import Tab, most_per_frame
from tarsy_websocket_gateway.page_files.assets import load_page

pytestmark = pytest.mark.asyncio(loop_scope="session")

ASSETS = f"/assets/{load_page().version}"

STEP_MILLISECONDS = 0.2
"""So long does one item take to draw."""
MOST_IN_A_FRAME = 100
"""Drawing may take 10 ms of a frame: the 50 items of one frame, and not those of two."""


async def test_a_large_session_is_drawn_without_freezing_and_what_is_folded_is_not_in_the_page(
    tab: Tab,
) -> None:
    """2,000 items, 500 of which have a result of 32 kB."""
    found = await tab.page.evaluate(
        """async ([assets, step, mostPerFrame]) => {
            const { html, render } = await import(`${assets}/ui.js`);
            const { SessionStore } = await import(`${assets}/stores/session_store.js`);
            const { SessionPage } = await import(`${assets}/views/session.js`);
            const store = new SessionStore("a");
            store.record.read = async () => {};
            document.body.replaceChildren();
            render(html`<${SessionPage} store=${store} />`, document.body);
            const types = ["llm_thinking", "llm_response", "llm_tool_call", "mcp_tool_summary"];
            const result = "a line of a log, as they are\\n".repeat(1100);
            const messages = Array.from({ length: 2000 }, (_, place) => ({
                type: "timeline_event.created", event_id: `item-${place}`, event_type: types[place % 4],
                status: "completed", content: place % 4 === 2 ? result : `It is **number** ${place}.`,
                number: place + 1,
                metadata: { server_name: "k8s", tool_name: "log", arguments: {}, outcome: "ok" },
                sequence_number: place * 10,
            }));
            for (const message of messages) store.take(message);
            const list = document.querySelector(".timeline ol");
            const most = await mostPerFrame(step, () => list.children.length, messages.length);
            const before = document.body.textContent.length;
            const call = list.querySelector("details.call");
            call.open = true;
            await new Promise((resolve) => setTimeout(resolve, 50));
            const open = call.querySelector("pre:last-of-type").textContent.length;
            call.open = false;
            await new Promise((resolve) => setTimeout(resolve, 50));
            const numbers = [...list.querySelectorAll("[data-type=llm_thinking] .body")].map((one) => one.textContent);
            return { most, before, open, length: result.length, closed: call.textContent.length, numbers };
        }""",
        [ASSETS, STEP_MILLISECONDS, await most_per_frame(tab.page)],
    )
    assert 0 < found["most"] < MOST_IN_A_FRAME
    assert found["before"] < 200_000
    assert found["open"] == found["length"]
    assert found["closed"] < 200
    assert found["numbers"] == [f"It is **number** {place}." for place in range(0, 2000, 4)]
