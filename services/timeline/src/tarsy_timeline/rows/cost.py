"""Cost of what was used, as answers have it."""

from dataclasses import dataclass

from tarsy_contracts.budgets import CostCompleteness


@dataclass(frozen=True, slots=True)
class Cost:
    """US dollars of what has a price; None where nothing has. `unpriced`: answers of models without one."""

    amount: float | None = None
    completeness: CostCompleteness = "none"
    unpriced: int = 0


NO_COST = Cost()
