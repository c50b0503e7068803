"""Arguments of a call as the page shows them, in Chromium."""

import json

import pytest

from tarsy_browser import Tab
from tarsy_websocket_gateway.page_assets import load_page

pytestmark = pytest.mark.asyncio(loop_scope="session")

ASSETS = f"/assets/{load_page().version}"


async def test_arguments_are_shown_in_one_order_whether_they_come_live_or_from_the_timeline(tab: Tab) -> None:
    live = {"namespace": "shop", "list": [{"b": 1, "a": None}], "kind": "Pod", "__proto__": "x"}
    of_the_timeline = {"kind": "Pod", "list": [{"a": None, "b": 1}], "__proto__": "x", "namespace": "shop"}
    shown = await tab.page.evaluate(
        """async ([assets, all]) => {
            const { argumentLine, argumentLines } = await import(`${assets}/words/call_arguments.js`);
            return all.map(JSON.parse).map((given) => [argumentLine(given), argumentLines(given)]);
        }""",
        [ASSETS, [json.dumps(one) for one in (live, of_the_timeline, None)]],
    )
    assert shown[0] == shown[1]
    assert shown[0][0] == '__proto__=x, kind=Pod, list=[{"a":null,"b":1}], namespace=shop'
    assert shown[2] == ["", "{}"]
