"""Prices of models: what their tokens and their web searches cost, and when. Pure."""

from collections.abc import Mapping
from datetime import date
from typing import Final

from tarsy_contracts.conversation import Usage
from tarsy_contracts.wire.message import Value
from tarsy_contracts.wire.numbers import Amount

MILLION: Final = 1_000_000


class TokenPrice(Value):
    """US dollars for a million tokens. The price of `input` counts for what is None.

    `web_search`: US dollars for one search of the model's own web tool; None costs nothing.
    """

    input: Amount
    output: Amount
    cached_input: Amount | None = None
    cache_written: Amount | None = None
    web_search: Amount | None = None

    def cost(self, usage: Usage) -> float:
        """Returns US dollars. Providers count nonsense at times: less than nothing costs nothing."""
        cached, written = usage.cached_input_tokens or 0, usage.cache_written_tokens or 0
        dollars: float = (
            max(0, (usage.input_tokens or 0) - cached - written) * self.input
            + cached * (self.input if self.cached_input is None else self.cached_input)
            + written * (self.input if self.cache_written is None else self.cache_written)
            + (usage.output_tokens or 0) * self.output
        )
        return dollars / MILLION + (usage.web_searches or 0) * (self.web_search or 0.0)


class PricePeriod(Value):
    """A price that holds from the day `first` (UTC) on, and before the day `until`; None is no bound."""

    price: TokenPrice
    first: date | None = None
    until: date | None = None

    def holds(self, day: date) -> bool:
        return (self.first is None or self.first <= day) and (self.until is None or day < self.until)


class ModelPrices(Value):
    """Prices by the name with which a model answers.

    The last of the `periods` of a model that hold on a day counts, and `prices` where none holds.
    """

    prices: Mapping[str, TokenPrice] = {}
    periods: Mapping[str, tuple[PricePeriod, ...]] = {}

    def __bool__(self) -> bool:
        return bool(self.prices or self.periods)

    def __contains__(self, model: str) -> bool:
        return model in self.prices or model in self.periods

    def find(self, model: str, day: date) -> TokenPrice | None:
        held = [one.price for one in self.periods.get(model, ()) if one.holds(day)]
        return held[-1] if held else self.prices.get(model)

    def list_changes(self) -> list[date]:
        """The days, in order, on which some price begins or ends: between two of them each model has one price."""
        bounds = {day for periods in self.periods.values() for one in periods for day in (one.first, one.until)}
        return sorted(day for day in bounds if day is not None)


NO_PRICES: Final = ModelPrices()
