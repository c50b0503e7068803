"""Session logs as verification reads them: what every reader accepts, and what every reader drops."""

from dataclasses import dataclass, field

from tarsy_bus.acceptance import ChainTracker
from tarsy_bus.connection import Bus
from tarsy_bus.partition_reader import Record, parse_record, read_to_end
from tarsy_bus.records import Delivery
from tarsy_contracts import events as e
from tarsy_contracts.events import ENDINGS, OPENERS
from tarsy_contracts.recorded import RecordedEvent


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


class LogReading:
    """Takes records of the session log from its beginning, or from before the sessions that it is asked for."""

    def __init__(self) -> None:
        self.sessions: dict[str, SessionLog] = {}
        self.unreadable: list[Record] = []
        self._chains = ChainTracker()

    def take(self, record: Record) -> None:
        delivery = parse_record(record)
        if delivery is None:
            self.unreadable.append(record)
            return
        session = self.sessions.setdefault(delivery.envelope.subject, SessionLog())
        session.written.append(delivery)
        if self._chains.accept(delivery.mark()):
            session.accepted.append(delivery.recorded())
        else:
            session.dropped.append(delivery)


async def read_log(bus: Bus) -> LogReading:
    """The whole log, to its end as it is now."""
    reading = LogReading()
    await read_to_end(bus, bus.topics.sessions, dict.fromkeys(range(bus.layout.log_partitions), 0), reading.take)
    return reading
