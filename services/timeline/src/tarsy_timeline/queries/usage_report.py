"""Reports of tokens and costs by key and by day, from the rows of `report_usage` and `report_series`. Pure."""

from collections.abc import Iterator, Mapping, Sequence

from tarsy_contracts.api.usage import UsageBy, UsageGroup, UsageLine, UsagePoint, UsageReport, UsageSeries, UsageTotals
from tarsy_contracts.prices import ModelPrices
from tarsy_timeline.rows.cost import NO_COST, Cost
from tarsy_timeline.rows.model_costs import cost_of, price_on
from tarsy_timeline.rows.session_rows import TOKENS, Row, by_key

MOST_GROUPS = 500
COUNTS = ("sessions", "calls", *TOKENS, "web_searches")


def usage_report(by: UsageBy, rows: Sequence[Row], prices: ModelPrices) -> UsageReport:
    costed = cost_rows(rows, prices)
    groups = [
        UsageGroup.model_validate({"key": row["key"], **_usage_counts(row, cost)})
        for row, cost in costed
        if row["key"] is not None
    ]
    total, cost = total_of(costed)
    unpriced = {row["model"] for row in rows if row["model"] and price_on(row, prices) is None}
    return UsageReport(
        by=by,
        groups=tuple(_sort_groups(by, groups)[:MOST_GROUPS]),
        total=UsageTotals.model_validate(_usage_counts(total, cost)),
        unpriced_models=tuple(sorted(unpriced))[:MOST_GROUPS],
    )


def usage_series(by: UsageBy, rows: Sequence[Row], prices: ModelPrices) -> UsageSeries:
    of_key = by_key(rows, "key")
    keys = sorted(of_key, key=lambda key: (key == (None,), -sum(map(tokens_of, of_key[key])), key))
    lines = (UsageLine(key=key[0], points=tuple(_points(of_key[key], prices))) for key in keys)
    return UsageSeries(by=by, series=tuple(lines))


def _points(rows: Sequence[Row], prices: ModelPrices) -> Iterator[UsagePoint]:
    for (day,), some in by_key(rows, "day").items():
        cost = cost_of(some, prices)
        yield UsagePoint(
            day=day.isoformat(),
            calls=sum(row["calls"] for row in some),
            input_tokens=sum(row["input_tokens"] for row in some),
            output_tokens=sum(row["output_tokens"] for row in some),
            total_tokens=sum(map(tokens_of, some)),
            cost=cost.amount,
            cost_completeness=cost.completeness,
        )


def tokens_of(row: Row) -> int:
    total: int = row["input_tokens"] + row["output_tokens"]
    return total


def cost_rows(rows: Sequence[Row], prices: ModelPrices) -> list[tuple[Row, Cost]]:
    """A row for each key, and one for all without a key, each with the cost of its models."""
    of_key = by_key((row for row in rows if row["model"] is not None), "key")
    return [(row, cost_of(of_key[row["key"],], prices)) for row in rows if row["model"] is None]


def total_of(costed: Sequence[tuple[Row, Cost]]) -> tuple[Row, Cost]:
    return next((one for one in costed if one[0]["key"] is None), (dict.fromkeys(COUNTS, 0), NO_COST))


def _sort_groups(by: UsageBy, groups: Sequence[UsageGroup]) -> list[UsageGroup]:
    if by == "day":
        return sorted(groups, key=lambda group: group.key)
    return sorted(groups, key=lambda group: (-group.total_tokens, group.key))


def _usage_counts(row: Row, cost: Cost) -> Mapping[str, object]:
    counts = {name: row[name] for name in COUNTS}
    total = counts["input_tokens"] + counts["output_tokens"]
    return {**counts, "total_tokens": total, "cost": cost.amount, "cost_completeness": cost.completeness}
