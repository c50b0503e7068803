"""Parts of a dashboard, as a person reads them: rows of panels, and queries in plain PromQL.

A query names metrics without the choice of job, instance and service: `grafana_json` adds what people chose.
"""

from dataclasses import dataclass
from typing import Literal

type Kind = Literal["stat", "lines", "stack"]
type Unit = Literal["short", "s", "bytes", "percentunit", "cpm"]
"""Units of Grafana. `cpm` is a count per minute."""


@dataclass(frozen=True, slots=True)
class Query:
    """`legend` names the labels that tell its series apart: `{{provider}}`."""

    expr: str
    legend: str


@dataclass(frozen=True, slots=True)
class Panel:
    """`does` is one sentence: what to do when it looks bad. `limit` is where bad begins."""

    title: str
    unit: Unit
    does: str
    queries: tuple[Query, ...]
    kind: Kind = "lines"
    limit: float | None = None


@dataclass(frozen=True, slots=True)
class Row:
    title: str
    panels: tuple[Panel, ...]


@dataclass(frozen=True, slots=True)
class Dashboard:
    """`by_service`: people may choose services, too; a metric without this label is not affected."""

    uid: str
    title: str
    about: str
    rows: tuple[Row, ...]
    by_service: bool = False


def stat(title: str, unit: Unit, expr: str, does: str, *, limit: float | None = None) -> Panel:
    """One number."""
    return Panel(title, unit, does, (Query(expr, title),), "stat", limit)


def lines(title: str, unit: Unit, does: str, *queries: Query, limit: float | None = None) -> Panel:
    """Each series is a line."""
    return Panel(title, unit, does, queries, "lines", limit)


def stack(title: str, unit: Unit, does: str, *queries: Query) -> Panel:
    """Series lie on one another: their height is their sum."""
    return Panel(title, unit, does, queries, "stack")


def per_minute(counter: str, *labels: str, named: str = "") -> Query:
    """How often it happens in a minute, by these labels."""
    return Query(f"sum{_by(labels)} (rate({counter}[$__rate_interval])) * 60", named or _legend(labels))


def quantile(share: float, histogram: str, *labels: str) -> Query:
    """The value that this share of all observations does not exceed."""
    sums = f"sum{_by(('le', *labels))} (rate({histogram}_bucket[$__rate_interval]))"
    return Query(f"histogram_quantile({share}, {sums})", f"{_legend(labels)} p{share * 100:g}".strip())


def current(aggregate: Literal["sum", "max", "min"], gauge: str, *labels: str, named: str = "") -> Query:
    return Query(f"{aggregate}{_by(labels)} ({gauge})", named or _legend(labels))


def _by(labels: tuple[str, ...]) -> str:
    return f" by ({', '.join(labels)})" if labels else ""


def _legend(labels: tuple[str, ...]) -> str:
    return " ".join(f"{{{{{label}}}}}" for label in labels)
