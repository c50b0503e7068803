"""Index of the dead letters: each letter once, however often it was buried, and whether it was re-driven."""

from collections.abc import Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace

from tarsy_bus.client.connection import Bus
from tarsy_bus.dead_letters.parsing import Burial, Redrive, parse_dead_letter
from tarsy_bus.readers.partition_reader import PartitionReader, Record

MOST_LETTERS = 100_000
"""Letters kept in memory. The oldest go first."""
REASON_CHARACTERS = 200
"""The whole reason lies in Kafka."""


@dataclass(frozen=True, slots=True)
class LastRedrive:
    """`attempt`: the highest burial that was re-driven."""

    attempt: int
    at_ms: int
    by: str


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """`first`: the burial whose bytes are the original's. `last`: the latest, whose reason counts."""

    id: str
    first: Burial
    last: Burial
    redriven: LastRedrive | None = None

    @property
    def waits(self) -> bool:
        """It was never re-driven, or failed again. The order of marker and burial does not matter."""
        return self.redriven is None or self.last.attempt > self.redriven.attempt


class DeadLetterIndex:
    """Positions and reasons only: the bodies stay in Kafka. `cluster` is part of each letter's id."""

    def __init__(self, cluster: str, most: int = MOST_LETTERS) -> None:
        self.cluster = cluster
        self._most = most
        self.clear()

    def clear(self) -> None:
        """Forgets everything: the next refresh reads all of the topic."""
        self._burials: dict[str, tuple[Burial, Burial]] = {}
        self._redriven: dict[str, LastRedrive] = {}
        self._words: dict[str, str] = {}
        self._read_to: dict[int, int] = {}
        self.forgotten = 0

    def get(self, id: str) -> DeadLetter | None:
        found = self._burials.get(id)
        return None if found is None else DeadLetter(id, *found, self._redriven.get(id))

    def newest_first(self) -> Iterator[DeadLetter]:
        """By the time of their first burial."""
        for id, (first, last) in sorted(self._burials.items(), key=_age_key, reverse=True):
            yield DeadLetter(id, first, last, self._redriven.get(id))

    def take(self, record: Record) -> None:
        self._read_to[record.partition] = record.offset + 1
        match parse_dead_letter(record):
            case Burial() as burial:
                self._add_burial(burial)
            case Redrive() as redrive:
                self._add_redrive(redrive)
            case None:
                return

    def _add_burial(self, burial: Burial) -> None:
        reason = self._intern(burial.reason[:REASON_CHARACTERS])
        burial = replace(burial, topic=self._intern(burial.topic), service=self._intern(burial.service), reason=reason)
        id = burial.id(self.cluster)
        first, last = self._burials.get(id, (burial, burial))
        self._burials[id] = min(first, burial, key=_burial_order), max(last, burial, key=_burial_order)
        if len(self._burials) > self._most:
            self._drop_letter(next(iter(self._burials)))
            self.forgotten += 1

    def _add_redrive(self, redrive: Redrive) -> None:
        """The burial may lie in another partition, and be read later."""
        marker = redrive.marker
        known = self._redriven.get(marker.letter_id)
        if known is None and len(self._redriven) >= self._most:
            return
        if known is None or marker.attempt >= known.attempt:
            by = self._intern(marker.author)
            self._redriven[marker.letter_id] = LastRedrive(marker.attempt, redrive.at_ms, by)

    def _drop_letter(self, id: str) -> None:
        del self._burials[id]
        self._redriven.pop(id, None)

    def _intern(self, text: str) -> str:
        """The same text once: reasons repeat."""
        if len(self._words) > self._most:
            self._words.clear()
        return self._words.setdefault(text, text)

    async def refresh(self, bus: Bus) -> None:
        """Reads on to the end as it is now; at the first time all of the topic. Raises KafkaError.

        The caller makes one at a time. A topic that was made anew is read anew.
        """
        async with PartitionReader(bus, bus.topics.dead_letters).running() as reader:
            numbers = await reader.partitions()
            firsts, ends = await reader.firsts(numbers), await reader.ends(numbers)
            if any(self._read_to.get(number, 0) > ends[number] for number in numbers):
                self.clear()
            self._drop_deleted(firsts)
            starts = {number: max(self._read_to.get(number, 0), firsts[number]) for number in numbers}
            async with aclosing(reader.between(starts, ends)) as found:
                async for records in found:
                    for record in records:
                        self.take(record)

    def _drop_deleted(self, firsts: Mapping[int, int]) -> None:
        """Retention deletes the oldest records."""

        def is_gone(burial: Burial) -> bool:
            return burial.offset < firsts.get(burial.partition, 0)

        for id, (first, last) in list(self._burials.items()):
            if is_gone(last):
                self._drop_letter(id)
            elif is_gone(first):
                self._burials[id] = last, last


def _burial_order(burial: Burial) -> tuple[int, int, int, int]:
    return burial.attempt, burial.buried_ms, burial.partition, burial.offset


def _age_key(entry: tuple[str, tuple[Burial, Burial]]) -> tuple[int, str]:
    id, (first, _) = entry
    return first.buried_ms, id
