"""An aiokafka consumer that passes over what it cannot parse, and never jumps to another offset."""

from collections.abc import Mapping

import structlog
from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.errors import NoOffsetForPartitionError, OffsetOutOfRangeError

from tarsy_bus.acceptance import LogMismatchError
from tarsy_bus.client.aiokafka_internals.cluster_metadata import pace_metadata
from tarsy_bus.client.aiokafka_internals.connections import share_connections
from tarsy_bus.client.aiokafka_internals.fetches import start_with_parser
from tarsy_bus.client.broker_connections import BrokerConnections
from tarsy_bus.client.record_parsing import Batches, KafkaRecord, TolerantRecords, UnparsableRecord
from tarsy_bus.metrics import Unparsable

log = structlog.get_logger(__name__)

LOOK_MS = 5_000
"""aiokafka's fetcher looks at all its partitions five times a second, though whatever concerns it wakes it."""


class PositionLostError(LogMismatchError):
    """A partition does not hold (any longer) the offset where reading should go on. `places` says which."""

    def __init__(self, topic_partitions: Mapping[TopicPartition, int | None]) -> None:
        self.places = dict(topic_partitions)
        lost = ", ".join(
            f"{topic_partition.topic} partition {topic_partition.partition} at {at}"
            for topic_partition, at in topic_partitions.items()
        )
        super().__init__(
            f"reading cannot go on in {lost}: the records there were deleted before they were read, the topic was made "
            "anew, or it is another cluster's"
        )


class TolerantConsumer(AIOKafkaConsumer):  # type: ignore[misc]
    """Unparsable records come as UnparsableRecord; `unparsable` is told the topic of each."""

    start = start_with_parser(Batches, TolerantRecords)

    def __init__(self, *, unparsable: Unparsable, connections: BrokerConnections, **settings: object) -> None:
        super().__init__(consumer_timeout_ms=LOOK_MS, **settings)
        pace_metadata(self)
        share_connections(self, connections)
        self._unparsable = unparsable

    async def getmany(
        self, *partitions: TopicPartition, timeout_ms: int = 0, max_records: int | None = None
    ) -> dict[TopicPartition, list[KafkaRecord]]:
        """Raises PositionLostError; what was read before comes first."""
        try:
            found: dict[TopicPartition, list[KafkaRecord]] = await super().getmany(
                *partitions, timeout_ms=timeout_ms, max_records=max_records
            )
        except OffsetOutOfRangeError as problem:
            raise PositionLostError(problem.args[0]) from problem
        except NoOffsetForPartitionError as problem:
            raise PositionLostError({problem.args[0]: None}) from problem
        for records in found.values():
            for record in records:
                if isinstance(record, UnparsableRecord):
                    self._log_unparsable(record)
        return found

    def _log_unparsable(self, record: UnparsableRecord) -> None:
        log.warning(
            "record.unparsable",
            topic=record.topic,
            partition=record.partition,
            first_offset=record.first_offset,
            offset=record.offset,
            reason=record.problem,
        )
        self._unparsable(record.topic)
