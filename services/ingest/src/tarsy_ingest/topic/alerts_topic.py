"""The alerts topic: its writers need to know nothing of TARSy, and no record is lost.

An unexpected error ends the reading with the record uncommitted (alerts_reader). A header is as opaque as the value.
"""

import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import structlog
from aiokafka.errors import KafkaError

from tarsy_bus.client.connection import Bus
from tarsy_bus.client.publisher import NotWrittenError, Publisher, TooLargeError, was_not_written
from tarsy_bus.client.record_parsing import UnparsableRecord
from tarsy_bus.dead_letters.burial import dead_letter_until_written
from tarsy_bus.queues.group_consumer import GroupConsumer
from tarsy_bus.queues.group_subscriber import subscribe
from tarsy_bus.readers.partition_reader import Record
from tarsy_bus.retries import retry
from tarsy_bus.tracing import read_traceparent
from tarsy_ingest.alert_rules import AlertRules
from tarsy_ingest.errors import IngestError
from tarsy_ingest.formats.alert_format import Notice
from tarsy_ingest.intake.alert_intake import Intake
from tarsy_ingest.metrics import BurialReason, Metrics
from tarsy_ingest.raw_alert import (
    AlertRejectedError,
    AlertResolution,
    AlertTooLargeError,
    RawAlert,
    RejectedAlert,
)
from tarsy_ingest.topic.record_parser import RecordPosition, read_record

log = structlog.get_logger(__name__)


class UnparsableRecordError(IngestError):
    """A record that Kafka's client library cannot parse. The operator finds it in the dead letters."""


@dataclass(frozen=True, slots=True)
class RecordNotices:
    """The notices of one record, and what it was recognised as. `cause` is the sender's `traceparent`."""

    position: RecordPosition
    recognised: str
    notices: Sequence[Notice]
    cause: str | None


class AlertsTopic:
    """Offsets are committed when inbox or dead letters acknowledged all records before them.

    `rules`: those that hold now.
    """

    def __init__(
        self,
        bus: Bus,
        publisher: Publisher,
        intake: Intake,
        rules: Callable[[], AlertRules],
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

    async def follow(self, cluster: str, opened: Callable[[], None], progressed: Callable[[], None]) -> None:
        """Reads until it is cancelled or fails. `opened` is called when it is known where reading begins, `progressed`
        while Kafka answers, also when nothing is new.

        Raises PositionLostError when the topic does not hold the records to go on with, else whatever went wrong.
        """

        def decode(record: Record) -> RecordNotices:
            return self._read_notices(record, cluster)

        async def hand_over(found: RecordNotices) -> None:
            await self._hand_over(found, progressed)

        # Commits wait for nothing here: after a crash few alerts are sent to the inbox again.
        topic = self._bus.topics.alerts
        consumer = GroupConsumer(
            self._bus, topic, self.group, may_skip=False, commit_seconds=0.0, opened=opened, heartbeat=progressed
        )
        await subscribe(consumer, decode=decode, handler=hand_over, refuse=self._bury_or_raise)

    def _read_notices(self, record: Record, cluster: str) -> RecordNotices:
        """Raises UnparsableRecordError, AlertRejectedError or AlertTooLargeError."""
        if isinstance(record, UnparsableRecord):
            raise UnparsableRecordError(record.problem)
        position = RecordPosition.of(record, cluster)
        read = read_record(record.value, record.headers, position, self._rules())
        return RecordNotices(position, read.recognised, read.notices, read_traceparent(record.headers))

    async def _hand_over(self, found: RecordNotices, progressed: Callable[[], None]) -> None:
        """While as many sessions wait as may, the record stays where it is, and so do those behind it."""
        at = found.position
        log.info("alerts_topic.recognised", partition=at.partition, offset=at.offset, format=found.recognised)
        for notice in found.notices:
            if isinstance(notice.alert, RawAlert):
                await self._intake.wait_for_capacity(notice.alert, progressed)
            if isinstance(notice.alert, RawAlert | AlertResolution):
                await self._submit_until_written(notice.alert, found)
        # After the alerts: when one of them fails, the whole record comes again.
        for notice in found.notices:
            if isinstance(notice.alert, AlertResolution):
                self._metrics.count(notice.source, "resolved")
            elif notice.alert is None:
                self._metrics.count(notice.source, "ignored")
        # The dead letters tell of the wrong ones: re-driven, the others meet their sessions.
        if wrong := [m for one in found.notices if isinstance(one.alert, RejectedAlert) for m in one.alert.mistakes]:
            raise AlertRejectedError(*wrong)

    async def _submit_until_written(self, alert: RawAlert | AlertResolution, found: RecordNotices) -> None:
        """An outage is waited out, however long: going on would leave the record behind. Raises TooLargeError."""

        def failed(problem: Exception, pause: float) -> None:
            offset, reason = found.position.offset, str(problem)
            log.warning("alert.not_written", offset=offset, reason=reason, pause_seconds=round(pause, 1))

        async def write() -> None:
            match alert:
                case RawAlert():
                    await self._intake.accept(alert, delivery_id=str(found.position), cause=found.cause)
                case AlertResolution():
                    await self._intake.report_resolution(alert)

        await retry(write, passes=was_not_written, failed=failed)

    async def _bury_or_raise(self, record: Record, problem: Exception) -> None:
        """Raises what says nothing of the record: NotWrittenError, KafkaError, OSError."""
        match problem:
            case UnparsableRecordError():
                await self._bury_record(record, str(problem), "unparsable")
            case AlertRejectedError() | TooLargeError():
                # The place of a mistake has names that the sender gave.
                too_large = isinstance(problem, AlertTooLargeError | TooLargeError)
                await self._bury_record(record, self._mask(str(problem)), "too_large" if too_large else "refused")
            case NotWrittenError() | KafkaError() | OSError():
                raise problem
            case _:
                # A mistake in our code costs the record that found it, and no other.
                # Leaves out its message, which may repeat untrusted text.
                frames = "".join(traceback.format_tb(problem.__traceback__))
                log.error("alert.failed", offset=record.offset, reason=type(problem).__name__, frames=frames)
                await self._bury_record(record, f"TARSy itself failed on it: {type(problem).__name__}", "unforeseen")

    async def _bury_record(self, record: Record, reason: str, kind: BurialReason) -> None:
        await dead_letter_until_written(self._publisher, record, reason)
        self._metrics.count_buried(kind)
