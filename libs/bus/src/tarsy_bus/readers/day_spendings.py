"""Reader of the spendings of days, beside the servers in the catalog: one record for each day and partition."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from tarsy_bus.readers.partition_reader import Record
from tarsy_bus.readers.records import append_time, parse_message
from tarsy_contracts.budgets import NOTHING_SPENT, Spending, sum_spendings
from tarsy_contracts.messages.spending import SPENDING_KEY, DaySpent, parse_spending_key

KINDS = {DaySpent.type: DaySpent}


@dataclass(slots=True)
class PartitionDay:
    """Spendings of a partition's sessions in a day, by scope, of the log up to before the offset `next`."""

    spent: dict[str, Spending] = field(default_factory=dict)
    next: int = 0


class DaySpendings:
    """Sums by partition and day. `newest`: the latest stamp of the broker on such a record."""

    def __init__(self) -> None:
        self.partitions: dict[int, dict[str, PartitionDay]] = {}
        self.newest: datetime | None = None

    def take(self, record: Record) -> bool:
        """Returns whether the record of the catalog has spendings. One that cannot be read changes nothing."""
        key = record.key or b""
        if not key.startswith(SPENDING_KEY.encode()):
            return False
        if record.value is None:
            self._end_day(key)
        elif (read := parse_message(record, KINDS, "day_spendings.unreadable")) is not None:
            at = append_time(record)
            self.newest = at if self.newest is None else max(self.newest, at)
            known = self.find_or_add(read.day, read.partition)
            if read.next > known.next:
                known.next, known.spent = read.next, {one.scope: one.spending for one in read.scopes}
        return True

    def find_or_add(self, day: str, partition: int) -> PartitionDay:
        return self.partitions.setdefault(partition, {}).setdefault(day, PartitionDay())

    def sum_scopes(self) -> Mapping[tuple[str, str], Spending]:
        """Returns what all partitions have used, by day and scope."""
        found: dict[tuple[str, str], list[Spending]] = {}
        for days in self.partitions.values():
            for day, known in days.items():
                for scope, spent in known.spent.items():
                    found.setdefault((day, scope), []).append(spent)
        return {key: sum_spendings(spent) for key, spent in found.items()}

    def of_day(self, day: str, scope: str) -> Spending:
        days = [known[day] for known in self.partitions.values() if day in known]
        return sum_spendings(one.spent.get(scope, NOTHING_SPENT) for one in days)

    def _end_day(self, key: bytes) -> None:
        if (found := parse_spending_key(key)) is not None:
            day, partition = found
            self.partitions.get(partition, {}).pop(day, None)
