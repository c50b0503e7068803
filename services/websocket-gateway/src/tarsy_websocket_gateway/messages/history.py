"""A session's history as messages of the same types as the live ones: pure."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime

from pydantic import JsonValue

from tarsy_contracts.api.sessions import SessionStage, StageExecution
from tarsy_contracts.api.timeline import SessionHistory
from tarsy_contracts.api.websocket import (
    ExecutionStatusChanged,
    ServerMessage,
    SessionStatusChanged,
    StageStatusChanged,
    TimelineEventCreated,
)
from tarsy_contracts.chain import STAGES_AFTER_THE_END
from tarsy_contracts.events.execution import ExecutionFacts
from tarsy_contracts.timeline.changes import StageDetails
from tarsy_contracts.wire.same_fields import copy_fields
from tarsy_websocket_gateway.messages.outgoing import Outgoing, encode
from tarsy_websocket_gateway.messages.running_calls import Call, signs_of_end
from tarsy_websocket_gateway.messages.timeline_messages import stage_status
from tarsy_websocket_gateway.messages.watched_steps import WatchedSteps, steps_of

ENDED = frozenset({"completed", "failed", "cancelled", "timed_out"})

STAGE_FACTS = tuple(StageDetails.model_fields)
EXECUTION_FACTS = tuple(ExecutionFacts.model_fields)
"""A timeline that is older than this gateway does not tell the facts."""


@dataclass(frozen=True, slots=True)
class History:
    """Everything up to the event `last_number`; nothing of a session that the timeline does not know (0).

    `present` are the timeline events in it; `ended` those of them, and the executions, that do not change any more.
    `steps` are its stages, executions and calls; `streams_since` the time before which no call began that streams now,
    None where nothing streams.
    """

    last_number: int = 0
    messages: tuple[Outgoing, ...] = ()
    present: frozenset[str] = field(default_factory=frozenset)
    ended: frozenset[str] = field(default_factory=frozenset)
    over: bool = False
    steps: WatchedSteps = field(default_factory=WatchedSteps)
    streams_since: datetime | None = None

    @property
    def size(self) -> int:
        """In bytes."""
        return sum(message.size for message in self.messages)

    def since(self, number: int) -> tuple[Outgoing, ...]:
        """For a client that has what came before the event `number`, and may have a part of what that one brought.

        The session's status ends it, as it ends the whole history.
        """
        last = self.messages[-1:]
        return (*(one for one in self.messages[:-1] if one.number is None or one.number >= number), *last)

    def has_ended(self, call: Call) -> bool:
        return self.over or not self.ended.isdisjoint(signs_of_end(call.call_id, call.execution_id, call.parts))


def history_of(answer: SessionHistory) -> History:
    """From the timeline's answer."""
    session, timeline = answer.session, answer.timeline
    executions = [execution for stage in session.stages for execution in stage.executions]
    return History(
        last_number=answer.last_number,
        messages=tuple(map(encode, _messages_of_history(answer))),
        present=frozenset(event.id for event in timeline),
        ended=frozenset(event.id for event in timeline if event.status in ENDED)
        | frozenset(one.execution_id for one in executions if one.status in ENDED),
        over=session.status in ENDED and not any(map(_is_open_later, session.stages)),
        steps=steps_of(answer),
        streams_since=_streams_since(answer),
    )


def _streams_since(answer: SessionHistory) -> datetime | None:
    """An agent's running call began after the last that the timeline shows of it; a summary when it was announced."""
    running = {one.execution_id: one.started_at for stage in answer.session.stages for one in stage.executions
               if one.status not in ENDED}  # fmt: skip
    for event in answer.timeline:
        if event.execution_id in running and event.status in ENDED:
            running[event.execution_id] = max(running[event.execution_id], event.updated_at)
    summaries = [one for one in answer.timeline if one.event_type == "mcp_tool_summary" and one.status not in ENDED]
    began = [*running.values(), *(one.created_at for one in summaries)]
    return min(map(datetime.fromisoformat, began), default=None)


def _is_open_later(stage: SessionStage) -> bool:
    """Other stages may stay open for ever: those of a session that an operator ended in the middle of its work."""
    return stage.stage_type in STAGES_AFTER_THE_END and stage.status not in ENDED


def _messages_of_history(history: SessionHistory) -> Iterator[ServerMessage]:
    """Stages and executions first, the session's status last: then all that it speaks of is there."""
    session = history.session
    for stage in session.stages:
        yield StageStatusChanged(
            type="stage.status",
            stage_id=stage.id,
            status=stage_status(stage.status),
            stage_name=stage.stage_name,
            stage_index=stage.stage_index,
            error_message=stage.error_message,
            number=stage.number,
            session_id=session.id,
            timestamp=stage.completed_at or stage.started_at,
        ).with_facts(_set_fields(stage, STAGE_FACTS), {} if stage.action is None else {"action": stage.action})
        for row in stage.executions:
            yield ExecutionStatusChanged(
                type="execution.status",
                stage_id=stage.id,
                execution_id=row.execution_id,
                agent_name=row.agent_name,
                agent_index=row.agent_index,
                status=row.status,
                error_message=row.error_message,
                number=row.number,
                session_id=session.id,
                timestamp=row.completed_at or row.started_at,
            ).with_facts(_set_fields(row, EXECUTION_FACTS))
    for event in history.timeline:
        yield copy_fields(
            TimelineEventCreated,
            event,
            type="timeline_event.created",
            event_id=event.id,
            session_id=session.id,
            timestamp=event.updated_at,
        )
    yield copy_fields(
        SessionStatusChanged,
        session,
        type="session.status",
        number=session.last_number,
        db_event_id=session.last_number,
        session_id=session.id,
        timestamp=session.completed_at or session.started_at or session.created_at,
    )


def _set_fields(row: SessionStage | StageExecution, names: Iterable[str]) -> dict[str, JsonValue]:
    return {name: getattr(row, name) for name in names if name in row.model_fields_set}
