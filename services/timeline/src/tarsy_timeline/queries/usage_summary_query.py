"""The question of Go TARSy's summary, and its rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, timedelta
from typing import Annotated

from fastapi import Query
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationInfo, field_validator

from tarsy_auth.session_groups import GroupLabels
from tarsy_contracts.api.usage_summary import RankBy
from tarsy_contracts.prices import ModelPrices
from tarsy_timeline.database.pool import Connection
from tarsy_timeline.queries.usage_queries import MOST_DAYS, DaysQuery, rows_by_key
from tarsy_timeline.rows.session_rows import Row
from tarsy_timeline.rows.visibility import visible_labels, visible_query

MOST_RANKED = 1_000
"""Sessions with the most tokens, among which those that cost most are looked for."""


class SummaryQuery(BaseModel):
    """Whole days (UTC) are added up: each that the window touches."""

    model_config = ConfigDict(frozen=True)

    start_date: AwareDatetime = Field(examples=["2026-11-01T00:00:00Z"])
    end_date: AwareDatetime = Field(examples=["2026-12-01T00:00:00Z"])
    alert_type: str | None = None
    chain_id: str | None = None
    rank_by: RankBy | None = Field(default=None, description="cost where models have prices, else tokens")

    @field_validator("end_date")
    @classmethod
    def check_bounds(cls, value: AwareDatetime, info: ValidationInfo) -> AwareDatetime:
        start = info.data.get("start_date")
        if start is not None and value <= start:
            raise ValueError("must be after `start_date`")
        if start is not None and value - start > timedelta(days=MOST_DAYS - 1):
            raise ValueError(f"must be at most {MOST_DAYS - 1} days after `start_date`")
        return value

    @property
    def days(self) -> DaysQuery:
        last = (self.end_date - timedelta(microseconds=1)).astimezone(UTC).date()
        first: date = self.start_date.astimezone(UTC).date()
        return DaysQuery.model_construct(first=first, last=last)


type AskedSummary = Annotated[SummaryQuery, Query()]


@dataclass(frozen=True, slots=True)
class SummaryRows:
    """`sessions`: of each of the greatest, a row a model."""

    models: Sequence[Row]
    alert_types: Sequence[Row]
    chains: Sequence[Row]
    sessions: Sequence[Row]


async def summary_rows(
    wanted: SummaryQuery, groups: GroupLabels | None, prices: ModelPrices, connection: Connection
) -> SummaryRows:
    days = wanted.days
    models, alert_types, chains = [
        await rows_by_key(key, days, groups, prices, connection, alert_type=wanted.alert_type, chain_id=wanted.chain_id)
        for key in ("model", "alert_type", "chain")
    ]
    sessions = await connection.fetch(
        visible_query("read_greatest_sessions", groups),
        *(days.first, days.last, visible_labels(groups), prices.list_changes()),
        *(wanted.alert_type, wanted.chain_id, MOST_RANKED),
    )
    return SummaryRows(models, alert_types, chains, sessions)
