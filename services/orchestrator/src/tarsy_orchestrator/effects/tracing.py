"""Tracing of sessions: the spans of an owner's work, and the lines of its log about beginnings and ends."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime

import structlog
from opentelemetry.trace import Span, Status, StatusCode, Tracer

from tarsy_bus.tracing import context_of, nanoseconds, open_span, record_span
from tarsy_contracts.events import SESSION_ENDINGS, ReplyCompleted, SessionStarted
from tarsy_contracts.ids import session_traceparent
from tarsy_contracts.inputs import LlmCallReported, OwnInput
from tarsy_contracts.recorded import RecordedEvent
from tarsy_orchestrator.session.decision_input import DecisionInput
from tarsy_orchestrator.session.effects import AdmissionEffect, LlmCallEffect, OfferToolsEffect, OwnEffect
from tarsy_service.root_span import make_root_span

log = structlog.get_logger(__name__)


class SessionTraces:
    def __init__(self, tracer: Tracer, now: Callable[[], datetime]) -> None:
        self._tracer = tracer
        self._now = now

    @contextmanager
    def span(self, session_id: str, effect: OwnEffect) -> Iterator[Span]:
        """The span of an effect that the owner does itself."""
        name, attributes = _NAMES[type(effect)], _attributes(effect)
        with open_span(self._tracer, name, session_id=session_id, attributes=attributes) as span:
            yield span

    def record_decision(self, session_id: str, given: DecisionInput) -> None:
        """Records a span from the arrival of the input to the return of its decision."""
        record_span(
            self._tracer,
            "decide",
            session_id=session_id,
            cause=given.traceparent,
            began=given.at,
            ended=self._now(),
            attributes={"tarsy.input.type": given.input.type},
        )

    def record_event(self, record: RecordedEvent, opened_at: datetime | None) -> None:
        """An event of a decision of ours came back. The end of a session makes the root of its trace."""
        session_id, type = record.session_id, record.envelope.type
        if isinstance(record.event, SessionStarted):
            log.info("session.started", session_id=session_id, chain_id=record.event.chain.chain_id)
        if isinstance(record.event, ReplyCompleted):
            self._record_reply(record, record.event, opened_at)
        if type not in SESSION_ENDINGS:
            return
        log.info("session.ended", session_id=session_id, ending=type, events=record.number)
        if opened_at is not None:
            make_root_span(
                self._tracer,
                "session",
                context_of(session_traceparent(session_id)),
                began=nanoseconds(opened_at),
                ended=nanoseconds(record.appended_at),
                error=None if type == "session.completed" else type,
                attributes={"tarsy.session_id": session_id, "tarsy.session.ending": type},
            )

    def _record_reply(self, record: RecordedEvent, reply: ReplyCompleted, opened_at: datetime | None) -> None:
        log.info("chat.replied", session_id=record.session_id, status=reply.status, message_id=reply.message_id)
        if opened_at is not None:
            record_span(
                self._tracer,
                "reply",
                session_id=record.session_id,
                cause=record.envelope.traceparent,
                began=opened_at,
                ended=record.appended_at,
                attributes={"tarsy.stage_id": reply.stage_id, "tarsy.reply.status": reply.status},
            )


_NAMES: dict[type[OwnEffect], str] = {
    AdmissionEffect: "wait_for_turn",
    OfferToolsEffect: "offer_tools",
    LlmCallEffect: "llm_call",
}


def record_outcome(span: Span, input: OwnInput) -> None:
    """Adds the outcome to the span. Names follow OpenTelemetry's conventions for generative AI where those have one."""
    if not isinstance(input, LlmCallReported):
        return
    if input.error:
        span.set_status(Status(StatusCode.ERROR))
    counted = {
        "input_tokens": input.usage.input_tokens,
        "output_tokens": input.usage.output_tokens,
        "reasoning.output_tokens": input.usage.thinking_tokens,
        "cache_read.input_tokens": input.usage.cached_input_tokens,
        "cache_creation.input_tokens": input.usage.cache_written_tokens,
    }
    for name, tokens in counted.items():
        if tokens is not None:
            span.set_attribute(f"gen_ai.usage.{name}", tokens)
    span.set_attribute("gen_ai.response.model", input.model)


def _attributes(effect: OwnEffect) -> dict[str, str | int]:
    match effect:
        case AdmissionEffect(priority=priority):
            return {"tarsy.priority": priority}
        case OfferToolsEffect():
            return {"tarsy.stage_id": effect.id}
        case LlmCallEffect(execution, pending):
            return {
                "tarsy.llm_call_id": effect.id,
                "tarsy.agent": execution.agent.name,
                "tarsy.llm_provider": pending.requested.llm_provider,
                "tarsy.iteration": pending.requested.iteration,
                "tarsy.attempt": pending.requested.attempt,
            }
