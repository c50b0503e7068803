"""List items of questions to models: those of executions, and those of summaries. Pure."""

from collections.abc import Iterator
from datetime import datetime
from typing import Literal

from tarsy_contracts import events as e
from tarsy_contracts.api.trace import ListedLlmInteraction
from tarsy_contracts.conversation import Usage
from tarsy_contracts.timeline.changes import llm_timeline_event_id
from tarsy_contracts.wire.envelope import wire_time
from tarsy_contracts.wire.ids import summary_attempt_id, timeline_event_id
from tarsy_session.state import Execution, Summary
from tarsy_timeline.record.replay import LlmCallEnd, LlmCallRecord, ReplayedSession

SUMMARIZATION = "summarization"
TYPES = {"synthesis": "synthesis", "compose": "composition", "exec_summary": "executive_summary"}
"""By the stage's type. All other agents iterate."""


def list_llm(session: ReplayedSession, execution: Execution) -> tuple[ListedLlmInteraction, ...]:
    """In the order in which they were owed."""
    requested = [one for one in session.llm_calls.values() if one.requested.execution_id == execution.id]
    items = [(one.at, list_llm_call(one, execution)) for one in requested]
    for call in () if session.state is None else session.state.calls.values():
        if call.summary is not None and call.requested.execution_id == execution.id:
            at = session.began[call.summary.requested.summary_id]
            items += [(at, item) for item in list_summary(call.summary, at)]
    return tuple(item for _, item in sorted(items, key=lambda one: one[0]))


def list_llm_call(call: LlmCallRecord, execution: Execution) -> ListedLlmInteraction:
    requested, ended = call.requested, call.ended
    answered = ended if isinstance(ended, e.LlmCallCompleted) else None
    return _to_listed_interaction(
        requested.llm_call_id,
        _type_of(requested, answered, execution),
        provider=requested.llm_provider or execution.llm_provider,
        model="" if answered is None else answered.model,
        usage=Usage() if ended is None else ended.usage,
        duration_ms=None if answered is None else answered.duration_ms,
        error=ended.error if isinstance(ended, e.LlmCallFailed) else "",
        at=call.at,
        ended_at=call.ended_at,
        steps=_call_steps(ended),
    )


def list_summary(summary: Summary, at: datetime) -> Iterator[ListedLlmInteraction]:
    """All that were asked; they are on the log once the summary has ended."""
    attempts = () if summary.ended is None else summary.ended.attempts
    for number, attempt in enumerate(attempts, start=1):
        yield list_attempt(summary.requested.summary_id, number, attempt, at)


def list_attempt(summary_id: str, number: int, attempt: e.SummaryAttempt, at: datetime) -> ListedLlmInteraction:
    return _to_listed_interaction(
        summary_attempt_id(summary_id, number),
        SUMMARIZATION,
        provider=attempt.provider,
        model=attempt.model,
        usage=attempt.usage,
        duration_ms=attempt.duration_ms,
        error=attempt.error,
        at=at,
        steps=_attempt_steps(summary_id),
    )


def _type_of(requested: e.LlmCallRequested, answered: e.LlmCallCompleted | None, execution: Execution) -> str:
    if requested.purpose == "conclusion":
        return "forced_conclusion"
    if execution.stage_type == "chat" and answered is not None and not (answered.tool_calls or answered.reminder):
        return "chat_response"
    return TYPES.get(execution.stage_type, "iteration")


def _to_listed_interaction(
    id: str,
    type: str,
    *,
    provider: str,
    model: str,
    usage: Usage,
    duration_ms: int | None,
    error: str,
    at: datetime,
    ended_at: datetime | None = None,
    steps: tuple[str, ...],
) -> ListedLlmInteraction:
    counted = [count for count in (usage.input_tokens, usage.output_tokens) if count is not None]
    return ListedLlmInteraction(
        id=id,
        interaction_type=type,
        llm_provider=provider,
        model_name=model,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        total_tokens=sum(counted) if counted else None,
        thinking_tokens=usage.thinking_tokens,
        cached_input_tokens=usage.cached_input_tokens,
        cache_written_tokens=usage.cache_written_tokens,
        duration_ms=duration_ms,
        error_message=error or None,
        created_at=wire_time(at),
        ended_at=None if ended_at is None else wire_time(ended_at),
        timeline_event_ids=steps,
    )


def _call_steps(ended: LlmCallEnd | None) -> tuple[str, ...]:
    """Those that `timeline_changes` makes of its end, and of the calls of tools that it asked for."""
    match ended:
        case e.LlmCallCompleted():
            texts: list[tuple[Literal["thinking", "text"], str]] = [("thinking", ended.thinking), ("text", ended.text)]
            parts = (llm_timeline_event_id(ended.llm_call_id, part) for part, text in texts if text)
            return (*parts, *(timeline_event_id(call.id, "llm_tool_call") for call in ended.tool_calls))
        case e.LlmCallFailed():
            return (timeline_event_id(ended.llm_call_id, "error"),)
        case None:
            return ()


def _attempt_steps(summary_id: str) -> tuple[str, ...]:
    return (timeline_event_id(summary_id, "mcp_tool_summary"),)
