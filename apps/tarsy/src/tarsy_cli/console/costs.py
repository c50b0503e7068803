"""Cost of an agent's run, as words."""

from tarsy_contracts.events.execution import CostFacts


def describe_cost(facts: CostFacts) -> str:
    """`$0.0123`, `at least $0.0123`, `cost unknown`; nothing while no model is known to have been used."""
    if facts.cost is None:
        return "cost unknown" if facts.unpriced_calls else ""
    least = "at least " if facts.cost_completeness == "partial" else ""
    return f"{least}${facts.cost:,.4f}"
