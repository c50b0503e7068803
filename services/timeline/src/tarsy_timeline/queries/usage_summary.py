"""Summary of usage in the shape of Go TARSy, from rows of tokens. Pure."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, time, timedelta
from typing import Any

from tarsy_contracts.api.usage_summary import (
    AlertTypeSummary,
    ChainSummary,
    ModelSummary,
    RankBy,
    SessionSummary,
    SummaryTotals,
    UsageSummary,
    UsageWindow,
)
from tarsy_contracts.prices import ModelPrices
from tarsy_contracts.wire.envelope import wire_time
from tarsy_timeline.queries.usage_queries import DaysQuery
from tarsy_timeline.queries.usage_report import MOST_GROUPS, cost_rows, tokens_of, total_of
from tarsy_timeline.queries.usage_summary_query import SummaryRows
from tarsy_timeline.rows.cost import Cost
from tarsy_timeline.rows.model_costs import DIGITS, cost_of, price_on
from tarsy_timeline.rows.session_rows import Row, by_key

MOST_SESSIONS = 20

type Costed = tuple[Row, Cost]


def usage_summary(days: DaysQuery, rank_by: RankBy, rows: SummaryRows, prices: ModelPrices) -> UsageSummary:
    models = cost_rows(rows.models, prices)
    total, cost = total_of(models)
    unpriced = sum(tokens_of(row) for row in rows.models if _is_unpriced(row, prices))
    return UsageSummary(
        cost_estimation_enabled=bool(prices),
        window=_window(days),
        rank_by=rank_by,
        totals=SummaryTotals(
            **_summary(total, cost),
            **_parts(total),
            cost_completeness=cost.completeness,
            unpriced_interaction_count=cost.unpriced,
            unpriced_token_count=unpriced,
        ),
        by_model=tuple(
            ModelSummary(
                **_summary(row, cost),
                **_parts(row),
                model_name=row["key"],
                priced=cost.completeness == "complete",
                unpriced_interaction_count=cost.unpriced,
            )
            for row, cost in _ranked(models, rank_by)
        ),
        by_alert_type=tuple(
            AlertTypeSummary(**_summary(row, cost), alert_type=row["key"])
            for row, cost in _ranked(cost_rows(rows.alert_types, prices), rank_by)
        ),
        by_chain=tuple(
            ChainSummary(**_summary(row, cost), chain_id=row["key"])
            for row, cost in _ranked(cost_rows(rows.chains, prices), rank_by)
        ),
        top_sessions=_top_sessions(rows.sessions, rank_by, prices),
    )


def _window(days: DaysQuery) -> UsageWindow:
    first, after = (datetime.combine(day, time(), UTC) for day in (days.first, days.last + timedelta(days=1)))
    return UsageWindow(start=wire_time(first), end=wire_time(after))


def _ranked(costed: Sequence[Costed], rank_by: RankBy) -> list[Costed]:
    keyed = [one for one in costed if one[0]["key"] is not None]
    return sorted(keyed, key=lambda one: (*_rank(tokens_of(one[0]), one[1], rank_by), one[0]["key"]))[:MOST_GROUPS]


def _rank(tokens: int, cost: Cost, rank_by: RankBy) -> tuple[float, int]:
    return (-(cost.amount or 0.0) if rank_by == "cost" else 0.0, -tokens)


def _top_sessions(rows: Sequence[Row], rank_by: RankBy, prices: ModelPrices) -> tuple[SessionSummary, ...]:
    sessions = by_key(rows, "session_id").values()
    found = [(some[0], sum(map(tokens_of, some)), cost_of(some, prices)) for some in sessions]
    found.sort(key=lambda one: (*_rank(one[1], one[2], rank_by), one[0]["session_id"]))
    return tuple(
        SessionSummary(
            session_id=row["session_id"],
            alert_type=row["alert_type"],
            chain_id=row["chain_id"],
            total_tokens=tokens,
            estimated_cost_usd=cost.amount,
            cost_completeness=cost.completeness,
            created_at=wire_time(row["created_at"]),
        )
        for row, tokens, cost in found[:MOST_SESSIONS]
    )


def _summary(row: Row, cost: Cost) -> Mapping[str, Any]:
    sessions = row["sessions"]
    average = None if cost.amount is None or not sessions else round(cost.amount / sessions, DIGITS)
    return {
        "session_count": sessions,
        "total_tokens": tokens_of(row),
        "estimated_cost_usd": cost.amount,
        "average_cost_usd": average,
    }


def _parts(row: Row) -> Mapping[str, Any]:
    return {"input_tokens": row["input_tokens"], "output_tokens": row["output_tokens"]}


def _is_unpriced(row: Row, prices: ModelPrices) -> bool:
    """A row that is of all keys counts, so that none counts twice."""
    return row["key"] is None and row["model"] is not None and price_on(row, prices) is None
