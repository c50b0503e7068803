"""Ledger of spendings: what the questions of a day used, in the partitions of all owners, and the prices of now."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import structlog

from tarsy_bus.client.publisher import NotWrittenError, Publisher
from tarsy_bus.readers.partition_reader import Record
from tarsy_bus.readers.records import parse_message
from tarsy_config.config import Config
from tarsy_contracts import events as e
from tarsy_contracts.budgets import NOTHING_SPENT, Charge, Spending, sum_spendings
from tarsy_contracts.conversation import Usage
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_contracts.messages.spending import SPENDING_KEY, DaySpent, ScopeSpent, key_of_spending
from tarsy_contracts.prices import NO_PRICES
from tarsy_contracts.wire.ids import report_id
from tarsy_session.decision_input import Spendings

log = structlog.get_logger(__name__)

KINDS = {DaySpent.type: DaySpent}
KEPT = timedelta(days=7)
PAUSE_SECONDS = 1.0


@dataclass(slots=True)
class _Day:
    """Spendings of a partition's sessions in a day, by scope, of the log up to before the offset `next`."""

    spent: dict[str, Spending] = field(default_factory=dict)
    next: int = 0


class SpendingLedger:
    """A charge is a fact of the session log. The owner of a partition publishes its sums, and reads those of all.

    A new owner begins with the sums of the one before, which say how far in the log they go, and adds what lies behind.
    """

    def __init__(self, now: Callable[[], datetime], config: Callable[[], Config]) -> None:
        self._now = now
        self._config = config
        self._priced: Config | None = None
        self._prices = NO_PRICES
        self._models: Mapping[str, str] = {}
        self._days: dict[tuple[str, int], _Day] = {}
        self._unpublished: set[tuple[str, int]] = set()
        self._wake = asyncio.Event()

    def note(self, partition: int, record: RecordedEvent) -> None:
        """Takes an accepted event of a partition of ours, as it was read back. One that was counted counts no more."""
        for day, scope, usage, charge in _charges(record.event):
            known = self._days.setdefault((day, partition), _Day())
            if record.offset < known.next:
                continue
            known.spent[scope] = known.spent.get(scope, NOTHING_SPENT).add(usage, charge)
            self._unpublished.add((day, partition))
            self._wake.set()
        for day in {day for day, *_ in _charges(record.event)}:
            known = self._days[day, partition]
            known.next = max(known.next, record.offset + 1)

    def take(self, record: Record) -> bool:
        """Returns whether the record of the catalog has spendings. One that cannot be read changes nothing."""
        if not (record.key or b"").startswith(SPENDING_KEY.encode()):
            return False
        read = None if record.value is None else parse_message(record, KINDS, "spending_ledger.unreadable")
        if read is not None:
            known = self._days.setdefault((read.day, read.partition), _Day())
            if read.next > known.next:
                known.next, known.spent = read.next, {one.scope: one.spending for one in read.scopes}
        return True

    def next_of(self, partition: int) -> int | None:
        """The offset of the log that is counted next; None where nothing has been counted."""
        return max((known.next for (_, number), known in self._days.items() if number == partition), default=None)

    def spendings(self) -> Spendings:
        self._read_prices()
        days: dict[tuple[str, str], Spending] = {}
        for (day, _), known in self._days.items():
            for scope, spent in known.spent.items():
                days[day, scope] = sum_spendings((days.get((day, scope), NOTHING_SPENT), spent))
        return Spendings(self._prices, self._models, days)

    async def publish_spendings(self, publisher: Publisher, pause_seconds: float = PAUSE_SECONDS) -> None:
        """Writes what was used here, for ever; and forgets days that are long over."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            for key in sorted(self._unpublished):
                await self._publish(publisher, *key)
            await self._end_old_days(publisher)
            await asyncio.sleep(pause_seconds)
            if self._unpublished:
                self._wake.set()

    async def _publish(self, publisher: Publisher, day: str, partition: int) -> None:
        self._unpublished.discard((day, partition))
        known, key = self._days[day, partition], key_of_spending(day, partition)
        scopes = tuple(ScopeSpent(scope=scope, spending=spent) for scope, spent in sorted(known.spent.items()))
        sums = DaySpent(day=day, partition=partition, next=known.next, scopes=scopes)
        try:
            id = report_id(sums.type, day, partition, known.next)
            await publisher.publish(publisher.topics.catalog, sums, key=key, id=id, subject=key)
        except NotWrittenError as problem:
            self._unpublished.add((day, partition))
            log.warning("spending_ledger.not_written", partition=partition, reason=str(problem))

    async def _end_old_days(self, publisher: Publisher) -> None:
        oldest = (self._now() - KEPT).date().isoformat()
        for day, partition in [key for key in self._days if key[0] < oldest]:
            try:
                key = key_of_spending(day, partition)
                await publisher.write(publisher.topics.catalog, key=key.encode(), value=None, headers=[])
            except NotWrittenError as problem:
                log.warning("spending_ledger.not_ended", partition=partition, reason=str(problem))
            else:
                del self._days[day, partition]

    def _read_prices(self) -> None:
        config = self._config()
        if config is self._priced:
            return
        self._priced = config
        self._prices = config.model_prices
        self._models = {name: one.model for name, one in config.llm_providers.items() if one.model}


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
