"""REST answers about the prices of models."""

from datetime import date

from tarsy_contracts.api.model import ApiModel


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
    """By model, at most 500 prices. Of two that hold on a day, the one that stands first counts."""

    prices: tuple[ModelPrice, ...]
