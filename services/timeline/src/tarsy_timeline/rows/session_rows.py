"""Rows of sessions, as the queries found them. Each is of one moment."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import asyncpg

from tarsy_timeline.rows.cost import NO_COST, Cost

type Row = asyncpg.Record | dict[str, Any]
"""A row of a table, or of the same made from the log."""

TOKENS = ("input_tokens", "output_tokens", "thinking_tokens", "cached_input_tokens", "cache_written_tokens")
"""The columns in which tokens are counted."""
PRICED = ("input_tokens", "output_tokens", "cached_input_tokens", "cache_written_tokens", "web_searches")
"""The kinds of usage that a price of a model may name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRows:
    """`timeline`: all of it, or the calls that run."""

    session: Row
    stages: Sequence[Row]
    executions: Sequence[Row]
    timeline: Sequence[Row] = field(default_factory=list)
    cost: Cost = NO_COST

    @property
    def last_number(self) -> int:
        number: int = self.session["last_number"]
        return number


@dataclass(frozen=True, slots=True)
class RunningRows:
    """Stages, executions and calls that run, of sessions that run."""

    stages: Sequence[Row] = field(default_factory=list)
    executions: Sequence[Row] = field(default_factory=list)
    calls: Sequence[Row] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ListedRows:
    """`count` is that of all pages. `costs`: by session, of those that have one.

    `matches`: texts of the page's sessions that fit the search, the best first.
    """

    count: int
    sessions: Sequence[Row]
    running: RunningRows
    costs: Mapping[str, Cost] = field(default_factory=dict)
    matches: Sequence[Row] = field(default_factory=list)


def by_key(rows: Iterable[Row], *columns: str) -> defaultdict[tuple[Any, ...], list[Row]]:
    """The rows with the same values in these columns, in their order."""
    found: defaultdict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in rows:
        found[tuple(row[column] for column in columns)].append(row)
    return found


def by_session(rows: Sequence[Row]) -> defaultdict[str, list[Row]]:
    """The rows of each session, in their order."""
    found: defaultdict[str, list[Row]] = defaultdict(list)
    for row in rows:
        found[row["session_id"]].append(row)
    return found
