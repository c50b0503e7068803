"""REST answers about tokens and their cost."""

from datetime import date
from typing import Literal

from tarsy_contracts.api.model import ApiModel
from tarsy_contracts.budgets import CostCompleteness

type UsageBy = Literal["chain", "model", "day", "alert_type", "team", "tool_server"]
type UsageKey = Literal[UsageBy, "session"]


class UsageTotals(ApiModel):
    """`calls` are answers of models, those of summaries included. `input_tokens` include the cached and the written
    ones, `output_tokens` include `thinking_tokens`; also of calls that failed. `web_searches`: of models' own tools.

    `cost` is in US dollars, of the models that have a price; null where none has.
    """

    sessions: int
    calls: int
    input_tokens: int
    output_tokens: int
    total_tokens: int
    thinking_tokens: int
    cached_input_tokens: int
    cache_written_tokens: int
    web_searches: int = 0
    cost: float | None
    cost_completeness: CostCompleteness


class UsageGroup(UsageTotals):
    """`key`: the id of a chain, the name of a model or of a tool server, a day (UTC, YYYY-MM-DD), an alert's type, or
    the value of its label `team`. It is empty where there is none.

    A session counts whole for each tool server that it has called.
    """

    key: str


class UsageReport(ApiModel):
    """Days are in order; other groups stand by their tokens, at most 500. `total` has each session once.

    `unpriced_models` were used, and have no price in the configuration.
    """

    by: UsageBy
    groups: tuple[UsageGroup, ...]
    total: UsageTotals
    unpriced_models: tuple[str, ...]


class UsagePoint(ApiModel):
    """Tokens and cost of a day (UTC, YYYY-MM-DD)."""

    day: str
    calls: int
    input_tokens: int
    output_tokens: int
    total_tokens: int
    cost: float | None
    cost_completeness: CostCompleteness


class UsageLine(ApiModel):
    """`key`: as in UsageGroup; null stands for all others together. Days without usage are left out."""

    key: str | None
    points: tuple[UsagePoint, ...]


class UsageSeries(ApiModel):
    """The keys with the most tokens, at most 4, and the others."""

    by: UsageBy
    series: tuple[UsageLine, ...]


class SessionOutcomes(ApiModel):
    """How sessions ended; `sessions` counts also those that have not. `failed`: also those that ran out of time.

    `p50_seconds` and `p90_seconds`: how long completed ones took; null where none was completed. `mean_score`: of the
    `scored` ones, as their judges said last; null where there are none.
    """

    sessions: int
    completed: int
    failed: int
    cancelled: int
    p50_seconds: float | None
    p90_seconds: float | None
    scored: int = 0
    mean_score: float | None = None


class OutcomesOfDay(SessionOutcomes):
    """`day`: that on which the alerts came (UTC, YYYY-MM-DD)."""

    day: str


class OutcomesOfAlertType(SessionOutcomes):
    alert_type: str


class AlertsOfHour(ApiModel):
    """`weekday`: 1 is Monday. `hour`: from 0 to 23 (UTC)."""

    weekday: int
    hour: int
    sessions: int


class OutcomeReport(ApiModel):
    """Sessions by the time at which their alerts came. Days and hours without any are left out.

    `alert_types`: the most frequent ones, at most 20.
    """

    days: tuple[OutcomesOfDay, ...]
    alert_types: tuple[OutcomesOfAlertType, ...]
    hours: tuple[AlertsOfHour, ...]
    total: SessionOutcomes


class ModelPrice(ApiModel):
    """US dollars for a million tokens; of `web_search`, for one. The price of `input` counts for what is null.

    It holds from the day `first` (UTC) on, and before the day `until`; null is no bound.
    """

    model: str
    first: date | None
    until: date | None
    input: float
    output: float
    cached_input: float | None
    cache_written: float | None
    web_search: float | None


class PriceHistory(ApiModel):
    """By model, at most 500 prices. The one that stands first counts where two hold on a day."""

    prices: tuple[ModelPrice, ...]
