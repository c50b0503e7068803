"""`prices`: what tokens of a model cost, and when; `price_lists`: files of others that know more models."""

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Annotated, Self

from pydantic import BeforeValidator, Field, model_validator

from tarsy_config.values import Name, Section, to_sections, wrong
from tarsy_contracts.prices import ModelPrices, PricePeriod, TokenPrice
from tarsy_contracts.wire.same_fields import copy_fields

MOST_PERIODS = 200
DATE_REMEDY = "write a day (UTC) as 2026-12-01"

type Price = Annotated[float, Field(ge=0, le=1_000_000)]
"""US dollars for a million tokens; of a web search, for one."""


def read_day(value: object) -> object:
    if value is None or type(value) is date:
        return value
    try:
        return date.fromisoformat(value if isinstance(value, str) else "")
    except ValueError:
        raise wrong("is not a day", DATE_REMEDY) from None


type Day = Annotated[date, BeforeValidator(read_day)]


class Period(Section):
    """From the day `from` on, and before the day `until`; without one of them there is no bound."""

    first: Day | None = Field(None, alias="from")
    until: Day | None = None

    @model_validator(mode="after")
    def _require_order(self) -> Self:
        if self.first is not None and self.until is not None and self.until <= self.first:
            raise wrong("is not after `from`", "it is the first day on which the price no longer holds", key="until")
        return self


class _SidePrices(Section):
    """Without a price of their own, tokens that were read from the provider's cache or written to it cost `input`.

    `web_search`: one search of the model's own web tool.
    """

    cached_input: Price | None = None
    cache_written: Price | None = None
    web_search: Price | None = None


class ConfiguredPeriod(_SidePrices, Period):
    input: Price
    output: Price

    def to_period(self) -> PricePeriod:
        return PricePeriod(price=copy_fields(TokenPrice, self), first=self.first, until=self.until)


class ConfiguredPrice(_SidePrices):
    """`input` and `output` hold where none of the `periods` does. The last of those that hold on a day counts."""

    input: Price | None = None
    output: Price | None = None
    periods: tuple[ConfiguredPeriod, ...] = Field((), max_length=MOST_PERIODS)

    @model_validator(mode="after")
    def _require_price(self) -> Self:
        others = any(getattr(self, name) is not None for name in ("input", "output", *_SidePrices.model_fields))
        for name in ("input", "output"):
            if getattr(self, name) is None and (others or not self.periods):
                raise wrong("is missing", "add it", key=name)
        return self

    def to_price(self) -> TokenPrice | None:
        """None where it has periods only."""
        return None if self.input is None or self.output is None else copy_fields(TokenPrice, self)


class PriceList(Period):
    """A file in LiteLLM's format, `model_prices_and_context_window.json`, and when its prices hold."""

    file: Name


def read_price_lists(value: object) -> object:
    return to_sections(value, "file")


type PriceLists = Annotated[tuple[PriceList, ...], BeforeValidator(read_price_lists)]
USUAL_LIST = "model_prices_and_context_window.json"
USUAL_LISTS = (PriceList(file=USUAL_LIST),)


def model_prices_of(
    configured: Mapping[str, ConfiguredPrice], listed: Mapping[PriceList, Mapping[str, TokenPrice]]
) -> ModelPrices:
    """`listed`: by list, in their order. A configured price wins; else a list whose days are named wins over others."""
    prices = {name: price for one, known in listed.items() if not _is_dated(one) for name, price in known.items()}
    prices |= {name: price for name, one in configured.items() if (price := one.to_price()) is not None}
    periods: dict[str, tuple[PricePeriod, ...]] = {}
    for name, period in _listed_periods(configured, listed):
        periods[name] = (*periods.get(name, ()), period)
    for name, one in configured.items():
        if one.periods:
            periods[name] = (*periods.get(name, ()), *(each.to_period() for each in one.periods))
    return ModelPrices(prices=prices, periods=periods)


def _listed_periods(
    configured: Mapping[str, ConfiguredPrice], listed: Mapping[PriceList, Mapping[str, TokenPrice]]
) -> Iterator[tuple[str, PricePeriod]]:
    ours = {name for name, one in configured.items() if one.input is not None}
    for one, known in listed.items():
        if _is_dated(one):
            for name in known.keys() - ours:
                yield name, PricePeriod(price=known[name], first=one.first, until=one.until)


def _is_dated(one: PriceList) -> bool:
    return one.first is not None or one.until is not None
