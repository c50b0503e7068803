"""Reads of what sessions have used, how they ended, and how they were rated. Each answer is of one moment."""

from collections.abc import Sequence
from functools import partial

from tarsy_auth.session_groups import GroupLabels
from tarsy_contracts.prices import NO_PRICES, ModelPrices
from tarsy_timeline.database.pool import Database
from tarsy_timeline.queries.digest_rows import DigestRows, digest_rows
from tarsy_timeline.queries.usage_queries import (
    DaysQuery,
    UsageQuery,
    fetch_ratings,
    outcome_rows,
    series_rows,
    usage_rows,
)
from tarsy_timeline.queries.usage_summary_query import SummaryQuery, SummaryRows, summary_rows
from tarsy_timeline.rows.session_rows import Row


class UsageReads:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def usage(
        self, wanted: UsageQuery, groups: GroupLabels | None = None, prices: ModelPrices = NO_PRICES
    ) -> Sequence[Row]:
        """Tokens of the days, by key, model and time of its price, and by key; those of all have no key."""
        return await self._database.read(partial(usage_rows, wanted, groups, prices))

    async def usage_series(self, wanted: UsageQuery, groups: GroupLabels | None = None) -> Sequence[Row]:
        """Tokens of the days, by key, day and model."""
        return await self._database.read(partial(series_rows, wanted, groups))

    async def usage_summary(
        self, wanted: SummaryQuery, groups: GroupLabels | None = None, prices: ModelPrices = NO_PRICES
    ) -> SummaryRows:
        return await self._database.read(partial(summary_rows, wanted, groups, prices))

    async def ratings(self, wanted: DaysQuery, groups: GroupLabels | None = None) -> Sequence[Row]:
        """Ratings of people in these days, beside the forecasts of judges and analyses."""
        return await self._database.read(partial(fetch_ratings, wanted, groups))

    async def digest(self, week: DaysQuery, groups: GroupLabels | None, prices: ModelPrices) -> DigestRows:
        """All that the digest of a week is made of, also of the week before."""
        return await self._database.read(partial(digest_rows, week, groups, prices))

    async def outcomes(self, days: DaysQuery, groups: GroupLabels | None = None) -> Sequence[Row]:
        """How the sessions of these days ended: by day, alert type and hour of the week, and all."""
        return await self._database.read(partial(outcome_rows, days, groups))
