"""Prices of models that were used, with the days on which they hold. Pure."""

from collections.abc import Iterator, Sequence

from tarsy_contracts.api.usage import ModelPrice, PriceHistory
from tarsy_contracts.prices import ModelPrices, PricePeriod
from tarsy_timeline.rows.session_rows import Row

MOST_PRICES = 500


def price_history(used: Sequence[Row], prices: ModelPrices) -> PriceHistory:
    """`used`: rows of usage by model."""
    models = sorted({row["key"] for row in used if row["key"]})
    found = [_price(model, period) for model in models for period in _list_periods(model, prices)]
    return PriceHistory(prices=tuple(found[:MOST_PRICES]))


def _list_periods(model: str, prices: ModelPrices) -> Iterator[PricePeriod]:
    """The one that wins first."""
    yield from reversed(prices.periods.get(model, ()))
    if (price := prices.prices.get(model)) is not None:
        yield PricePeriod(price=price)


def _price(model: str, period: PricePeriod) -> ModelPrice:
    return ModelPrice.model_validate(
        {"model": model, "first": period.first, "until": period.until, **period.price.model_dump()}
    )
