"""The reader of the session log, on a real Kafka, beside a timeline that is made up."""

import asyncio

from opentelemetry.trace import NoOpTracer

from tarsy_bus.background_tasks import background_tasks
from tarsy_bus.client.connection import Bus
from tarsy_bus.topics.topics_admin import cluster_id
from tarsy_testing.real_servers import WAIT_SECONDS, eventually
from tarsy_testing.servers.foreign_batches import write_in_transaction
from tarsy_websocket_gateway.log.reader import WatchedLog
from tarsy_websocket_gateway.messages.feed import Feed
from tarsy_websocket_gateway.timeline.endings import Endings
from tarsy_websocket_gateway.timeline.timeline_api import Beginning, TimelineApi
from tarsy_websocket_gateway.timeline.timeline_progress import TimelineProgress


class MadeUpTimeline(TimelineApi):
    """It has projected nothing."""

    def __init__(self, bus: Bus) -> None:
        super().__init__("http://nowhere", {})
        self._bus = bus

    async def wait_for_beginning(self) -> Beginning:
        positions = dict.fromkeys(range(self._bus.layout.log_partitions), 0)
        return Beginning(await cluster_id(self._bus), self._bus.topics.sessions, positions, {})


async def test_behind_the_marker_of_a_transaction_nothing_is_left_to_read(bus: Bus) -> None:
    """It takes an offset and holds no record: the lag would grow until the next event, an hour later perhaps."""
    timeline, ready = MadeUpTimeline(bus), asyncio.Event()
    endings = Endings(lambda session_id, messages: None, TimelineProgress(timeline))
    log = WatchedLog(bus, timeline, Feed(), endings, NoOpTracer())
    await write_in_transaction(bus, bus.topics.sessions, partition=3)
    async with background_tasks(log.run(ready, lambda: None)):
        async with asyncio.timeout(WAIT_SECONDS):
            await ready.wait()
        log.follow_all(await timeline.wait_for_beginning())

        async def passed() -> bool:
            return log.positions()[3] == 2

        await eventually(passed, "the record and the marker are passed")
        assert log.lag_seconds() == 0
