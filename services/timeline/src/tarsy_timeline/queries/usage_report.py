"""Report of tokens and costs by chain, model or day, from the rows of `report_usage`. Pure."""

from collections.abc import Mapping, Sequence

from tarsy_contracts.api.usage import UsageBy, UsageGroup, UsageReport, UsageTotals
from tarsy_contracts.prices import ModelPrices
from tarsy_timeline.rows.cost import Cost
from tarsy_timeline.rows.model_costs import cost_of, price_on
from tarsy_timeline.rows.session_rows import TOKENS, Row

MOST_GROUPS = 500
COUNTS = ("sessions", "calls", *TOKENS, "web_searches")


def usage_report(by: UsageBy, rows: Sequence[Row], prices: ModelPrices) -> UsageReport:
    models = [row for row in rows if row["model"] is not None]
    of_key: dict[str, list[Row]] = {}
    for row in models:
        of_key.setdefault(row["key"], []).append(row)
    groups = [
        UsageGroup.model_validate({"key": row["key"], **_usage_counts(row, cost_of(of_key[row["key"]], prices))})
        for row in rows
        if row["key"] is not None and row["model"] is None
    ]
    [total] = [row for row in rows if row["key"] is None]
    unpriced = {row["model"] for row in models if price_on(row, prices) is None}
    return UsageReport(
        by=by,
        groups=tuple(_sort_groups(by, groups)[:MOST_GROUPS]),
        total=UsageTotals.model_validate(_usage_counts(total, cost_of(models, prices))),
        unpriced_models=tuple(sorted(unpriced - {""}))[:MOST_GROUPS],
    )


def _sort_groups(by: UsageBy, groups: Sequence[UsageGroup]) -> list[UsageGroup]:
    if by == "day":
        return sorted(groups, key=lambda group: group.key)
    return sorted(groups, key=lambda group: (-group.total_tokens, group.key))


def _usage_counts(row: Row, cost: Cost) -> Mapping[str, object]:
    counts = {name: row[name] for name in COUNTS}
    total = counts["input_tokens"] + counts["output_tokens"]
    return {**counts, "total_tokens": total, "cost": cost.amount, "cost_completeness": cost.completeness}
