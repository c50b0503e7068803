"""What people are told of a session's cost: what is not known is said, and is no zero."""

import pytest
from pydantic import JsonValue

from page_logic.node_process import PAGE, Node

SCRIPT = """async ([address, detail]) => (await import(address)).sessionCost(detail)"""


@pytest.mark.parametrize(
    ("detail", "words"),
    [
        ({"cost": None, "cost_completeness": "none", "total_tokens": 0}, ""),
        ({"cost": None, "cost_completeness": "none", "total_tokens": 9}, "not known: its models have no price"),
        ({"cost": 1.5, "cost_completeness": "complete", "total_tokens": 9}, "$1.50"),
        ({"cost": 0, "cost_completeness": "complete", "total_tokens": 9}, "$0.00"),
        (
            {"cost": 1.5, "cost_completeness": "partial", "unpriced_interaction_count": 1, "total_tokens": 9},
            "at least $1.50, without 1 answer of a model that has no price",
        ),
        ({"cost": 1.5, "cost_completeness": "partial", "total_tokens": 9}, "at least $1.50"),
        ({"total_tokens": 9}, "not known: its models have no price"),
    ],
)
def test_a_cost_that_is_not_known_is_said(node: Node, detail: JsonValue, words: str) -> None:
    assert node.evaluate(SCRIPT, [f"{PAGE}/words/session_words.js", detail]) == words
