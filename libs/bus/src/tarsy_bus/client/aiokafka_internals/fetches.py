"""Fetches of a consumer, with a parser of our own for what they bring."""

from collections.abc import Callable, Iterable, Iterator
from types import FunctionType

from aiokafka import AIOKafkaConsumer, ConsumerRecord, TopicPartition
from aiokafka.client import ConnectionGroup
from aiokafka.consumer.fetcher import Fetcher, PartitionRecords
from aiokafka.consumer.subscription_state import Assignment
from aiokafka.record.default_records import DefaultRecordBatch
from aiokafka.record.legacy_records import LegacyRecordBatch
from aiokafka.record.util import decode_varint

from tarsy_bus.client.aiokafka_internals.inner_client import copy_with_names

__all__ = ["DefaultRecordBatch", "FetchedRecords", "LegacyRecordBatch", "decode_varint", "start_with_parser"]


class FetchedRecords(PartitionRecords):  # type: ignore[misc] # aiokafka is untyped
    """The records of a partition in one fetch. aiokafka has no public name for its parts."""

    next_fetch_offset: int

    @property
    def place(self) -> TopicPartition:
        return self._tp

    @property
    def batches(self) -> Iterable[bytes]:
        found: Iterable[bytes] = self._records
        return found

    def parse(self) -> Iterator[ConsumerRecord[bytes, bytes]]:
        raise NotImplementedError

    def record_of(self, parsed: object) -> ConsumerRecord[bytes, bytes]:
        """The record that a consumer hands out, of one that a batch of aiokafka has parsed."""
        return self._consumer_record(self._tp, parsed)

    def _unpack_records(self) -> Iterator[ConsumerRecord[bytes, bytes]]:
        return self.parse()


def start_with_parser(batches: Callable[[bytes], Iterable[bytes]], records: type[FetchedRecords]) -> FunctionType:
    """The `start` of a consumer whose fetches are cut into batches and parsed by these."""
    fetch = copy_with_names(Fetcher._proc_fetch_request, MemoryRecords=batches, PartitionRecords=records)

    async def fetch_for_assignment(fetcher: Fetcher, assignment: Assignment, node_id: int, request: object) -> bool:
        """A fetch of partitions that were taken away is not waited for: the next one would be answered after it."""
        has_records: bool = await fetch(fetcher, assignment, node_id, request)
        if not assignment.active:
            _drop_waiting_requests(fetcher, node_id)
        return has_records

    fetcher = type("TolerantFetcher", (Fetcher,), {"_proc_fetch_request": fetch_for_assignment})
    return copy_with_names(AIOKafkaConsumer.start, Fetcher=fetcher)


def _drop_waiting_requests(fetcher: Fetcher, node_id: int) -> None:
    """Closes the connection on which a request waits for its answer: a broker answers one after the other."""
    connection = fetcher._client._conns.get((node_id, ConnectionGroup.DEFAULT))
    if connection is not None and connection._requests:
        connection.close()
