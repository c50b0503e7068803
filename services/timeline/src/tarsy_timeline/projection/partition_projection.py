"""Projection of one partition of the session log: records become rows, and the checkpoint moves with them."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from tarsy_bus.acceptance import ChainLink, find_last_before_kept_life
from tarsy_bus.log.head_store import HeadStore, find_first_kept
from tarsy_bus.log.recent_chains import RecentChains
from tarsy_bus.pacing import Pacer
from tarsy_bus.readers.partition_reader import Record, refuse_damaged
from tarsy_bus.readers.records import Delivery, parse_record
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_timeline.projection.checkpoint import ProjectionCheckpoint
from tarsy_timeline.projection.resilient_writer import ResilientWriter

type Publish = Callable[[Sequence[RecordedEvent]], Awaitable[None]]


async def publish_nothing(records: Sequence[RecordedEvent]) -> None:
    """For who projects what others publish."""


@dataclass(frozen=True, slots=True)
class Projected:
    """One batch: the events that count, and how many records continue no chain."""

    accepted: Sequence[RecordedEvent]
    dropped: int


class PartitionProjection:
    """`position` is where the projection stands; of sessions that came lately it remembers what was accepted below."""

    def __init__(
        self,
        number: int,
        position: int,
        checkpoint: ProjectionCheckpoint,
        writer: ResilientWriter,
        heads: HeadStore | None = None,
        publish: Publish = publish_nothing,
    ) -> None:
        """`heads`, where the log no longer has its beginning: they have where the first life of a session begins.

        `publish` gets what counts before the position moves: a crash between the two publishes it again.
        """
        self.position = position
        self._heads = heads
        self._number = number
        self._checkpoint = checkpoint
        self._writer = writer
        self._publish = publish
        self._chains = RecentChains()

    async def publish_and_write(self, records: Sequence[Record]) -> Projected:
        """One batch, one transaction. Records below the position are passed over.

        Raises PositionMovedError or LogMismatchError, what is_of_the_database, or what `publish` raises. After any of
        them this projection is of no use: the chains have moved, and the position may have.
        """
        fresh = [record for record in records if record.offset >= self.position]
        if not fresh:
            return Projected((), 0)
        # Offsets may be missing: a stranger's transaction leaves marks that nobody is given. Deleted records
        # are an error of the consumer: it never jumps.
        refuse_damaged(fresh)
        deliveries = [delivery for raw in fresh if (delivery := parse_record(raw)) is not None]
        await self._learn_last_events(deliveries)
        accepted = await self._select_accepted(deliveries)
        end = fresh[-1].offset + 1
        await self._publish(accepted)
        await self._writer.write(self._number, self.position, end, accepted)
        self.position = end
        return Projected(accepted, dropped=len(fresh) - len(accepted))

    async def _learn_last_events(self, deliveries: Sequence[Delivery]) -> None:
        """Reads from the checkpoint the last events of sessions that did not come lately."""
        self._chains.forget_old()
        missing = self._chains.select_missing(delivery.envelope.subject for delivery in deliveries)
        if missing:
            self._chains.learn(missing, await self._checkpoint.last_events(self._number, missing))

    async def _select_accepted(self, deliveries: Sequence[Delivery]) -> list[RecordedEvent]:
        pacer = Pacer()
        accepted = []
        for one in deliveries:
            mark = one.mark()
            if self._heads is not None:
                self._begin_kept_life(self._heads, mark)
            if self._chains.accept(mark):
                accepted.append(one.to_recorded_event())
                await pacer.let_others_run()
        return accepted

    def _begin_kept_life(self, heads: HeadStore, mark: ChainLink) -> None:
        """The lives before it were deleted, and are no longer on the log."""
        before = find_last_before_kept_life(mark)
        if before is None or self._chains.last(mark.session_id) is not None:
            return
        head = heads.get(mark.session_id)
        if head is not None and find_first_kept(head) == mark.offset:
            self._chains.learn([mark.session_id], {mark.session_id: before})
