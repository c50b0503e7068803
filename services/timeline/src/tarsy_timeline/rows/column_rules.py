"""Rules of columns: the value that a column has after a change of its row, in PostgreSQL and in memory.

A rule is spelled here only: `statement.py` makes both the SQL and the fold of it.
"""

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, get_type_hints

from pydantic import JsonValue

from tarsy_contracts.wire.numbers import LARGEST_COUNT
from tarsy_timeline.rows.column_texts import ID

type Fields = dict[str, Any]
"""A row in memory."""


@dataclass(frozen=True, slots=True)
class ColumnRule:
    """`sql`: the column's next value, of `{old}` and `{new}`. `combine` computes the same of both."""

    sql: str
    combine: Callable[[Any, Any], Any]


REPLACE = ColumnRule("{new}", lambda _, new: new)
KEY = ColumnRule("{old}", lambda old, _: old)
ONCE = ColumnRule("{old}", lambda old, _: old)
FIRST = ColumnRule("coalesce({old}, {new})", lambda old, new: new if old is None else old)
UNLESS_NULL = ColumnRule("coalesce({new}, {old})", lambda old, new: old if new is None else new)
ADD = ColumnRule("{old} + {new}", operator.add)
ADD_BOUNDED = ColumnRule(f"least({{old}} + {{new}}, {LARGEST_COUNT})", lambda old, new: min(old + new, LARGEST_COUNT))
ADD_UP_TO_TOTAL = ColumnRule(
    "greatest({old} + ({new}::bigint[])[1], ({new}::bigint[])[2])", lambda old, new: max(old + new[0], new[1])
)
LARGEST = ColumnRule("greatest({old}, {new})", max)
MERGE = ColumnRule("{old} || {new}", operator.or_)

# Types of the fields of changes, whose columns have these rules. A field of another type replaces its column.
Key = Annotated[str, KEY, ID]
"""Names the row."""
Once = Annotated[str, ONCE]
"""Stays as it was when the row was inserted."""
OnceId = Annotated[str, ONCE, ID]
TextUnlessNull = Annotated[str | None, UNLESS_NULL]
Added = Annotated[int, ADD]
AddedTokens = Annotated[int, ADD_BOUNDED]
JsonUnlessNull = Annotated[JsonValue, UNLESS_NULL]
MergedJson = Annotated[JsonValue, MERGE]


def rules_of(change: type) -> Mapping[str, ColumnRule]:
    """By column, in the order of the fields."""
    hints = get_type_hints(change, include_extras=True)
    return {column: _column_rule(getattr(hint, "__metadata__", ())) for column, hint in hints.items()}


def _column_rule(metadata: tuple[object, ...]) -> ColumnRule:
    return next((one for one in metadata if isinstance(one, ColumnRule)), REPLACE)
