"""Budgets over REST: decisions of people about those of a session, and what all have used today."""

from typing import Literal

from pydantic import Field

from tarsy_contracts.api.model import ApiModel
from tarsy_contracts.budgets import AtEnd, Resource

type LimitState = Literal["below", "warned", "met"]
"""`warned`: the soft limit is met."""


class BudgetDecision(ApiModel):
    """`extend` adds these amounts to the limits of a budget; `conclude` ends the wait for one that is used up.

    `budget_id`: of the timeline event that says so. Without one, the budget that waits, or that of the session.
    """

    decision: Literal["extend", "conclude"]
    budget_id: str = Field("", max_length=500)
    tokens: int = Field(0, ge=0, le=2**53 - 1)
    money: float = Field(0.0, ge=0, le=1_000_000_000)
    seconds: float = Field(0.0, ge=0, le=1_000_000_000)
    calls: int = Field(0, ge=0, le=2**53 - 1)
    comment: str = Field("", max_length=4_000)


class BudgetLimit(ApiModel):
    """A limit of a budget. `soft_limit`: null where none is configured.

    `spent` and `state` are of today; null for a budget of each session, and where the caller may not see them.
    """

    resource: Resource
    limit: float
    soft_limit: float | None
    spent: float | None
    state: LimitState | None


class BudgetStatus(ApiModel):
    """A budget of the configuration. `scope`: `day`, `chain/NAME` or `team/NAME` of a day; `session` or
    `session/CHAIN` of each session.

    `state`: the worst of its limits. `calls`: those of models that count to it today; `unpriced_calls`: of models
    without a price, for which a limit of money does not hold.
    """

    scope: str
    at_end: AtEnd
    limits: tuple[BudgetLimit, ...]
    state: LimitState | None
    calls: int | None
    unpriced_calls: int | None


class BudgetReport(ApiModel):
    """The budgets that are configured. The day begins and ends at midnight in `time_zone`; `resets_at`: its end.

    Those of a day come first. Sums are those that owners have published: they are about a second old.
    """

    day: str
    time_zone: str
    resets_at: str
    budgets: tuple[BudgetStatus, ...]
