"""Ledger of spendings: what the questions of a day used, in the partitions of all owners, and the prices of now."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta

import structlog

from tarsy_bus.client.publisher import NotWrittenError, Publisher
from tarsy_bus.readers.day_spendings import DaySpendings
from tarsy_bus.readers.partition_reader import Record
from tarsy_config.config import Config
from tarsy_contracts import events as e
from tarsy_contracts.budgets import NOTHING_SPENT, Charge, find_day
from tarsy_contracts.conversation import Usage
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_contracts.messages.spending import DaySpent, ScopeSpent, key_of_spending
from tarsy_contracts.prices import NO_PRICES
from tarsy_contracts.wire.ids import report_id
from tarsy_session.decision_input import NO_SPENDINGS, Spendings

log = structlog.get_logger(__name__)

KEPT = timedelta(days=7)
PAUSE_SECONDS = 1.0
MOST_UNCOUNTED = 10_000
"""Events without a charge after which the position is published again, so that a new owner has few to read."""


class SpendingLedger:
    """A charge is a fact of the session log. The owner of a partition publishes its sums, and reads those of all.

    A new owner begins with the sums of the one before, which say how far in the log they go, and adds what lies behind.
    """

    def __init__(self, now: Callable[[], datetime], config: Callable[[], Config]) -> None:
        self._now = now
        self._config = config
        self._priced: Config | None = None
        self._models: Mapping[str, str] = {}
        self._prices = NO_PRICES
        self._days = DaySpendings()
        self._spendings = NO_SPENDINGS
        self._changed = True
        self._unpublished: set[tuple[int, str]] = set()
        self._wake = asyncio.Event()

    def note(self, partition: int, record: RecordedEvent) -> None:
        """Takes an accepted event of a partition of ours, as it was read back. One that was counted counts no more."""
        charges = list(_charges(record.event))
        if not charges:
            self._move_on(partition, record.offset)
        for day in dict.fromkeys(day for day, *_ in charges):
            known = self._days.find_or_add(day, partition)
            if record.offset < known.next:
                continue
            for _, scope, usage, charge in (one for one in charges if one[0] == day):
                known.spent[scope] = known.spent.get(scope, NOTHING_SPENT).add(usage, charge)
            self._move(partition, day, record.offset + 1)

    def take(self, record: Record) -> bool:
        """Returns whether the record of the catalog has spendings. One that cannot be read changes nothing."""
        taken = self._days.take(record)
        self._changed = self._changed or taken
        return taken

    def next_of(self, partition: int) -> int | None:
        """The offset of the log that is counted next; None where nothing has been counted."""
        return max((known.next for known in self._days.partitions.get(partition, {}).values()), default=None)

    def begin(self, partition: int, position: int) -> None:
        """Says that a partition of ours is counted up to here, if days have budgets: the next owner may have to read
        the log from here, as we may die before we publish the first sum."""
        budgets, counted = self._config().system.budgets, self.next_of(partition)
        if budgets.limits_days and (counted is None or counted < position):
            days = self._days.partitions.get(partition)
            self._move(partition, max(days) if days else find_day(self._now(), budgets.time_zone), position)

    def spendings(self) -> Spendings:
        config = self._config()
        if config is not self._priced:
            self._priced, self._prices = config, config.model_prices
            self._models = {name: one.model for name, one in config.llm_providers.items() if one.model}
            self._changed = True
        if self._changed:
            self._spendings = Spendings(self._prices, self._models, self._days.sum_scopes())
            self._changed = False
        return self._spendings

    async def publish_spendings(self, publisher: Publisher, pause_seconds: float = PAUSE_SECONDS) -> None:
        """Writes what was used here, for ever; and forgets days that are long over."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            for partition in sorted({partition for partition, _ in self._unpublished}):
                await self._publish(publisher, partition)
            await self._end_old_days(publisher)
            await asyncio.sleep(pause_seconds)
            if self._unpublished:
                self._wake.set()

    async def _publish(self, publisher: Publisher, partition: int) -> None:
        """Writes the sums of one moment, the one that goes farthest in the log last: whatever is written when we die,
        the next owner finds the rest behind the largest `next`."""
        days = {day for number, day in self._unpublished if number == partition}
        self._unpublished -= {(partition, day) for day in days}
        waiting = sorted((self._compose_sums(day, partition) for day in days), key=lambda sums: sums.next)
        try:
            while waiting:
                await _write(publisher, waiting[0])
                waiting.pop(0)
        except NotWrittenError as problem:
            self._unpublished |= {(partition, sums.day) for sums in waiting}
            log.warning("spending_ledger.not_written", partition=partition, reason=str(problem))

    def _compose_sums(self, day: str, partition: int) -> DaySpent:
        known = self._days.find_or_add(day, partition)
        scopes = tuple(ScopeSpent(scope=scope, spending=spent) for scope, spent in sorted(known.spent.items()))
        return DaySpent(day=day, partition=partition, next=known.next, scopes=scopes)

    async def _end_old_days(self, publisher: Publisher) -> None:
        """By the broker's clock: one of ours that is wrong must not end a day that goes on. The latest day of a
        partition says how far its log is counted, and stays."""
        if self._days.newest is None:
            return
        oldest = (self._days.newest - KEPT).date().isoformat()
        for day, partition in self._list_days_before(oldest):
            try:
                key = key_of_spending(day, partition)
                await publisher.write(publisher.topics.catalog, key=key.encode(), value=None, headers=[])
            except NotWrittenError as problem:
                log.warning("spending_ledger.not_ended", partition=partition, reason=str(problem))
            else:
                self._days.partitions[partition].pop(day, None)
                self._changed = True

    def _list_days_before(self, oldest: str) -> Sequence[tuple[str, int]]:
        days = self._days.partitions.items()
        return [(day, number) for number, known in days for day in known if day < oldest and day != max(known)]

    def _move_on(self, partition: int, offset: int) -> None:
        """Nothing happens where no day has ever been counted."""
        if days := self._days.partitions.get(partition):
            day = max(days)
            if offset - days[day].next > MOST_UNCOUNTED:
                self._move(partition, day, offset + 1)

    def _move(self, partition: int, day: str, next_offset: int) -> None:
        self._days.find_or_add(day, partition).next = next_offset
        self._unpublished.add((partition, day))
        self._changed = True
        self._wake.set()


async def _write(publisher: Publisher, sums: DaySpent) -> None:
    """Raises NotWrittenError."""
    key = key_of_spending(sums.day, sums.partition)
    id = report_id(sums.type, sums.day, sums.partition, sums.next)
    await publisher.publish(publisher.topics.catalog, sums, key=key, id=id, subject=key)


def _charges(event: e.Event | None) -> Iterator[tuple[str, str, Usage, Charge]]:
    """Yields what counts to the budgets of a day: the day, the scope, and the question."""
    match event:
        case e.LlmCallCompleted() | e.LlmCallFailed():
            asked = [(event.usage, event.charge)]
        case e.SummaryCompleted() | e.SummaryFailed():
            asked = [(one.usage, one.charge) for one in event.attempts]
        case _:
            return
    for usage, charge in asked:
        if charge is not None and charge.day:
            yield from ((charge.day, scope, usage, charge) for scope in charge.scopes)
