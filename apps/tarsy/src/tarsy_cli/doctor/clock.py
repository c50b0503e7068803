"""Check of the clock: ours against those of PostgreSQL and of Kafka.

Kafka gives its time only in the stamp of a record. The check writes no record. Processes of a running TARSy announce
themselves about every second, and the check compares the next announcement's stamp with its arrival.
"""

import asyncio
from collections.abc import AsyncIterator
from datetime import datetime
from time import time as our_time

from aiokafka.errors import KafkaError

from tarsy_bus.client.access import KafkaAccessError
from tarsy_bus.client.connection import Bus
from tarsy_bus.readers.partition_reader import PartitionReader
from tarsy_bus.topics.topics_admin import WrongTopicsError
from tarsy_cli.doctor.findings import CheckResult, NotCheckedError, failure, ok, warning
from tarsy_cli.doctor.setup import Setup
from tarsy_timeline.database.single_connection import DatabaseUnusableError, connected

CONNECT_SECONDS = 8.0
ANNOUNCEMENT_SECONDS = 6.0
WARNING_SECONDS = 2.0
FAILURE_SECONDS = 30.0
REMEDY = "Let NTP (chrony, systemd-timesyncd) set the clocks of both machines."


async def check_clock(setup: Setup) -> AsyncIterator[CheckResult]:
    apart = await asyncio.gather(_measure_database_ahead(setup), _measure_kafka_ahead(setup))
    found = {name: seconds for name, seconds in zip(("PostgreSQL", "Kafka"), apart, strict=True) if seconds is not None}
    if not found:
        raise NotCheckedError(
            "No other clock could be asked: PostgreSQL does not answer, and no TARSy announces itself on Kafka."
        )
    for name, seconds in found.items():
        yield _judge_clock(name, seconds)


def _judge_clock(name: str, ahead: float) -> CheckResult:
    sentence = f"The clock of {name} is {abs(ahead):.1f} seconds {'ahead of' if ahead > 0 else 'behind'} ours."
    if abs(ahead) < WARNING_SECONDS:
        return ok(f"The clock of {name} and ours agree.")
    return (failure if abs(ahead) >= FAILURE_SECONDS else warning)(sentence, REMEDY)


async def _measure_database_ahead(setup: Setup) -> float | None:
    if not setup.database:
        return None
    try:
        async with connected(setup.database, seconds=CONNECT_SECONDS) as connection:
            asked_at = our_time()
            database_time: datetime = await connection.fetchval("select clock_timestamp()")
            return database_time.timestamp() - (asked_at + our_time()) / 2
    except DatabaseUnusableError:
        return None


async def _measure_kafka_ahead(setup: Setup) -> float | None:
    """A record takes some milliseconds to come, which makes Kafka's clock look behind by them."""
    if setup.bus is None:
        return None
    try:
        async with asyncio.timeout(ANNOUNCEMENT_SECONDS):
            return await _measure_next_announcement(setup.bus)
    except (KafkaError, KafkaAccessError, WrongTopicsError, TimeoutError):
        return None


async def _measure_next_announcement(bus: Bus) -> float:
    async with PartitionReader(bus, bus.topics.workers).running() as reader:
        reader.assign(await reader.ends([0]))
        while not (records := await reader.next()):
            pass
        return float(records[-1].timestamp) / 1000 - our_time()
