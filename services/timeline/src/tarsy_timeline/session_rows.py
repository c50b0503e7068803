"""Rows of sessions, as the queries found them. Each is of one moment."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import asyncpg

type Row = asyncpg.Record


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRows:
    """`timeline`: all of it, or the calls that run."""

    session: Row
    stages: list[Row]
    executions: list[Row]
    timeline: list[Row] = field(default_factory=list)

    @property
    def last_number(self) -> int:
        number: int = self.session["last_number"]
        return number


@dataclass(frozen=True, slots=True)
class RunningRows:
    """Of sessions that run: their stages, executions, and calls that run."""

    stages: list[Row] = field(default_factory=list)
    executions: list[Row] = field(default_factory=list)
    calls: list[Row] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ListedRows:
    """`count` is that of all pages. `matches`: texts of the page's sessions that fit the search, the best first."""

    count: int
    sessions: list[Row]
    running: RunningRows
    matches: list[Row] = field(default_factory=list)


def by_session(rows: Sequence[Row]) -> defaultdict[str, list[Row]]:
    """The rows of each session, in their order."""
    found: defaultdict[str, list[Row]] = defaultdict(list)
    for row in rows:
        found[row["session_id"]].append(row)
    return found
