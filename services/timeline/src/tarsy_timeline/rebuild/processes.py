"""Processes that replay shares of the partitions side by side: each decodes on a core of its own."""

import asyncio
import signal
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess

from tarsy_bus.client.broker_connections import BrokerConnections
from tarsy_bus.client.connection import Bus
from tarsy_service.telemetry.logs import configure_logs
from tarsy_timeline.database.pool import Database
from tarsy_timeline.errors import TimelineError
from tarsy_timeline.rebuild.replay import ReplayShare, replay

END_SECONDS = 10.0
DEFERRED_COMMITS = {"synchronous_commit": "off"}
"""A crash of PostgreSQL loses the last moments of the rebuild alone: the switch is written out, and all before it."""


class ReplayFailedError(TimelineError):
    """A process of the rebuild ended before its work was done. The operator reads the reason, and repeats it."""


@dataclass(frozen=True, slots=True)
class RebuildTarget:
    """Where the log is read from and where rows are written to."""

    bus: Bus
    url: str = field(repr=False)
    schema: str

    def database(self) -> Database:
        return Database(self.url, self.schema, 2, DEFERRED_COMMITS)

    def for_another_process(self) -> "RebuildTarget":
        """Without what belongs to this process: its connections, and an SSL context, which cannot be sent."""
        bus = replace(self.bus, security=replace(self.bus.security), connections=BrokerConnections())
        return replace(self, bus=bus)


def shares_of(goals: Mapping[int, int], processes: int, trimmed: Collection[int] = ()) -> list[ReplayShare]:
    """The partitions dealt out: the longest first, each to whom has least."""
    dealt: list[dict[int, int]] = [{} for _ in range(max(1, min(processes, len(goals))))]
    for number, goal in sorted(goals.items(), key=lambda one: one[1], reverse=True):
        min(dealt, key=lambda hand: sum(hand.values()))[number] = goal
    return [ReplayShare(hand, frozenset(trimmed) & hand.keys()) for hand in dealt if hand]


async def replay_in_processes(
    target: RebuildTarget, shares: Sequence[ReplayShare], counted: Callable[[int], None]
) -> None:
    """Until each share has reached its goals. Raises ReplayFailedError; then no process is left."""
    try:
        async with asyncio.TaskGroup() as group:
            for share in shares:
                group.create_task(_replay_in_process(target, share, counted))
    except ExceptionGroup as failures:
        raise failures.exceptions[0] from failures


async def replay_here(target: RebuildTarget, share: ReplayShare, counted: Callable[[int], None]) -> None:
    """In this process."""
    async with target.database().running(note_prepared) as database:
        await replay(target.bus, database, share, counted)


async def _replay_in_process(target: RebuildTarget, share: ReplayShare, counted: Callable[[int], None]) -> None:
    spawning = get_context("spawn")
    receiving, sending = spawning.Pipe(duplex=False)
    process = spawning.Process(target=_run_share, args=(target.for_another_process(), share, sending), daemon=True)
    process.start()
    sending.close()
    try:
        while (message := await asyncio.to_thread(_next_message, receiving)) is not None:
            if isinstance(message, str):
                raise ReplayFailedError(message)
            counted(message)
    except BaseException:
        process.terminate()
        raise
    finally:
        # The end of the process is the end of the pipe, which a thread may still wait at.
        await asyncio.to_thread(_wait_for_end, process)
        receiving.close()
    if process.exitcode != 0:
        raise ReplayFailedError(f"a process of the rebuild ended with {process.exitcode}")


def _next_message(receiving: Connection) -> int | str | None:
    """A number of events, the reason of a failure, or None at the end."""
    try:
        message: int | str | None = receiving.recv()
    except EOFError:
        return None
    return message


def _wait_for_end(process: SpawnProcess) -> None:
    process.join(END_SECONDS)
    if process.exitcode is None:
        process.kill()
        process.join()


def _run_share(target: RebuildTarget, share: ReplayShare, sending: Connection) -> None:
    """The life of the process. The terminal's interrupt is for our parent, who ends us."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    configure_logs("ERROR")
    try:
        asyncio.run(replay_here(target, share, sending.send))
    except Exception as problem:  # noqa: BLE001 - whatever it is, the parent raises it
        sending.send(f"{type(problem).__name__}: {problem}")
    sending.close()


async def note_prepared(_: object) -> None:
    """The schema is there."""
