"""REST answers about a week: the digest that receivers of notifications are sent, too."""

from datetime import date
from typing import Annotated

from pydantic import Field

from tarsy_contracts.api.model import ApiModel
from tarsy_contracts.api.usage import OutcomesOfAlertType, SessionOutcomes
from tarsy_contracts.budgets import CostCompleteness

type DigestDay = Annotated[date, Field(ge=date(2000, 1, 1), le=date(2999, 12, 31))]
"""The last day of a week, of which both weeks can be counted."""


class NamedCount(ApiModel):
    name: str
    count: int


class RatingCounts(ApiModel):
    """Ratings of investigations by people in these days."""

    accurate: int
    partly: int
    wrong: int


class SlowTool(ApiModel):
    """`p90_seconds`: nine calls in ten took no longer."""

    server: str
    tool: str
    calls: int
    p90_seconds: float


class DigestCost(ApiModel):
    """US dollars of the week, and of the one before; null where no model has a price, or nothing was used."""

    cost: float | None
    cost_completeness: CostCompleteness
    cost_before: float | None
    cost_before_completeness: CostCompleteness


class KeyedCost(DigestCost):
    """`key`: the id of a chain, or the value of the label `team`; empty where there is none."""

    key: str


class UsageDigest(ApiModel):
    """Seven days (UTC), `first` to `last`, and the seven before. Sessions are those whose alerts came in these days.

    `alert_types`, `session_labels`, `failures` (the first line of the error) and `causes` (as people who reviewed wrote
    them) are the most frequent ones; `tools` the slowest. `unread_skills`: agents began with them so often, and none
    read them. `chains` and `teams`: those that cost most. Names were masked.
    """

    first: str
    last: str
    sessions: SessionOutcomes
    sessions_before: SessionOutcomes
    alert_types: tuple[OutcomesOfAlertType, ...]
    session_labels: tuple[NamedCount, ...]
    failures: tuple[NamedCount, ...]
    ratings: RatingCounts
    causes: tuple[NamedCount, ...]
    tools: tuple[SlowTool, ...]
    unread_skills: tuple[NamedCount, ...]
    cost: DigestCost
    chains: tuple[KeyedCost, ...]
    teams: tuple[KeyedCost, ...]
    unpriced_models: tuple[str, ...]
    memories_learned: int
