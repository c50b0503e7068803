"""Prices of models, as the ingest answers them to the timeline, which has no configuration."""

from collections.abc import Mapping

from tarsy_contracts.api.model import ApiModel


class ModelPrice(ApiModel):
    """US dollars for a million tokens. The price of `input` counts for what is null."""

    input: float
    output: float
    cached_input: float | None = None
    cache_written: float | None = None


class ModelPrices(ApiModel):
    """By the name with which a model answers."""

    prices: Mapping[str, ModelPrice]
