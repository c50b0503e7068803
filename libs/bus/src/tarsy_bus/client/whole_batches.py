"""Reading whole record batches: for a topic of so many small records that an object for each costs too much."""

from collections.abc import Iterator
from dataclasses import dataclass

from aiokafka import ConsumerRecord, TopicPartition

from tarsy_bus.client.aiokafka_internals.fetches import start_with_parser
from tarsy_bus.client.record_parsing import FRAME, Batches, KafkaRecord, TolerantRecords, plain_batch
from tarsy_bus.client.tolerant_consumer import TolerantConsumer

GATHERED_BYTES = 256 * 1024
"""A batch may hold a single record: so much of them is handed out in one piece."""


@dataclass
class WholeBatches(ConsumerRecord[bytes, bytes]):  # type: ignore[misc] # aiokafka is untyped
    """Stands for all records of some batches; its offset is that of the last. `plain`: each without compression.

    A reader that ends at an offset takes it if `first_offset` lies below, although its last records may lie behind.
    """

    first_offset: int
    plain: list[bytes]
    raw: list[bytes]

    def records(self, number: int) -> Iterator[KafkaRecord]:
        """The records of one of them, as other consumers get them."""
        topic_partition = TopicPartition(self.topic, self.partition)
        return iter(TolerantRecords(topic_partition, Batches(self.raw[number]), [], 0, None, None, True, 0))


class BatchRecords(TolerantRecords):
    """Records of one fetch, some batches at a time. Damaged batches and old formats are parsed record by record."""

    def parse(self) -> Iterator[KafkaRecord]:
        plain: list[bytes] = []
        raws: list[bytes] = []
        size, last = 0, -1
        for raw in self.batches:
            found = plain_batch(raw)
            if found is not None:
                one, last = found
                plain.append(one)
                raws.append(raw)
                size += len(one)
            if plain and (found is None or size >= GATHERED_BYTES):
                yield self._join_batches(plain, raws, last)
                plain, raws, size = [], [], 0
            if found is None:
                yield from self._records_of(raw)
        if plain:
            yield self._join_batches(plain, raws, last)

    def _join_batches(self, plain: list[bytes], raw: list[bytes], last: int) -> WholeBatches:
        self.next_fetch_offset = max(self.next_fetch_offset, last + 1)
        nothing = (0, 1, None, None, None, -1, -1, ())
        first, _ = FRAME.unpack_from(raw[0])
        position = (self.place.topic, self.place.partition, last)
        return WholeBatches(*position, *nothing, first_offset=first, plain=plain, raw=raw)


class BatchConsumer(TolerantConsumer):
    """Its `getmany` returns WholeBatches, where they can be read."""

    start = start_with_parser(Batches, BatchRecords)
