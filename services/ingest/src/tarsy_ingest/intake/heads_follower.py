"""Follower of the heads topic: it shows ingest the sessions that alerts join, also those that other processes accepted.

Answers are hints, so it may lag, fail and begin again; alerts are taken all the time, and nothing waits for it.
"""

import asyncio
from collections.abc import Callable, Mapping

import structlog
from pydantic import ValidationError

from tarsy_bus.client.connection import Bus, quiet_reader
from tarsy_bus.pacing import Pacer
from tarsy_bus.readers.misplaced import SessionPartitions
from tarsy_bus.readers.partition_reader import PartitionReader, Record
from tarsy_bus.retries import draw_growing_pauses
from tarsy_contracts.events.heads import SessionHead, session_of_head_key
from tarsy_ingest.intake.known_sessions import KnownSessions
from tarsy_service.supervision import Supervisor

log = structlog.get_logger(__name__)

OFFSETS_AT_START = 2_000
"""In each partition. Older heads are left out: the sessions that alerts join are mostly among the newest."""
GATHER_SECONDS = 0.05
"""Heads gather between two reads: nobody sees it in an answer.

This is less than the client's `prefetch_backoff` (0.1 s). After that the client fetches without the partitions whose
records nobody has taken. Their next heads then wait for seconds on a quiet topic."""
MARKED = b'"alerts":{'
"""Part of a head whose session alerts may join. The others are not decoded."""
SCHEMA = ("ce_dataschema", SessionHead.dataschema().encode())
"""One header is looked at, not the envelope: this costs a quarter, and only a hint follows from it."""


class HeadsFollower:
    def __init__(self, bus: Bus, known: KnownSessions, supervisor: Supervisor) -> None:
        self._bus = bus
        self._known = known
        self._supervisor = supervisor
        self._partitions = SessionPartitions(bus, bus.topics.heads)

    async def run(self) -> None:
        """Until it is cancelled."""
        heartbeat = self._supervisor.heartbeat_for("heads", essential=False)
        pauses = draw_growing_pauses()
        while True:
            try:
                await self._follow_heads(heartbeat)
            except Exception as problem:  # noqa: BLE001 # whatever it is: alerts are taken without it
                log.warning("heads.not_read", reason=str(problem), error=type(problem).__name__)
                if self._known.follows_heads:
                    pauses = draw_growing_pauses()
            finally:
                self._known.follows_heads = False
            await asyncio.sleep(next(pauses))

    async def _follow_heads(self, heartbeat: Callable[[], None]) -> None:
        numbers = range(self._bus.layout.log_partitions)
        async with PartitionReader(
            self._bus, self._bus.topics.heads, heartbeat, consumer=quiet_reader
        ).running() as reader:
            goals = await reader.ends(numbers)
            reader.assign(newest_positions(await reader.firsts(numbers), goals))
            while goals:
                await self.take(await reader.next())
                goals = {number: goal for number, goal in goals.items() if await reader.position(number) < goal}
            self._known.follows_heads = True
            while True:
                await self.take(await reader.next())
                await asyncio.sleep(GATHER_SECONDS)

    async def take(self, records: list[Record]) -> None:
        """Notes the heads of these, but for those that lie in the partition of another session."""
        pacer = Pacer()
        for record in records:
            if self._is_own(record):
                note_record(self._known, record)
            await pacer.let_others_run()

    def _is_own(self, record: Record) -> bool:
        """Whether its session lies in its partition. One that is not followed anyway is not asked."""
        if not is_followed(record):
            return True
        session_id = session_of_head_key((record.key or b"").decode(errors="replace"))
        return self._partitions.is_own(session_id, record)


def newest_positions(firsts: Mapping[int, int], ends: Mapping[int, int]) -> dict[int, int]:
    return {number: max(firsts[number], end - OFFSETS_AT_START) for number, end in ends.items()}


def is_followed(record: Record) -> bool:
    return record.value is not None and MARKED in record.value and SCHEMA in record.headers


def note_record(known: KnownSessions, record: Record) -> None:
    """A tombstone changes nothing: it follows the newer head. Neither does what cannot be read."""
    if record.value is None or not is_followed(record):
        return
    try:
        known.note_head(
            session_of_head_key((record.key or b"").decode()), SessionHead.model_validate_json(record.value)
        )
    except (ValidationError, UnicodeDecodeError) as problem:
        log.warning("head.unreadable", partition=record.partition, offset=record.offset, reason=type(problem).__name__)
