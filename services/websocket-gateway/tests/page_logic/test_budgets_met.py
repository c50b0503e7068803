"""Which budget the head of a session's page tells of."""

import pytest
from pydantic import JsonValue

from page_logic.node_process import PAGE, Node

SCRIPT = """async ([address, steps]) => {
    const { budgetMet } = await import(address);
    const items = new Map(steps.map(([event, known], index) => [`i${index}`, {
        id: `i${index}`, sequence: index, type: "budget", content: "", metadata: { budget: { event, ...known } },
    }]));
    const met = budgetMet({ items });
    return met === null ? null : [met.itemId, met.isUsedUp, met.percent];
}"""
WARNED: JsonValue = ["budget.warned", {"budget_id": "session", "spent": 81, "limit": 100}]
REACHED: JsonValue = ["budget.reached", {"budget_id": "session", "spent": 120, "limit": 100}]
OF_DAY: JsonValue = ["budget.warned", {"budget_id": "2026-11-30/day", "spent": 96, "limit": 100}]
UNPRICED: JsonValue = ["budget.warned", {"budget_id": "session", "spent": 0, "limit": 2, "unpriced": True}]
EXTENDED: JsonValue = ["budget.decided", {"budget_id": "session", "outcome": "extended"}]
RENEWED: JsonValue = ["budget.decided", {"budget_id": "2026-11-30/day", "outcome": "expired", "day_over": True}]
CONCLUDED: JsonValue = ["budget.decided", {"budget_id": "session", "outcome": "concluded"}]


@pytest.mark.parametrize(
    ("steps", "met"),
    [
        ([], None),
        ([WARNED], ["i0", False, 81]),
        ([UNPRICED], None),
        ([WARNED, UNPRICED], ["i0", False, 81]),
        ([WARNED, REACHED], ["i1", True, 120]),
        ([WARNED, REACHED, EXTENDED], None),
        ([REACHED, EXTENDED, EXTENDED, WARNED], ["i3", False, 81]),
        ([REACHED, CONCLUDED], ["i0", True, 120]),
        ([REACHED, OF_DAY], ["i0", True, 120]),
        ([WARNED, OF_DAY], ["i1", False, 96]),
        ([REACHED, OF_DAY, EXTENDED], ["i1", False, 96]),
        ([OF_DAY, RENEWED], None),
    ],
)
def test_the_head_tells_of_the_budget_that_matters_most(node: Node, steps: list[JsonValue], met: JsonValue) -> None:
    assert node.evaluate(SCRIPT, [f"{PAGE}/state/budgets_met.js", steps]) == met
