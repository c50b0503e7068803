"""Events of budgets: one is nearly used up, is used up, or was extended by a person."""

from typing import ClassVar, Final, Literal

from tarsy_contracts.budgets import Amounts, AtEnd, Budget, Resource, Spending
from tarsy_contracts.wire.message import Message
from tarsy_contracts.wire.numbers import Amount, Seconds

EXTEND: Final = "extend_budget"
CONCLUDE: Final = "conclude_budget"
"""The values of `request` when a person decides about a budget."""
type BudgetOutcome = Literal["extended", "concluded", "expired"]


class BudgetEvent(Message):
    """`budget_id`: `session`, `execution/ID`, or `DAY/SCOPE` of a day's budget. `budget`: with all extensions.

    `execution_id`: the agent whose question met the limit. `resource`: which limit, `spent` of it and the `limit`.
    `spending`: all that was used then.
    """

    budget_id: str
    budget: Budget
    execution_id: str
    resource: Resource
    spent: Amount
    limit: Amount
    spending: Spending = Spending()


class BudgetWarned(BudgetEvent):
    """A limit is nearly reached: nothing else follows. `unpriced`: a model has no price, so that no limit of money
    holds for it.
    """

    type: ClassVar[str] = "budget.warned"
    unpriced: bool = False


class BudgetReached(BudgetEvent):
    """The question was not asked. `at_end` says what follows.

    After `ask` all agents that the budget is for wait for a person, who has the `role`. Nobody is asked for longer than
    `timeout_seconds`: then they conclude.
    """

    type: ClassVar[str] = "budget.reached"
    at_end: AtEnd
    role: str = ""
    timeout_seconds: Seconds = 0.0


class BudgetDecided(Message):
    """A person extended the budget, or nobody does: `concluded` by a person, or `expired`.

    `day_over`: it expired as its day did; the agents that waited go on with the budget of the next one.

    `extension`: what was added to each limit. `budget`: with it.
    """

    type: ClassVar[str] = "budget.decided"
    budget_id: str
    outcome: BudgetOutcome
    day_over: bool = False
    extension: Amounts = Amounts()
    budget: Budget = Budget()
    request_id: str = ""
    author: str = ""
    comment: str = ""
