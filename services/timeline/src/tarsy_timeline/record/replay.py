"""Replay of a session's events: its states, and when each thing began. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from tarsy_contracts import events as e
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_session.evolve import evolve
from tarsy_session.state import NOT_STARTED, AtRest, Execution, Investigating, SessionState, Stage, Unsupported

type LlmCallEnd = e.LlmCallCompleted | e.LlmCallFailed
type SummaryEnd = e.SummaryCompleted | e.SummaryFailed


@dataclass(frozen=True, slots=True)
class LlmCallRecord:
    """An LLM call with its end, None while it runs. `at`: when it was owed."""

    requested: e.LlmCallRequested
    at: datetime
    ended: LlmCallEnd | None = None
    ended_at: datetime | None = None


@dataclass(slots=True)
class ReplayedSession:
    """`llm_calls` in the order of the log. `began`: when executions, tool calls and summaries began, by their ids.
    `ended`: when tool calls ended.

    `complete` is false when this code cannot read an event: all is as it was before that.
    """

    state: Investigating | AtRest | None = None
    llm_calls: dict[str, LlmCallRecord] = field(default_factory=dict)
    began: dict[str, datetime] = field(default_factory=dict)
    ended: dict[str, datetime] = field(default_factory=dict)
    complete: bool = True

    @property
    def stages(self) -> Sequence[Stage]:
        return () if self.state is None else self.state.stages

    @property
    def executions(self) -> Mapping[str, Execution]:
        return {} if self.state is None else self.state.executions


def states_of(records: Sequence[RecordedEvent]) -> Iterator[tuple[RecordedEvent, Investigating | AtRest]]:
    """Each event with the state after it, up to the first that this code cannot read."""
    state: SessionState = NOT_STARTED
    for record in records:
        try:
            state = evolve(state, record)
        except Exception:  # noqa: BLE001 - an owner sets such a session aside; here it ends the replay
            return
        if isinstance(state, Unsupported) or not isinstance(state, Investigating | AtRest):
            return
        yield record, state


def replay(records: Sequence[RecordedEvent]) -> ReplayedSession:
    session, count = ReplayedSession(), 0
    for record, state in states_of(records):
        session.state = state
        _note_record(session, record)
        count += 1
    session.complete = count == len(records)
    return session


def _note_record(session: ReplayedSession, record: RecordedEvent) -> None:
    event, at = record.event, record.envelope.time
    match event:
        case e.LlmCallRequested():
            session.llm_calls[event.llm_call_id] = LlmCallRecord(event, at)
        case e.LlmCallCompleted() | e.LlmCallFailed():
            requested = session.llm_calls.get(event.llm_call_id)
            if requested is not None:
                session.llm_calls[event.llm_call_id] = LlmCallRecord(requested.requested, requested.at, event, at)
        case e.ExecutionStarted():
            session.began[event.execution_id] = at
        case e.ToolCallRequested():
            session.began[event.call_id] = at
        case e.SummaryRequested():
            session.began[event.summary_id] = at
        case e.ToolCallCompleted():
            session.ended[event.call_id] = at
        case _:
            return
