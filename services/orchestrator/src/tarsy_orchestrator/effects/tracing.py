"""Tracing of sessions: the spans of an owner's work, and the lines of its log about beginnings and ends."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from datetime import datetime
from typing import assert_never

import structlog
from opentelemetry.trace import Span, Tracer

from tarsy_bus.model_span import open_model_span, record_failure, record_usage
from tarsy_bus.tracing import Attributes, context_of, nanoseconds, open_span, record_span
from tarsy_contracts.budgets import NOTHING_SPENT
from tarsy_contracts.events import (
    SESSION_ENDINGS,
    Event,
    ExecutionCompleted,
    PhaseCompleted,
    ReplyCompleted,
    SessionStarted,
    ToolCallApprovalDecided,
    ToolCallApprovalRequested,
)
from tarsy_contracts.events.execution import CostFacts
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_contracts.messages.inputs import LlmCallReported, OwnInput
from tarsy_contracts.wire.ids import execution_traceparent, reply_traceparent, session_traceparent
from tarsy_llm.provider_type import ModelIdentity, identity_of
from tarsy_service.telemetry.recent_span import make_known_span
from tarsy_session.decision_input import DecisionInput
from tarsy_session.effects import AdmissionEffect, LlmCallEffect, OfferToolsEffect, OwnEffect
from tarsy_session.state import Execution, Investigating, SessionState

log = structlog.get_logger(__name__)


class SessionTraces:
    """`models`: what the providers of the configuration stand for."""

    def __init__(
        self, tracer: Tracer, now: Callable[[], datetime], models: Mapping[str, ModelIdentity] | None = None
    ) -> None:
        self._tracer = tracer
        self._now = now
        self._models = {} if models is None else models

    def span(self, session_id: str, effect: OwnEffect) -> AbstractContextManager[Span]:
        """The span of an effect that the owner does itself."""
        match effect:
            case AdmissionEffect(priority=priority):
                about: Attributes = {"tarsy.priority": priority}
                return open_span(self._tracer, "wait_for_turn", session_id=session_id, attributes=about)
            case OfferToolsEffect():
                about = {"tarsy.stage_id": effect.id}
                return open_span(self._tracer, "offer_tools", session_id=session_id, attributes=about)
            case LlmCallEffect():
                return self._model_span(session_id, effect)
            case _:
                assert_never(effect)

    def _model_span(self, session_id: str, effect: LlmCallEffect) -> AbstractContextManager[Span]:
        model = identity_of(self._models, effect.llm_provider)
        return open_model_span(
            self._tracer,
            session_id=session_id,
            provider=model.provider,
            model=model.model,
            attributes=_attributes(effect),
            cause=execution_traceparent(session_id, effect.execution.id),
        )

    def record_decision(self, session_id: str, context: DecisionInput) -> None:
        """Records a span from the arrival of the input to the return of its decision."""
        record_span(
            self._tracer,
            "decide",
            session_id=session_id,
            cause=context.traceparent,
            began=context.at,
            ended=self._now(),
            attributes={"tarsy.input.type": context.input.type},
        )

    def record_event(self, record: RecordedEvent, state: SessionState | None, opened_at: datetime | None) -> None:
        """An event of a decision of ours came back. The end of a session makes the root of its trace.

        `state`: what the event made of the session's, where that is known.
        """
        session_id, type = record.session_id, record.envelope.type
        if isinstance(record.event, SessionStarted):
            log.info("session.started", session_id=session_id, chain_id=record.event.chain.chain_id)
        _log_approval(session_id, record.event)
        if isinstance(record.event, ExecutionCompleted) and isinstance(state, Investigating):
            self._record_execution(record, record.event, state)
        if isinstance(record.event, ReplyCompleted | PhaseCompleted):
            self._record_later_life(record, record.event, opened_at)
        if type not in SESSION_ENDINGS:
            return
        log.info("session.ended", session_id=session_id, ending=type, events=record.number)
        if opened_at is not None:
            make_known_span(
                self._tracer,
                "session",
                context_of(session_traceparent(session_id)),
                began=nanoseconds(opened_at),
                ended=nanoseconds(record.appended_at),
                error=None if type == "session.completed" else type,
                attributes={**_session(session_id), "tarsy.session.ending": type},
            )

    def _record_execution(self, record: RecordedEvent, completed: ExecutionCompleted, state: Investigating) -> None:
        """No tokens: viewers add up those of the calls below it. They cannot do so with money."""
        session_id, execution = record.session_id, state.executions.get(completed.execution_id)
        if execution is None:
            return
        agent = execution.agent.name
        model = identity_of(self._models, execution.started.llm_provider or execution.agent.llm_provider)
        make_known_span(
            self._tracer,
            f"invoke_agent {agent}",
            context_of(execution_traceparent(session_id, completed.execution_id)),
            parent=context_of(_span_above(session_id, execution, state)),
            began=nanoseconds(execution.began_at),
            ended=nanoseconds(record.appended_at),
            error=None if completed.status == "completed" else completed.status,
            attributes={
                **_session(session_id),
                "gen_ai.operation.name": "invoke_agent",
                "gen_ai.agent.id": agent,
                "gen_ai.agent.name": agent,
                "gen_ai.provider.name": model.provider,
                "gen_ai.request.model": model.model,
                "tarsy.execution_id": completed.execution_id,
                "tarsy.stage_id": completed.stage_id,
                "tarsy.stage_type": completed.stage_type,
                "tarsy.iterations": completed.iterations,
                **_cost(completed),
            },
        )

    def _record_later_life(
        self, record: RecordedEvent, ended: ReplyCompleted | PhaseCompleted, opened_at: datetime | None
    ) -> None:
        kind = _log_end(record.session_id, ended)
        if opened_at is not None:
            make_known_span(
                self._tracer,
                kind,
                context_of(reply_traceparent(record.session_id, ended.stage_id)),
                parent=context_of(session_traceparent(record.session_id)),
                began=nanoseconds(opened_at),
                ended=nanoseconds(record.appended_at),
                error=None if ended.status == "completed" else ended.status,
                attributes={
                    **_session(record.session_id),
                    "tarsy.stage_id": ended.stage_id,
                    f"tarsy.{kind}.status": ended.status,
                },
            )


def _span_above(session_id: str, execution: Execution, state: Investigating) -> str:
    """That of the agent that sent it, of the reply, or of the session."""
    if execution.parent_id:
        return execution_traceparent(session_id, execution.parent_id)
    if state.ended is None:
        return session_traceparent(session_id)
    return reply_traceparent(session_id, execution.started.stage_id)


def _log_end(session_id: str, ended: ReplyCompleted | PhaseCompleted) -> str:
    """Returns what has ended, in a word."""
    match ended:
        case ReplyCompleted():
            log.info("chat.replied", session_id=session_id, status=ended.status, message_id=ended.message_id)
            return "reply"
        case PhaseCompleted():
            log.info("phase.ended", session_id=session_id, status=ended.status, phase=ended.phase)
            return ended.phase
    assert_never(ended)


def _cost(completed: ExecutionCompleted) -> dict[str, str | int | float]:
    """US dollars, of the calls that have a price; nothing where none has."""
    cost, found = CostFacts.of(completed.spending or NOTHING_SPENT), dict[str, str | int | float]()
    if cost.unpriced_calls:
        found["tarsy.unpriced_calls"] = cost.unpriced_calls
    if cost.cost is not None:
        found["tarsy.cost"] = cost.cost
    return found


def _session(session_id: str) -> dict[str, str]:
    return {"tarsy.session_id": session_id, "gen_ai.conversation.id": session_id}


def _log_approval(session_id: str, event: Event | None) -> None:
    """No arguments and no words of people: they stand on the session's record."""
    match event:
        case ToolCallApprovalRequested(call_id=call_id, server=server, tool=tool):
            log.info("approval.requested", session_id=session_id, call_id=call_id, server=server, tool=tool)
        case ToolCallApprovalDecided(call_id=call_id, outcome=outcome, author=author):
            log.info("approval.decided", session_id=session_id, call_id=call_id, outcome=outcome, author=author)
        case _:
            pass


def record_outcome(span: Span, input: OwnInput) -> None:
    if not isinstance(input, LlmCallReported):
        return
    record_usage(span, input.usage)
    if input.error:
        record_failure(span, input.kind or "error")


def _attributes(effect: LlmCallEffect) -> Attributes:
    requested = effect.pending.requested
    return {
        "gen_ai.agent.id": effect.execution.agent.name,
        "gen_ai.agent.name": effect.execution.agent.name,
        "tarsy.llm_call_id": effect.id,
        "tarsy.execution_id": effect.execution.id,
        "tarsy.llm_provider": requested.llm_provider,
        "tarsy.iteration": requested.iteration,
        "tarsy.attempt": requested.attempt,
    }
