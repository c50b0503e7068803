"""Arguments of a call as the page shows them."""

import json

from page_logic.node_process import PAGE, Node


def test_arguments_are_shown_in_one_order_whether_they_come_live_or_from_the_timeline(node: Node) -> None:
    live = {"namespace": "shop", "list": [{"b": 1, "a": None}], "kind": "Pod", "__proto__": "x"}
    of_the_timeline = {"kind": "Pod", "list": [{"a": None, "b": 1}], "__proto__": "x", "namespace": "shop"}
    shown = node.evaluate(
        """async ([assets, all]) => {
            const { argumentLine, argumentLines } = await import(`${assets}/words/call_arguments.js`);
            return all.map(JSON.parse).map((given) => [argumentLine(given), argumentLines(given)]);
        }""",
        [PAGE, [json.dumps(one) for one in (live, of_the_timeline, None)]],
    )
    assert shown[0] == shown[1]
    assert shown[0][0] == '__proto__=x, kind=Pod, list=[{"a":null,"b":1}], namespace=shop'
    assert shown[2] == ["", "{}"]
