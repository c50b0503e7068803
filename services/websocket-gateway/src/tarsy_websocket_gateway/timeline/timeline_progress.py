"""How far the timeline's answers reach: for what clients may be told only when the API shows it."""

import asyncio
from collections.abc import Mapping

import structlog

from tarsy_websocket_gateway.timeline.timeline_api import TimelineApi, TimelineUnavailableError

log = structlog.get_logger(__name__)

LOOK_SECONDS = 0.02
LONGEST_LOOK_SECONDS = 0.2


class TimelineProgress:
    """`run` asks the timeline while somebody waits for it: one question at a time, for all."""

    def __init__(self, timeline: TimelineApi) -> None:
        self._timeline = timeline
        self._positions: dict[int, int] = {}
        self._waiting = 0
        self._wanted = asyncio.Event()
        self._moved = asyncio.Condition()

    async def wait_until_reached(self, goals: Mapping[int, int], seconds: float) -> bool:
        """Returns once the timeline has projected what lies before these offsets; False when that takes longer."""
        self._waiting += 1
        self._wanted.set()
        try:
            async with asyncio.timeout(seconds), self._moved:
                await self._moved.wait_for(lambda: self._has_reached(goals))
        except TimeoutError:
            log.warning("timeline.late", seconds=seconds)
            return False
        else:
            return True
        finally:
            self._waiting -= 1
            if not self._waiting:
                self._wanted.clear()

    async def run(self) -> None:
        pause = LOOK_SECONDS
        while True:
            await self._wanted.wait()
            try:
                positions = await self._timeline.positions()
            except TimelineUnavailableError as problem:
                log.warning("timeline.away", reason=str(problem))
                pause = LONGEST_LOOK_SECONDS
            else:
                pause = LOOK_SECONDS if positions != self._positions else min(pause * 1.5, LONGEST_LOOK_SECONDS)
                async with self._moved:
                    self._positions = positions
                    self._moved.notify_all()
            await asyncio.sleep(pause)

    def _has_reached(self, goals: Mapping[int, int]) -> bool:
        return all(self._positions.get(number, 0) >= offset for number, offset in goals.items())
