"""Cost of tokens by the prices of their models. Pure."""

from collections.abc import Iterable, Mapping
from itertools import groupby
from operator import itemgetter

from tarsy_contracts.api.prices import ModelPrice
from tarsy_timeline.rows.cost import NO_COST, Cost
from tarsy_timeline.rows.session_rows import Row

DIGITS = 6
MILLION = 1_000_000

type PricesByModel = Mapping[str, ModelPrice]

NO_PRICES: PricesByModel = {}


def cost_of(usage: Iterable[Row], prices: PricesByModel) -> Cost:
    """`usage`: tokens of models. A model that used none needs no price."""
    used = [row for row in usage if row["input_tokens"] or row["output_tokens"]]
    priced = [_cost_in_dollars(row, prices[row["model"]]) for row in used if row["model"] in prices]
    if not priced:
        return NO_COST
    return Cost(round(sum(priced), DIGITS), "complete" if len(priced) == len(used) else "partial")


def costs_of_sessions(usage: Iterable[Row], prices: PricesByModel) -> dict[str, Cost]:
    """`usage` has the rows of each session together."""
    return {id: cost_of(rows, prices) for id, rows in groupby(usage, itemgetter("session_id"))}


def _cost_in_dollars(row: Row, price: ModelPrice) -> float:
    """Providers count nonsense at times: less than nothing costs nothing."""
    cached, written = row["cached_input_tokens"], row["cache_written_tokens"]
    dollars: float = (
        max(0, row["input_tokens"] - cached - written) * price.input
        + cached * (price.input if price.cached_input is None else price.cached_input)
        + written * (price.input if price.cache_written is None else price.cache_written)
        + row["output_tokens"] * price.output
    )
    return dollars / MILLION
