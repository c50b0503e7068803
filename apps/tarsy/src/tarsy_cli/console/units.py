"""Counts, sizes and costs, as words."""

from tarsy_contracts.events.execution import CostFacts

STEPS = (("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1_000))


def format_count(number: object, noun: str) -> str:
    """`1 line`, `100,000 lines`; `? lines` of what is not known."""
    if not isinstance(number, int):
        return f"? {noun}s"
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def format_size(number: object) -> str:
    """`897 bytes`, `10.8 MB`."""
    if isinstance(number, int):
        for unit, step in STEPS:
            if number >= step:
                return f"{number / step:.1f} {unit}"
    return format_count(number, "byte")


def describe_cost(facts: CostFacts) -> str:
    """`$0.0123`, `at least $0.0123`, `cost unknown`; nothing while no model is known to have been used."""
    if facts.cost is None:
        return "cost unknown" if facts.unpriced_calls else ""
    least = "at least " if facts.cost_completeness == "partial" else ""
    return f"{least}${facts.cost:,.4f}"
