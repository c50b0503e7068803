"""Spendings of a day: what `tarsy.catalog` carries beside servers, so that every owner knows them."""

from typing import ClassVar

from tarsy_contracts.budgets import Spending
from tarsy_contracts.wire.message import Message, Value

SPENDING_KEY = ".spending/"
"""Keys of such records begin so. No server's name does."""


class ScopeSpent(Value):
    """`scope`: `day`, `chain/NAME` or `team/NAME`."""

    scope: str
    spending: Spending


class DaySpent(Message):
    """Spendings of the sessions of a partition in a day, as far as a budget of the day counts them.

    `next`: the offset of the session log that is counted next. A record with a larger one replaces one with a smaller.
    """

    type: ClassVar[str] = "spending.day"
    day: str
    partition: int
    next: int
    scopes: tuple[ScopeSpent, ...]


def key_of_spending(day: str, partition: int) -> str:
    return f"{SPENDING_KEY}{day}/{partition}"


def parse_spending_key(key: bytes) -> tuple[str, int] | None:
    """Returns day and partition; None for the key of another record."""
    prefix, _, rest = key.decode(errors="replace").partition("/")
    day, _, partition = rest.partition("/")
    return (day, int(partition)) if f"{prefix}/" == SPENDING_KEY and partition.isdecimal() else None
