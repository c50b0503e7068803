"""Strange records in the topics that a new reader begins with: each that a service writes is followed by some."""

from collections.abc import Sequence

from tarsy_testing.simulation.broker import Broker, Entry

NO_RECORD: Entry = (b"nobody/7", b"rubbish", [])
NO_TOMBSTONE: Entry = (b"nobody/8", None, [])


class StrangeRecords:
    """After each write: its first record once more, the topic's first record once more, and what nobody wrote."""

    def __init__(self, broker: Broker) -> None:
        self._broker = broker
        topics = broker.topics
        self._topics = frozenset({topics.heads, topics.held, topics.catalog, topics.workers})
        self._first: dict[str, Entry] = {}
        self.written = 0

    def follow(self, topic: str, partition: int, entries: Sequence[Entry]) -> None:
        if topic not in self._topics:
            return
        oldest = self._first.setdefault(topic, entries[0])
        for entry in (entries[0], oldest, NO_RECORD, NO_TOMBSTONE):
            self._broker.append(topic, partition, [entry])
            self.written += 1
