"""Prices of models, as the ingest has them: the timeline has no configuration."""

import asyncio
from collections.abc import Callable

import structlog

from tarsy_contracts.prices import NO_PRICES
from tarsy_timeline.system.ingest_api import FAILURES, IngestApi

log = structlog.get_logger(__name__)

LOOK_SECONDS = 15.0


class PricesWatch:
    """While no ingest answers, the prices that were read last stay; before, nothing has a price."""

    def __init__(self, ingest: IngestApi, *, look_seconds: float = LOOK_SECONDS) -> None:
        self._ingest = ingest
        self._look_seconds = look_seconds
        self._failed = False
        self.prices = NO_PRICES

    async def run(self, heartbeat: Callable[[], None]) -> None:
        """Until it is cancelled."""
        while True:
            await self.look()
            heartbeat()
            await asyncio.sleep(self._look_seconds)

    async def look(self) -> None:
        try:
            self.prices = await self._ingest.prices()
            self._failed = False
        except FAILURES as problem:
            if not self._failed:
                log.warning("prices.unreadable", reason=repr(problem))
            self._failed = True
