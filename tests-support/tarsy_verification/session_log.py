"""Session logs as verification reads them: what every reader accepts, and what every reader drops."""

from collections.abc import Callable
from dataclasses import dataclass, field

from tarsy_bus.acceptance import ChainTracker
from tarsy_bus.client.connection import Bus
from tarsy_bus.readers.misplaced import SessionPartitions
from tarsy_bus.readers.partition_reader import Record, read_to_end
from tarsy_bus.readers.records import Delivery, parse_record
from tarsy_contracts import events as e
from tarsy_contracts.events import ENDINGS, OPENERS
from tarsy_contracts.events.recorded import RecordedEvent


@dataclass
class SessionLog:
    """One session. `written` are all its records, in the log's order; `accepted` those that count."""

    written: list[Delivery] = field(default_factory=list)
    accepted: list[RecordedEvent] = field(default_factory=list)
    dropped: list[Delivery] = field(default_factory=list)

    @property
    def types(self) -> list[str]:
        return [record.envelope.type for record in self.accepted]

    @property
    def ended(self) -> bool:
        """Whether its last life has: at rest a session may still get an alert again, or a refusal."""
        return next((type in ENDINGS for type in reversed(self.types) if type in ENDINGS or type in OPENERS), False)

    def events[E: e.Event](self, kind: type[E]) -> list[E]:
        return [record.event for record in self.accepted if isinstance(record.event, kind)]


def anywhere(session_id: str, record: Record) -> bool:
    """For a log of one partition."""
    return True


class LogReading:
    """Takes records of the session log from its beginning, or from before the sessions that it is asked for.

    `is_own`: whether a record lies where its session does. As every reader does, it leaves out those that do not.
    """

    def __init__(self, is_own: Callable[[str, Record], bool] = anywhere) -> None:
        self._is_own = is_own
        self.sessions: dict[str, SessionLog] = {}
        self.unreadable: list[Record] = []
        self._chains = ChainTracker()

    def take(self, record: Record) -> None:
        delivery = parse_record(record)
        if delivery is None:
            self.unreadable.append(record)
            return
        if not self._is_own(delivery.envelope.subject, record):
            return
        session = self.sessions.setdefault(delivery.envelope.subject, SessionLog())
        session.written.append(delivery)
        if self._chains.accept(delivery.mark()):
            session.accepted.append(delivery.to_recorded_event())
        else:
            session.dropped.append(delivery)


def create_log_reading(bus: Bus) -> LogReading:
    return LogReading(SessionPartitions(bus, bus.topics.sessions).is_own)


async def read_log(bus: Bus) -> LogReading:
    """The whole log, to its end as it is now."""
    reading = create_log_reading(bus)
    await read_to_end(bus, bus.topics.sessions, dict.fromkeys(range(bus.layout.log_partitions), 0), reading.take)
    return reading
