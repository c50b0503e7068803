"""Public events of budgets."""

from typing import Annotated, ClassVar

from pydantic import Field

from tarsy_contracts.public.model import PublicEvent
from tarsy_contracts.wire.numbers import Seconds


class PublicBudgetWarned(PublicEvent):
    """A budget of an agent (`execution/ID`), of the session (`session`) or of a day (`DAY/SCOPE`) is nearly used up.

    `spent` and `limit` of the `resource`: tokens, US dollars, seconds or calls. `unpriced`: a model has no price, so
    that no limit of money holds.
    """

    type: ClassVar[str] = "tarsy.budget.warned"
    budget_id: str
    resource: Annotated[str, Field(examples=["tokens", "money", "time", "calls"])]
    spent: float
    limit: float
    unpriced: bool = False


class PublicBudgetReached(PublicEvent):
    """A budget is used up. `at_end`: agents conclude, wait for a person with the `role`, or stop."""

    type: ClassVar[str] = "tarsy.budget.reached"
    budget_id: str
    resource: Annotated[str, Field(examples=["tokens", "money", "time", "calls"])]
    spent: float
    limit: float
    at_end: Annotated[str, Field(examples=["conclude", "ask", "stop"])]
    role: str = ""
    timeout_seconds: Seconds = 0.0


class PublicBudgetDecided(PublicEvent):
    """A person extended a budget by these amounts, or the wait for one is over. `day_over`: as its day is."""

    type: ClassVar[str] = "tarsy.budget.decided"
    budget_id: str
    outcome: Annotated[str, Field(examples=["extended", "concluded", "expired"])]
    day_over: bool = False
    tokens: int = 0
    money: float = 0.0
    seconds: float = 0.0
    calls: int = 0
    author: str = ""
    comment: str = ""
