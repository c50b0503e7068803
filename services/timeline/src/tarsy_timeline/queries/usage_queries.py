"""Queries of tokens and costs."""

from collections.abc import Sequence
from datetime import date
from typing import Annotated

from fastapi import Query
from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator

from tarsy_auth.session_groups import GroupLabels
from tarsy_contracts.api.usage import UsageBy, UsageKey
from tarsy_contracts.prices import ModelPrices
from tarsy_timeline.database.pool import Connection
from tarsy_timeline.database.sql import QUERIES
from tarsy_timeline.rows.cost import Cost
from tarsy_timeline.rows.model_costs import costs_of_sessions
from tarsy_timeline.rows.session_rows import Row
from tarsy_timeline.rows.visibility import visible_labels, visible_query

MOST_DAYS = 366
MOST_RATINGS = 10_000
MOST_LINES = 4
"""As many as a chart can show apart."""
TEAM = "select substr(label, 6) from unnest(s.labels) label where starts_with(label, 'team=')"
SERVERS = """array(
        select distinct t.metadata ->> 'server_name' from timeline_events t
        where t.session_id = s.session_id and t.event_type = 'llm_tool_call' and t.metadata ->> 'server_name' <> ''
    )"""
KEYS: dict[UsageKey, str] = {
    "chain": "array[s.chain_id]",
    "model": "array[u.model]",
    "day": "array[u.day::text]",
    "alert_type": "array[s.alert_type]",
    "team": f"array[coalesce(({TEAM}), '')]",
    "tool_server": f"coalesce(nullif({SERVERS}, '{{}}'), array[''])",
    "session": "array[s.session_id]",
}
"""For the place `{keys}` in `report_usage`."""


class DaysQuery(BaseModel):
    """`from` and `to`: the first and the last day (UTC)."""

    model_config = ConfigDict(frozen=True)

    first: date = Field(alias="from", examples=["2026-11-01"])
    last: date = Field(alias="to", description=f"at most {MOST_DAYS} days", examples=["2026-11-30"])

    @field_validator("last")
    @classmethod
    def check_bounds(cls, value: date, info: ValidationInfo) -> date:
        first: date | None = info.data.get("first")
        if first is not None and value < first:
            raise ValueError("must not be before `from`")
        if first is not None and (value - first).days >= MOST_DAYS:
            raise ValueError(f"must be at most {MOST_DAYS} days, that of `from` included")
        return value


class UsageQuery(DaysQuery):
    """The days are those of the events with which tokens were counted."""

    by: UsageBy = "day"


type AskedDays = Annotated[DaysQuery, Query()]
type AskedUsage = Annotated[UsageQuery, Query()]


async def usage_rows(
    wanted: UsageQuery, groups: GroupLabels | None, prices: ModelPrices, connection: Connection
) -> Sequence[Row]:
    return await rows_by_key(wanted.by, wanted, groups, prices, connection)


async def rows_by_key(
    key: UsageKey,
    days: DaysQuery,
    groups: GroupLabels | None,
    prices: ModelPrices,
    connection: Connection,
    *,
    alert_type: str | None = None,
    chain_id: str | None = None,
) -> Sequence[Row]:
    query = visible_query("report_usage", groups).replace("{keys}", KEYS[key])
    labels, changes = visible_labels(groups), prices.list_changes()
    return await connection.fetch(query, days.first, days.last, labels, changes, alert_type, chain_id)


async def series_rows(wanted: UsageQuery, groups: GroupLabels | None, connection: Connection) -> Sequence[Row]:
    query = visible_query("report_series", groups).replace("{keys}", KEYS[wanted.by])
    return await connection.fetch(query, wanted.first, wanted.last, visible_labels(groups), MOST_LINES)


async def outcome_rows(days: DaysQuery, groups: GroupLabels | None, connection: Connection) -> Sequence[Row]:
    query = visible_query("report_outcomes", groups)
    return await connection.fetch(query, days.first, days.last, visible_labels(groups))


async def fetch_ratings(days: DaysQuery, groups: GroupLabels | None, connection: Connection) -> Sequence[Row]:
    query = visible_query("read_ratings", groups)
    return await connection.fetch(query, days.first, days.last, visible_labels(groups), MOST_RATINGS)


async def costs_of(connection: Connection, session_ids: Sequence[str], prices: ModelPrices) -> dict[str, Cost]:
    """Costs by session, of those that have used something."""
    if not session_ids:
        return {}
    rows = await connection.fetch(QUERIES["read_usage_of"], list(session_ids), prices.list_changes())
    return costs_of_sessions(rows, prices)
