"""Reading `tarsy.held`: which sessions are set aside, and where the inputs lie that wait for them."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

import structlog

from tarsy_bus.client.connection import Bus
from tarsy_bus.client.fetch_progress import ignore_step
from tarsy_bus.readers.misplaced import SessionPartitions
from tarsy_bus.readers.partition_reader import PartitionReader, Record, read_to_end
from tarsy_bus.readers.records import append_time, parse_message
from tarsy_contracts.messages.held import SessionSetAside, read_held_since, session_and_offset, session_of_marker

log = structlog.get_logger(__name__)

KINDS = {SessionSetAside.type: SessionSetAside}
type IsOwn = Callable[[str, Record], bool]
"""Whether a session lies in the partition of a record."""

UNTOLD = SessionSetAside(reason="unknown", detail="")
"""Stands for a marker that is unreadable, or missing although inputs are there."""


@dataclass(frozen=True, slots=True)
class HeldInput:
    """`at`: when it came to the inbox. `position`: where it lies now."""

    at: datetime
    position: int


@dataclass(slots=True)
class HeldInputs:
    """`inputs` by their offsets in the inbox: positions only, as bodies may be large."""

    partition: int
    why: SessionSetAside = UNTOLD
    since: datetime | None = None
    inputs: dict[int, HeldInput] = field(default_factory=dict)

    @property
    def began(self) -> datetime | None:
        """When it was set aside, as far as the topic still tells."""
        return self.since or min((one.at for one in self.inputs.values()), default=None)


class HeldSessions:
    """Sessions that wait, as the records of the topic add up: each has a marker, inputs, or both.

    A record in the partition of another session is none of them: its owner would set aside what it does not own.
    """

    def __init__(self, is_own: IsOwn) -> None:
        self._is_own = is_own
        self._sessions: dict[str, HeldInputs] = {}

    def all(self) -> Mapping[str, HeldInputs]:
        return self._sessions

    def take(self, record: Record) -> None:
        """A record that is misplaced, or has an unreadable key, changes nothing."""
        key = (record.key or b"").decode(errors="replace")
        if (session_id := session_of_marker(key)) is not None:
            if self._is_own(session_id, record):
                self._take_marker(session_id, record)
        elif (found := session_and_offset(key)) is not None:
            if self._is_own(found[0], record):
                self._take_held_input(*found, record)
        else:
            log.warning("held.unreadable", partition=record.partition, offset=record.offset)

    def _take_marker(self, session_id: str, record: Record) -> None:
        if record.value is None:
            if (known := self._sessions.get(session_id)) is not None:
                known.why, known.since = UNTOLD, None
                self._drop_if_empty(session_id)
            return
        known = self._sessions.setdefault(session_id, HeldInputs(record.partition))
        known.why, known.since = _read_reason(record), append_time(record)

    def _take_held_input(self, session_id: str, offset: int, record: Record) -> None:
        if record.value is None:
            if (known := self._sessions.get(session_id)) is not None:
                known.inputs.pop(offset, None)
                self._drop_if_empty(session_id)
            return
        known = self._sessions.setdefault(session_id, HeldInputs(record.partition))
        at = read_held_since(list(record.headers)) or append_time(record)
        known.inputs[offset] = HeldInput(at, record.offset)

    def _drop_if_empty(self, session_id: str) -> None:
        known = self._sessions[session_id]
        if known.since is None and not known.inputs:
            del self._sessions[session_id]


def create_held_sessions(bus: Bus) -> HeldSessions:
    return HeldSessions(SessionPartitions(bus, bus.topics.held).is_own)


async def read_held(bus: Bus, partitions: Collection[int]) -> dict[int, dict[str, HeldInputs]]:
    """The sessions that wait now, by partition."""
    held = create_held_sessions(bus)
    await read_to_end(bus, bus.topics.held, dict.fromkeys(partitions, 0), held.take)
    return {number: _select_partition(number, held.all().items()) for number in partitions}


def _select_partition(partition: int, sessions: Iterable[tuple[str, HeldInputs]]) -> dict[str, HeldInputs]:
    return {session_id: one for session_id, one in sessions if one.partition == partition}


def _read_reason(record: Record) -> SessionSetAside:
    return parse_message(record, KINDS, "held.unreadable") or UNTOLD


async def follow_held(
    bus: Bus, held: HeldSessions, read_through: Callable[[], None], heartbeat: Callable[[], None] = ignore_step
) -> None:
    """Reads all of the topic and goes on for ever. `read_through`: all that was there at the start has been taken."""
    numbers = range(bus.layout.log_partitions)
    async with PartitionReader(bus, bus.topics.held, heartbeat).running() as follower:
        goals = await follower.ends(numbers)
        follower.assign(await follower.firsts(numbers))
        while True:
            for record in await follower.next():
                held.take(record)
            goals = {number: goal for number, goal in goals.items() if await follower.position(number) < goal}
            if not goals:
                read_through()
