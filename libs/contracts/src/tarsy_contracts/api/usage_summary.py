"""The summary of usage in the shape of Go TARSy."""

from typing import Literal

from tarsy_contracts.api.model import ApiModel
from tarsy_contracts.budgets import CostCompleteness

type RankBy = Literal["cost", "tokens"]


class UsageWindow(ApiModel):
    """The days (UTC) that were added up: `end` is the beginning of the day after the last."""

    start: str
    end: str


class CostSummary(ApiModel):
    """US dollars of what has a price; null where nothing has. The average is that of all its sessions."""

    session_count: int
    total_tokens: int
    estimated_cost_usd: float | None
    average_cost_usd: float | None


class SummaryTotals(CostSummary):
    """`unpriced_*`: answers of models without a price, and their tokens."""

    input_tokens: int
    output_tokens: int
    cost_completeness: CostCompleteness
    unpriced_interaction_count: int
    unpriced_token_count: int


class ModelSummary(CostSummary):
    model_name: str
    input_tokens: int
    output_tokens: int
    priced: bool
    unpriced_interaction_count: int


class AlertTypeSummary(CostSummary):
    alert_type: str


class ChainSummary(CostSummary):
    chain_id: str


class SessionSummary(ApiModel):
    session_id: str
    alert_type: str
    chain_id: str
    total_tokens: int
    estimated_cost_usd: float | None
    cost_completeness: CostCompleteness
    created_at: str


class UsageSummary(ApiModel):
    """Lists stand by `rank_by`, what costs or uses most first."""

    cost_estimation_enabled: bool
    window: UsageWindow
    rank_by: RankBy
    totals: SummaryTotals
    by_model: tuple[ModelSummary, ...]
    by_alert_type: tuple[AlertTypeSummary, ...]
    by_chain: tuple[ChainSummary, ...]
    top_sessions: tuple[SessionSummary, ...]
