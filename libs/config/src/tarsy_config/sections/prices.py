"""`prices`: what tokens of a model cost, for the costs that answers show."""

from typing import Annotated

from pydantic import Field

from tarsy_config.values import Section

type Price = Annotated[float, Field(ge=0, le=1_000_000)]
"""US dollars for a million tokens."""


class ConfiguredPrice(Section):
    """Without a price of their own, tokens that were read from the provider's cache or written to it cost `input`."""

    input: Price
    output: Price
    cached_input: Price | None = None
    cache_written: Price | None = None
