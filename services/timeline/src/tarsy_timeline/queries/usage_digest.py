"""The digest of a week, from the rows of the reports that the usage page has. Pure."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from tarsy_contracts.api.digests.usage_digest import (
    DigestCost,
    KeyedCost,
    NamedCount,
    RatingCounts,
    SlowTool,
    UsageDigest,
)
from tarsy_contracts.api.usage import UsageBy, UsageGroup, UsageReport, UsageTotals
from tarsy_contracts.prices import ModelPrices
from tarsy_contracts.review import RATINGS
from tarsy_timeline.queries.digest_rows import MOST_LINES, DigestRows
from tarsy_timeline.queries.outcome_report import outcome_report
from tarsy_timeline.queries.usage_queries import DaysQuery
from tarsy_timeline.queries.usage_report import usage_report
from tarsy_timeline.rows.session_rows import Row

SECONDS_DIGITS = 3

type Mask = Callable[[str], str]


def usage_digest(week: DaysQuery, rows: DigestRows, prices: ModelPrices, mask: Mask) -> UsageDigest:
    """`mask`: for every name, though each was masked on its way in: this leaves for others, by itself."""
    now, before = outcome_report(rows.outcomes), outcome_report(rows.outcomes_before)
    chains, chains_before = _reports("chain", rows.used.chains, rows.used_before.chains, prices)
    teams, teams_before = _reports("team", rows.used.teams, rows.used_before.teams, prices)
    return UsageDigest(
        first=week.first.isoformat(),
        last=week.last.isoformat(),
        sessions=now.total,
        sessions_before=before.total,
        alert_types=tuple(
            one.model_copy(update={"alert_type": mask(one.alert_type)}) for one in now.alert_types[:MOST_LINES]
        ),
        session_labels=_counts(rows.causes, mask, kind="label"),
        failures=_counts(rows.causes, mask, kind="failure"),
        ratings=_count_ratings(rows.ratings),
        causes=_counts(rows.causes, mask, kind="cause"),
        tools=tuple(_slow_tool(row, mask) for row in rows.tools),
        unread_skills=_counts(rows.skills, mask),
        cost=DigestCost.model_validate(_costs(chains.total, chains_before.total)),
        chains=_keyed_costs(chains, chains_before, mask),
        # A system whose alerts name no team has one line, and that is the total again.
        teams=_keyed_costs(teams, teams_before, mask) if any(group.key for group in teams.groups) else (),
        unpriced_models=tuple(map(mask, chains.unpriced_models[:MOST_LINES])),
        memories_learned=rows.memories,
    )


def _reports(
    by: UsageBy, rows: Sequence[Row], rows_before: Sequence[Row], prices: ModelPrices
) -> tuple[UsageReport, UsageReport]:
    return usage_report(by, rows, prices), usage_report(by, rows_before, prices)


def _keyed_costs(report: UsageReport, before: UsageReport, mask: Mask) -> tuple[KeyedCost, ...]:
    known = {group.key: group for group in before.groups}
    ranked = sorted(report.groups, key=_dearest_first)
    return tuple(
        KeyedCost.model_validate({"key": mask(group.key), **_costs(group, known.get(group.key))})
        for group in ranked[:MOST_LINES]
    )


def _dearest_first(group: UsageGroup) -> tuple[float, int, str]:
    return -(group.cost or 0.0), -group.total_tokens, group.key


def _costs(now: UsageTotals, before: UsageTotals | None) -> Mapping[str, object]:
    return {
        "cost": now.cost,
        "cost_completeness": now.cost_completeness,
        "cost_before": None if before is None else before.cost,
        "cost_before_completeness": "none" if before is None else before.cost_completeness,
    }


def _counts(rows: Sequence[Row], mask: Mask, kind: str | None = None) -> tuple[NamedCount, ...]:
    return tuple(
        NamedCount(name=mask(row["name"]), count=row["count"]) for row in rows if kind is None or row["kind"] == kind
    )


def _count_ratings(rows: Sequence[Row]) -> RatingCounts:
    counted = Counter(row["quality_rating"] for row in rows)
    return RatingCounts.model_validate({rating: counted[rating] for rating in RATINGS})


def _slow_tool(row: Row, mask: Mask) -> SlowTool:
    return SlowTool(
        server=mask(row["server"]),
        tool=mask(row["tool"]),
        calls=row["calls"],
        p90_seconds=round(row["p90_seconds"], SECONDS_DIGITS),
    )
