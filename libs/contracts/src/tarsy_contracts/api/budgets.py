"""Decisions of people about budgets, as requests have them."""

from typing import Literal

from pydantic import Field

from tarsy_contracts.api.model import ApiModel


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
