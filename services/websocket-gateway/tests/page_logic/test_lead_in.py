"""Which responses only lead to the call behind them."""

import pytest

from page_logic.node_process import PAGE, Node

SCRIPT = "async ([path, item, next]) => (await import(path)).isLeadIn(item ?? undefined, next ?? undefined)"
RESPONSE = {"type": "llm_response", "status": "completed", "content": "I look.", "executionId": "e1", "metadata": {}}
CALL = {"type": "llm_tool_call", "executionId": "e1"}


@pytest.mark.parametrize(
    ("response", "call", "leads"),
    [
        ({}, {}, True),
        ({"content": "x" * 121}, {}, False),
        ({"content": "One.\nTwo."}, {}, False),
        ({"content": " "}, {}, False),
        ({"status": "streaming"}, {}, False),
        ({"type": "llm_thinking"}, {}, False),
        ({"metadata": {"reminder": "Go on."}}, {}, False),
        ({"executionId": None}, {"executionId": None}, False),
        ({}, {"executionId": "e2"}, False),
        ({}, {"type": "llm_response"}, False),
    ],
)
def test_a_short_response_leads_to_the_next_call_of_its_agent(
    node: Node, response: dict[str, object], call: dict[str, object], leads: bool
) -> None:
    assert node.evaluate(SCRIPT, [f"{PAGE}/state/lead_in.js", RESPONSE | response, CALL | call]) is leads
    assert node.evaluate(SCRIPT, [f"{PAGE}/state/lead_in.js", RESPONSE | response, None]) is False
