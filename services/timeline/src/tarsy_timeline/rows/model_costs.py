"""Cost of what models used, by their prices on the day. Pure."""

from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter

from tarsy_contracts.conversation import Usage
from tarsy_contracts.prices import ModelPrices, TokenPrice
from tarsy_timeline.rows.cost import Cost
from tarsy_timeline.rows.session_rows import PRICED, Row

DIGITS = 6


def cost_of(usage: Iterable[Row], prices: ModelPrices) -> Cost:
    """`usage`: of models on days. A model that used nothing needs no price."""
    used = [row for row in usage if row["input_tokens"] or row["output_tokens"] or row["web_searches"]]
    found = [(row, price_on(row, prices)) for row in used]
    priced = [price.cost(_usage_of(row)) for row, price in found if price is not None]
    unpriced = sum(row["calls"] for row, price in found if price is None)
    if not priced:
        return Cost(unpriced=unpriced)
    return Cost(round(sum(priced), DIGITS), "complete" if len(priced) == len(used) else "partial", unpriced)


def price_on(row: Row, prices: ModelPrices) -> TokenPrice | None:
    return prices.find(row["model"], row["day"])


def costs_of_sessions(usage: Iterable[Row], prices: ModelPrices) -> dict[str, Cost]:
    """`usage` has the rows of each session together."""
    return {id: cost_of(rows, prices) for id, rows in groupby(usage, itemgetter("session_id"))}


def _usage_of(row: Row) -> Usage:
    return Usage.model_construct(**{name: row[name] for name in PRICED})
