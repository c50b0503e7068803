"""What an agent has cost, as its line in the outline and its record say it."""

import pytest
from pydantic import JsonValue

from page_logic.node_process import PAGE, Node

SCRIPT = """async ([words, wording, agent]) => {
    const { agentCost } = await import(words);
    const { agentFacts } = await import(wording);
    return [agentCost(agent), agentFacts({ iterations: 2, ...agent })];
}"""


@pytest.mark.parametrize(
    ("agent", "cost"),
    [
        ({"cost": 1.25, "cost_completeness": "complete", "unpriced_calls": 0}, "$1.25"),
        ({"cost": 1.25, "cost_completeness": "partial", "unpriced_calls": 1}, "at least $1.25"),
        ({"cost": None, "cost_completeness": "none", "unpriced_calls": 2}, "cost unknown: no price"),
        # It still runs, or an older version told of it.
        ({"cost": None, "cost_completeness": "none", "unpriced_calls": 0}, ""),
        ({}, ""),
    ],
)
def test_an_agent_has_its_cost_and_an_unknown_one_is_said(node: Node, agent: dict[str, JsonValue], cost: str) -> None:
    addresses: list[JsonValue] = [f"{PAGE}/words/usage_words.js", f"{PAGE}/words/wording.js", agent]
    facts = " · ".join(part for part in ("2 iterations", cost) if part)
    assert node.evaluate(SCRIPT, addresses) == [cost, facts]
