"""State of budgets: what was used, and which limits were met. Only `evolve` makes it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from tarsy_contracts import events as e
from tarsy_contracts.budgets import NOTHING_SPENT, Amounts, Resource, Spending, sum_spendings

NO_EXTENSION = Amounts()


@dataclass(frozen=True, slots=True)
class BudgetState:
    """One budget that has met a limit, or was extended.

    `warned`: the limits that a warning was given for. `reached`: it is used up, `since` then; `decided`: the end of the
    wait for a person. An extension clears them. `waits`: how often a person was asked.
    """

    extension: Amounts = NO_EXTENSION
    warned: frozenset[Resource] = frozenset()
    unpriced: bool = False
    reached: e.BudgetReached | None = None
    since: datetime | None = None
    decided: e.BudgetDecided | None = None
    waits: int = 0

    @property
    def waits_for_person(self) -> bool:
        return self.reached is not None and self.reached.at_end == "ask" and self.decided is None

    @property
    def has_ended(self) -> bool:
        """Whether no new question may begin."""
        return self.reached is not None and not self.waits_for_person

    @property
    def stops(self) -> bool:
        return self.reached is not None and self.reached.at_end == "stop"

    @property
    def wait_end(self) -> datetime | None:
        if self.reached is None or self.since is None or not self.waits_for_person:
            return None
        return self.since + timedelta(seconds=self.reached.timeout_seconds)


@dataclass(frozen=True, slots=True)
class Budgets:
    """`spent`: by execution, what it used itself, with its summaries. `met`: by the ids of budgets."""

    spent: Mapping[str, Spending] = field(default_factory=dict)
    met: Mapping[str, BudgetState] = field(default_factory=dict)

    def of(self, budget_id: str) -> BudgetState:
        return self.met.get(budget_id, UNMET)

    def own_spending(self, execution_id: str) -> Spending:
        return self.spent.get(execution_id, NOTHING_SPENT)

    @property
    def total(self) -> Spending:
        return sum_spendings(self.spent.values())

    @property
    def wait_for_people(self) -> bool:
        return any(one.waits_for_person for one in self.met.values())

    def renew(self) -> "Budgets":
        """Returns those that a later life begins with: limits are met anew, and extensions stay."""
        kept = {
            id: BudgetState(extension=one.extension, waits=one.waits)
            for id, one in self.met.items()
            if one.extension != NO_EXTENSION or one.waits
        }
        return Budgets(self.spent, kept)


UNMET = BudgetState()
NO_BUDGETS = Budgets()
