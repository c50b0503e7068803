"""The alerts topic: whoever writes there needs to know nothing of us, and nothing of theirs is lost.

aiokafka directly, not a FastStream subscriber: FastStream swallows whatever comes out of a handler or a parser (a
header that is not text is enough), and the commit of the next record then goes past it. Here an unexpected error ends
the reading with the record uncommitted (alerts_reader), and a header is as opaque as the value.
"""

import traceback
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import structlog
from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.errors import KafkaError

from tarsy_bus.client_lifecycle import start_client, stop_client
from tarsy_bus.connection import Bus, member
from tarsy_bus.dead_letters import dead_letter
from tarsy_bus.fetch_progress import FetchProgress
from tarsy_bus.outages import wait_out
from tarsy_bus.partition_reader import Record, poll
from tarsy_bus.publisher import NotWrittenError, Publisher, TooLargeError, not_written
from tarsy_bus.record_parsing import UnparsableRecord
from tarsy_bus.retries import retry
from tarsy_bus.start_positions import AssignedPartitions
from tarsy_bus.tracing import carried_traceparent
from tarsy_ingest.alert_rules import AlertRules
from tarsy_ingest.errors import IngestError
from tarsy_ingest.intake import Intake
from tarsy_ingest.metrics import BurialReason, Metrics
from tarsy_ingest.raw_alert import AlertRejectedError, AlertTooLargeError
from tarsy_ingest.record_parser import RecordPosition, read_record

log = structlog.get_logger(__name__)

POLL_MS = 1_000
MOST_RECORDS = 100


class UnparsableRecordError(IngestError):
    """A record that Kafka's client library cannot parse. The operator finds it in the dead letters."""


class AlertsTopic:
    """Offsets are committed when inbox or dead letters acknowledged all records before them."""

    def __init__(
        self,
        bus: Bus,
        publisher: Publisher,
        intake: Intake,
        rules: AlertRules,
        metrics: Metrics,
        mask: Callable[[str], str],
    ) -> None:
        self._bus = bus
        self._publisher = publisher
        self._intake = intake
        self._rules = rules
        self._metrics = metrics
        self._mask = mask

    @property
    def group(self) -> str:
        return f"{self._bus.topics.prefix}.ingest"

    async def follow(self, cluster: str, progressed: Callable[[], None]) -> None:
        """Reads until it is cancelled or fails; `progressed` is called while Kafka answers, also when nothing is new.

        Raises PositionLostError when the topic does not hold the records to go on with, else whatever went wrong.
        """
        consumer = member(self._bus, self.group)
        assigned = AssignedPartitions(consumer, may_skip=False)
        consumer.subscribe([self._bus.topics.alerts], listener=assigned)
        try:
            await start_client(consumer)
            await self._read(consumer, assigned, cluster, progressed)
        finally:
            await stop_client(consumer)

    async def _read(
        self, consumer: AIOKafkaConsumer, assigned: AssignedPartitions, cluster: str, progressed: Callable[[], None]
    ) -> None:
        fetches = FetchProgress(consumer)
        while True:
            found = await wait_out("alerts", partial(_poll, consumer, assigned))
            for partition, records in found.items():
                for record in records:
                    await self._until_handed_over(record, cluster)
                await _commit(consumer, partition, records[-1].offset + 1)
            if fetches.answered():
                progressed()

    async def _until_handed_over(self, record: Record, cluster: str) -> None:
        """An outage is waited out, however long: going on would leave the record behind."""

        def failed(problem: Exception, pause: float) -> None:
            log.warning("alert.not_written", offset=record.offset, reason=str(problem), pause_seconds=round(pause, 1))

        await retry(lambda: self._hand_over(record, cluster), passes=not_written, failed=failed)

    async def _hand_over(self, record: Record, cluster: str) -> None:
        """To the inbox, or to the dead letters.

        Raises what says nothing of the record: NotWrittenError, KafkaError, OSError.
        """
        try:
            await self._accept(record, cluster)
        except UnparsableRecordError as problem:
            await self._bury(record, str(problem), "unparsable")
        except (AlertRejectedError, TooLargeError) as problem:
            # The place of a mistake has names that the sender gave.
            too_large = isinstance(problem, AlertTooLargeError | TooLargeError)
            await self._bury(record, self._mask(str(problem)), "too_large" if too_large else "refused")
        except (NotWrittenError, KafkaError, OSError):
            raise
        except Exception as problem:  # noqa: BLE001 - a mistake in our code costs the record that found it, and no other
            # Without its message, which may repeat what strangers wrote.
            frames = "".join(traceback.format_tb(problem.__traceback__))
            log.error("alert.failed", offset=record.offset, reason=type(problem).__name__, frames=frames)
            await self._bury(record, f"TARSy itself failed on it: {type(problem).__name__}", "unforeseen")

    async def _accept(self, record: Record, cluster: str) -> None:
        if isinstance(record, UnparsableRecord):
            raise UnparsableRecordError(record.problem)
        position = RecordPosition(cluster, record.topic, record.partition, record.offset)
        cause = carried_traceparent(record.headers)
        notices = read_record(record.value, record.headers, position, self._rules)
        for notice in notices:
            if notice.raw_alert is not None:
                await self._intake.accept(notice.raw_alert, delivery_id=str(position), cause=cause)
        # After the accepts: when one of them fails, the whole record comes again.
        for notice in notices:
            if notice.raw_alert is None:
                self._metrics.count(notice.source, "resolved")

    async def _bury(self, record: Record, reason: str, kind: BurialReason) -> None:
        await dead_letter(self._publisher, record, reason)
        self._metrics.buried(kind)


async def _poll(consumer: AIOKafkaConsumer, assigned: AssignedPartitions) -> Mapping[TopicPartition, Sequence[Record]]:
    await assigned.open()
    return await poll(consumer, timeout_ms=POLL_MS, max_records=MOST_RECORDS)


async def _commit(consumer: AIOKafkaConsumer, partition: TopicPartition, offset: int) -> None:
    """A partition that was taken away meanwhile cannot be committed: its records come again, to whoever has it now."""
    try:
        await consumer.commit({partition: offset})
    except KafkaError as problem:
        log.warning("offset.not_committed", partition=partition.partition, offset=offset, reason=repr(problem))
