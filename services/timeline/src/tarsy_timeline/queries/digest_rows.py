"""The question for the digest of a week, and its rows: by the queries of the usage page, and some of its own."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from tarsy_auth.session_groups import GroupLabels
from tarsy_contracts.builtin_tools import LOAD_SKILL, OWN_SERVER
from tarsy_contracts.prices import ModelPrices
from tarsy_timeline.database.pool import Connection
from tarsy_timeline.queries.usage_queries import DaysQuery, fetch_ratings, outcome_rows, rows_by_key
from tarsy_timeline.rows.session_rows import Row
from tarsy_timeline.rows.visibility import visible_labels, visible_query

WEEK = timedelta(days=7)
MOST_LINES = 5


@dataclass(frozen=True, slots=True)
class UsedRows:
    """Usage of seven days: by chain, which has the total, and by team."""

    chains: Sequence[Row]
    teams: Sequence[Row]


@dataclass(frozen=True, slots=True)
class DigestRows:
    outcomes: Sequence[Row]
    outcomes_before: Sequence[Row]
    used: UsedRows
    used_before: UsedRows
    ratings: Sequence[Row]
    causes: Sequence[Row]
    tools: Sequence[Row]
    skills: Sequence[Row]
    memories: int


def week_before(now: datetime) -> DaysQuery:
    """The seven whole days before this moment."""
    return week_until(now.astimezone(UTC).date() - timedelta(days=1))


def week_until(last: date) -> DaysQuery:
    return DaysQuery.model_construct(first=last - WEEK + timedelta(days=1), last=last)


async def digest_rows(
    week: DaysQuery, groups: GroupLabels | None, prices: ModelPrices, connection: Connection
) -> DigestRows:
    before = week_until(week.last - WEEK)
    asked = (week.first, week.last, visible_labels(groups))
    return DigestRows(
        outcomes=await outcome_rows(week, groups, connection),
        outcomes_before=await outcome_rows(before, groups, connection),
        used=await _used_rows(week, groups, prices, connection),
        used_before=await _used_rows(before, groups, prices, connection),
        ratings=await fetch_ratings(week, groups, connection),
        causes=await connection.fetch(visible_query("report_causes", groups), *asked, MOST_LINES),
        tools=await connection.fetch(visible_query("report_slow_tools", groups), *asked, MOST_LINES, OWN_SERVER),
        skills=await connection.fetch(
            visible_query("report_unread_skills", groups), *asked, MOST_LINES, OWN_SERVER, LOAD_SKILL
        ),
        memories=await connection.fetchval(visible_query("count_learned", groups), *asked),
    )


async def _used_rows(
    days: DaysQuery, groups: GroupLabels | None, prices: ModelPrices, connection: Connection
) -> UsedRows:
    return UsedRows(
        chains=await rows_by_key("chain", days, groups, prices, connection),
        teams=await rows_by_key("team", days, groups, prices, connection),
    )
