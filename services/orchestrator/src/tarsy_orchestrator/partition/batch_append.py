"""Appending one batch of decisions to the log of a partition, also where the broker's answer does not come."""

from collections.abc import Sequence

import structlog
from aiokafka.errors import KafkaError

from tarsy_bus.client.connection import Bus
from tarsy_bus.log.writer import AppendUncertainError, LogEntry, LogWriter
from tarsy_bus.readers.partition_reader import ends
from tarsy_bus.retries import FIRST_PAUSE_SECONDS, draw_growing_pauses, retry
from tarsy_service.telemetry.hop_metrics import HopTimes

log = structlog.get_logger(__name__)

LONGEST_PAUSE_SECONDS = 2.0
"""All decisions of the partition wait for the answer. All clients of a process share their attempts to connect."""


async def append_batch(bus: Bus, writer: LogWriter, partition: int, entries: Sequence[LogEntry], hops: HopTimes) -> int:
    """Returns up to where the log has to be read to know which of the entries were accepted."""
    try:
        with hops.time("append"):
            return await writer.append(partition, entries) + len(entries)
    except AppendUncertainError as problem:
        log.warning("append.uncertain", partition=partition, reason=str(problem))
        return await _read_end_of_log(bus, partition)


async def _read_end_of_log(bus: Bus, partition: int) -> int:
    found = await retry(
        lambda: ends(bus, bus.topics.sessions, [partition]),
        passes=lambda problem: isinstance(problem, KafkaError),
        failed=lambda problem, pause: log.warning("log.unreachable", partition=partition, reason=repr(problem)),
        pauses=draw_growing_pauses(FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS),
    )
    return found[partition]
