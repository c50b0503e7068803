"""Bounded numbers of messages: a value out of bounds is clamped wherever it is recorded or read, never refused.

Providers, tools and clocks report numbers that nobody can store. A refusal would make an old event of the log
unreadable. The JSON Schemas therefore accept any number, and the models take the nearest one in bounds.
"""

import math
from typing import Annotated

from pydantic import AfterValidator

LARGEST_COUNT = 2**53 - 1
"""The largest that JavaScript holds exactly; a thousand of these still fit a bigint."""
LARGEST_INDEX = 2**31 - 1
LONGEST_SECONDS = 1e9
"""More than thirty years: a time that long after any event is still a time."""


def _clamp_count(number: int) -> int:
    return min(max(number, 0), LARGEST_COUNT)


def _clamp_index(number: int) -> int:
    return min(max(number, 0), LARGEST_INDEX)


def _clamp_amount(number: float) -> float:
    return 0.0 if math.isnan(number) else min(max(number, 0.0), float(LARGEST_COUNT))


def _clamp_seconds(number: float) -> float:
    return 0.0 if math.isnan(number) else min(max(number, 0.0), LONGEST_SECONDS)


def _clamp_share(number: float) -> float:
    return 0.0 if math.isnan(number) else min(max(number, 0.0), 1.0)


# No `type` statements: each would be a definition of its own in every JSON Schema.
Count = Annotated[int, AfterValidator(_clamp_count)]
"""A number that others report: tokens, bytes, lines, milliseconds."""
Index = Annotated[int, AfterValidator(_clamp_index)]
"""A number that we count ourselves: stages, agents, iterations, attempts."""
Seconds = Annotated[float, AfterValidator(_clamp_seconds)]
"""A duration or a wait."""
Amount = Annotated[float, AfterValidator(_clamp_amount)]
"""Money, or what was used of a limit."""
Share = Annotated[float, AfterValidator(_clamp_share)]
"""A part of a whole, from 0 to 1."""
