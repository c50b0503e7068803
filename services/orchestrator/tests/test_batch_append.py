"""An append whose acknowledgement did not come, in virtual time: the log is asked as soon as Kafka is back."""

import asyncio
from collections.abc import Sequence

import pytest
from aiokafka.errors import KafkaConnectionError
from prometheus_client import CollectorRegistry

from tarsy_bus.client.connection import Bus
from tarsy_bus.log.writer import AppendUncertainError, LogEntry, LogWriter
from tarsy_contracts.wire.topics import Topics
from tarsy_orchestrator.partition.batch_append import append_batch
from tarsy_service.telemetry.hop_metrics import HopTimes
from tarsy_testing.simulation.virtual_time import VirtualLoop

SOON = 2.0
BUS = Bus(bootstrap="nowhere:1", topics=Topics(), client="test")


class SilentWriter(LogWriter):
    async def append(self, partition: int, entries: Sequence[LogEntry]) -> int:
        raise AppendUncertainError("no acknowledgement")


@pytest.mark.parametrize("away", [3.0, 20.0, 60.0, 61.0, 62.0, 63.0, 64.0, 300.0])
def test_after_an_outage_the_end_of_the_log_is_known_soon(away: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """All decisions of the partition wait for it."""

    async def appended() -> float:
        now = asyncio.get_running_loop().time
        began = now()

        async def ends(bus: Bus, topic: str, partitions: list[int]) -> dict[int, int]:
            if now() < began + away:
                raise KafkaConnectionError("Kafka is away")
            return {3: 17}

        monkeypatch.setattr("tarsy_orchestrator.partition.batch_append.ends", ends)
        assert await append_batch(BUS, SilentWriter(BUS), 3, [], HopTimes(CollectorRegistry())) == 17
        return now() - began

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        assert runner.run(appended()) <= away + SOON
