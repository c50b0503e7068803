"""The session log as tests look at it: what was written, what of it counts, and what story it tells."""

from dataclasses import dataclass, field

from tarsy_bus.acceptance import Chains
from tarsy_bus.connection import Bus
from tarsy_bus.following import Record, read_to_end, readable
from tarsy_bus.records import Delivery
from tarsy_contracts import events as e
from tarsy_contracts.envelope import event_id
from tarsy_contracts.events import ENDINGS
from tarsy_contracts.recorded import Recorded
from tarsy_contracts.topics import LOG_PARTITIONS


@dataclass
class SessionLog:
    """One session: the accepted records in order, and those that every reader drops."""

    accepted: list[Recorded] = field(default_factory=list)
    dropped: list[Delivery] = field(default_factory=list)

    @property
    def types(self) -> list[str]:
        return [record.envelope.type for record in self.accepted]

    @property
    def ended(self) -> bool:
        return bool(self.accepted) and self.accepted[-1].envelope.type in ENDINGS

    def events[E: e.Event](self, kind: type[E]) -> list[E]:
        return [record.event for record in self.accepted if isinstance(record.event, kind)]


async def read_log(bus: Bus) -> dict[str, SessionLog]:
    """Every session, judged by the acceptance rule from the beginning of the log. Checks each event's id on the way."""
    sessions: dict[str, SessionLog] = {}
    chains = Chains()

    def take(record: Record) -> None:
        delivery = readable(record)
        assert delivery is not None, f"offset {record.offset} of the log has no envelope"
        check_id(delivery)
        session = sessions.setdefault(delivery.envelope.subject, SessionLog())
        if chains.accept(delivery.mark()):
            session.accepted.append(delivery.recorded())
        else:
            session.dropped.append(delivery)

    await read_to_end(bus, bus.topics.sessions, dict.fromkeys(range(LOG_PARTITIONS), 0), take)
    return sessions


def check_id(delivery: Delivery) -> None:
    envelope = delivery.envelope
    assert envelope.sequence is not None
    expected = event_id(
        previous=envelope.previous,
        type=envelope.type,
        subject=envelope.subject,
        sequence=envelope.sequence,
        time=envelope.time,
        value=delivery.value or b"",
    )
    assert envelope.id == expected, f"event {envelope.id} is not what its id says"


def check_one_chain(session: SessionLog) -> None:
    """Numbers without a gap, each event naming the one before it, one end, at most one outcome a call."""
    previous = None
    for number, record in enumerate(session.accepted, start=1):
        assert record.envelope.sequence == number
        assert record.envelope.previous == previous
        previous = record.envelope.id
    assert [type for type in session.types if type in ENDINGS] == session.types[-1:], session.types
    outcomes = [event.call_id for event in session.events(e.ToolCallCompleted)]
    assert len(outcomes) == len(set(outcomes))
    answers = [event.llm_call_id for event in session.events(e.LlmCallCompleted)]
    assert len(answers) == len(set(answers))


def story(session: SessionLog) -> list[object]:
    """What happened, apart from attempts, workers, ids and times. A disturbed run tells the same as an undisturbed one.

    The outcomes of calls that ran in parallel may come in any order: each stands with its request.
    """
    outcomes = {event.call_id: event for event in session.events(e.ToolCallCompleted)}
    told: list[object] = []
    for record in session.accepted:
        match record.event:
            case e.LlmCallCompleted() as answer:
                told.append(("answer", answer.thinking, answer.text, [call.name for call in answer.tool_calls]))
            case e.ToolCallRequested() as call:
                outcome = outcomes[call.call_id]
                told.append(("call", call.tool, str(call.arguments), outcome.outcome, outcome.content, outcome.size))
            case e.SummaryCompleted() as summary:
                told.append(("summary", summary.content))
            case e.ExecutionCompleted() | e.StageCompleted():
                told.append((record.event.type, record.event.status, record.event.error))
            case e.SessionCompleted() as ended:
                told.append(("session", ended.final_analysis))
            case e.SessionFailed() as failed:
                told.append(("failed", failed.error))
            case _:
                pass
    return told
