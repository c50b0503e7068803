"""Timeline of the calls of models and tools."""

from collections.abc import Iterator, Mapping
from typing import Literal

from pydantic import JsonValue

from tarsy_contracts import events as e
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_contracts.timeline.model import (
    ROWS_PER_EVENT,
    TimelineCreated,
    TimelineEnded,
    TimelineEventType,
    TimelineStatus,
    create_event,
)
from tarsy_contracts.timeline.native_calls import show_left_out, show_native_calls
from tarsy_contracts.wire.ids import runbook_call_id, timeline_event_id

LLM_EVENT_TYPES: dict[Literal["thinking", "text"], TimelineEventType] = {
    "thinking": "llm_thinking",
    "text": "llm_response",
}


def llm_timeline_event_id(llm_call_id: str, part: Literal["thinking", "text"]) -> str:
    """The timeline event that an LLM's chunks belong to."""
    return timeline_event_id(llm_call_id, LLM_EVENT_TYPES[part])


STATUS_OF_FAILURE: Mapping[str, TimelineStatus] = {
    e.ENDED_BY_US: "cancelled",
    "iteration_timeout": "timed_out",
    "session_timeout": "timed_out",
    e.TIME_BUDGET: "timed_out",
}
"""By the kind of the failure. The others are the model's own, and complete."""
BEHIND_WORDS = 2
BEHIND_NATIVE_CALLS = ROWS_PER_EVENT - 2
"""Words come after what the model did by itself before it wrote them; an error comes after both."""
ANOTHER_FORM = frozenset({"context_full", "tools_refused"})
"""After these failures the question is asked in another form, or the agent concludes."""


def llm_wait(record: RecordedEvent, event: e.LlmCallRequested) -> Iterator[TimelineCreated]:
    """Shows nothing unless a person has to decide."""
    if event.wait_seconds <= 0:
        return
    seconds = _format_seconds(event.wait_seconds)
    text = f"A question to {event.llm_provider or 'the model'} failed. It is asked again in {seconds}"
    if event.rate_limited:
        text = f"{event.llm_provider or 'The model'} has too much to do (rate limit). It is asked again in {seconds}"
    yield create_event(
        record,
        "llm_wait",
        f"{text} (attempt {event.attempt}).",
        cause=event.llm_call_id,
        execution_id=event.execution_id,
        metadata={
            "llm_provider": event.llm_provider,
            "wait_seconds": event.wait_seconds,
            "rate_limited": event.rate_limited,
            "attempt": event.attempt,
        },
    )


def llm_limit(record: RecordedEvent, event: e.LlmCallRequested) -> Iterator[TimelineCreated]:
    """Tells what the limits of the model cost: tools that its provider refused, results that were too long for it."""
    parts = [*_left_out_sentences(event), *_shortening_sentences(event)]
    if not parts:
        return
    shorter = event.shortened or e.Shortening()
    yield create_event(
        record,
        "llm_limit",
        " ".join(parts),
        cause=event.llm_call_id,
        execution_id=event.execution_id,
        index=1,
        metadata={
            "llm_provider": event.llm_provider,
            "tools_left_out": list(event.tools_left_out),
            "results_left_out": shorter.results_left_out,
            "result_characters": shorter.result_characters,
        },
    )


def _left_out_sentences(event: e.LlmCallRequested) -> Iterator[str]:
    if event.tools_left_out:
        names = ", ".join(event.tools_left_out)
        yield f"{event.llm_provider or 'The model'} does not take these tools: {names}. The agent goes on without them."


def _shortening_sentences(event: e.LlmCallRequested) -> Iterator[str]:
    if event.shortened is None:
        return
    yield f"The conversation is too long for {event.llm_provider or 'the model'}, and is shortened."
    count = event.shortened.results_left_out
    if count:
        what = "The first result is" if count == 1 else f"The first {count} results are"
        yield f"{what} left out; the agent can read them again."
    if event.shortened.result_characters is not None:
        yield f"Of each other result the agent reads {event.shortened.result_characters} characters."


def _format_seconds(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 10 and round(seconds, 1) % 1 else f"{seconds:.0f} s"


def llm_answer(record: RecordedEvent, event: e.LlmCallCompleted) -> Iterator[TimelineCreated]:
    metadata: dict[str, JsonValue] = {"model": event.model, "duration_ms": event.duration_ms}
    if event.reminder:
        metadata["reminder"] = event.reminder
    yield from _text_events(record, event, "completed", metadata)
    yield from show_left_out(record, event, index=BEHIND_NATIVE_CALLS + 1)


def _text_events(
    record: RecordedEvent,
    event: e.LlmCallCompleted | e.LlmCallFailed,
    status: TimelineStatus,
    metadata: dict[str, JsonValue],
) -> Iterator[TimelineCreated]:
    yield from show_native_calls(record, event, index=1)
    text_index = BEHIND_NATIVE_CALLS if event.native_calls else 1
    for index, part, text in ((0, "thinking", event.thinking), (text_index, "text", event.text)):
        if text:
            yield create_event(
                record,
                "llm_thinking" if part == "thinking" else "llm_response",
                text,
                cause=event.llm_call_id,
                execution_id=event.execution_id,
                status=status,
                index=index,
                metadata=metadata,
            )


def llm_failure(record: RecordedEvent, event: e.LlmCallFailed) -> Iterator[TimelineCreated]:
    """`retry`: the question may be asked again, so that nobody has to worry yet. Words that were streamed stay."""
    yield from _text_events(record, event, "timed_out", {})
    yield create_event(
        record,
        "error",
        event.error,
        cause=event.llm_call_id,
        execution_id=event.execution_id,
        status=STATUS_OF_FAILURE.get(event.kind, "completed"),
        index=_error_index(event),
        metadata={"retry": event.retryable or event.kind in ANOTHER_FORM, "kind": event.kind},
    )


def _error_index(event: e.LlmCallFailed) -> int:
    if event.native_calls:
        return BEHIND_NATIVE_CALLS + 1
    return BEHIND_WORDS if event.thinking or event.text else 0


def tool_call(record: RecordedEvent, event: e.ToolCallRequested) -> TimelineCreated:
    return create_event(
        record,
        "runbook" if event.purpose == "runbook" else "llm_tool_call",
        "",
        cause=event.call_id,
        execution_id=event.execution_id,
        status="streaming",
        metadata={
            "call_id": event.call_id,
            "server_name": event.server,
            "tool_name": event.tool,
            "arguments": event.arguments,
            "repeatable": event.repeatable,
            "read_only": event.read_only,
            **({"number": event.number} if event.number else {}),
            **({"dry_run_of": event.dry_run_of} if event.dry_run_of else {}),
            **({"verifies": event.verifies} if event.verifies else {}),
        },
    )


def tool_result(record: RecordedEvent, event: e.ToolCallCompleted) -> TimelineEnded:
    """The purpose of the call follows from its id: a session has one call for its runbook."""
    event_type: TimelineEventType = "llm_tool_call"
    status: TimelineStatus = "timed_out" if event.timed_out else _status_of_outcome(event.outcome)
    if event.call_id == runbook_call_id(record.session_id):
        event_type = "runbook"
        status = status if event.timed_out or event.outcome in ("ok", "cancelled") else "failed"
    return TimelineEnded(
        event_id=timeline_event_id(event.call_id, event_type),
        event_type=event_type,
        status=status,
        content=event.content,
        metadata={
            "outcome": event.outcome,
            "is_error": event.outcome != "ok",
            "cut": event.cut,
            "size": event.size,
            "lines": event.lines,
            "duration_ms": event.duration_ms,
            **({"held_by": event.held_by} if event.held_by else {}),
        },
    )


def _status_of_outcome(outcome: e.Outcome) -> TimelineStatus:
    """An agent can work with the error of a tool: the call itself has completed then."""
    if outcome == "cancelled":
        return "cancelled"
    return "failed" if outcome in ("unavailable", "unknown") else "completed"


def summary_begin(record: RecordedEvent, event: e.SummaryRequested) -> TimelineCreated:
    return create_event(
        record,
        "mcp_tool_summary",
        "",
        cause=event.summary_id,
        execution_id=event.execution_id,
        status="streaming",
        metadata={
            "call_id": event.call_id,
            "call_event_id": timeline_event_id(event.call_id, "llm_tool_call"),
            **_result_facts(event),
        },
    )


def _result_facts(event: e.SummaryRequested) -> dict[str, JsonValue]:
    if not event.tool:
        return {}
    return {"server_name": event.server, "tool_name": event.tool, "estimated_tokens": event.estimated_tokens}


def summary_end(event: e.SummaryCompleted | e.SummaryFailed) -> TimelineEnded:
    """Sizes are null where nobody knows them."""
    metadata: dict[str, JsonValue] = {"tokens_before": event.tokens_before, "attempts": len(event.attempts)}
    if event.server:
        metadata |= {"server_name": event.server, "tool_name": event.tool}
    if isinstance(event, e.SummaryFailed):
        status: TimelineStatus = "timed_out" if event.timed_out else "failed"
        return _make_summary_end(event.summary_id, status, event.error, metadata)
    metadata |= {"tokens_after": event.tokens_after, "model": event.model, "duration_ms": event.duration_ms}
    if event.reused_from:
        metadata["reused_from"] = event.reused_from
    return _make_summary_end(event.summary_id, "completed", event.content, metadata)


def _make_summary_end(
    summary_id: str, status: TimelineStatus, content: str, metadata: dict[str, JsonValue]
) -> TimelineEnded:
    return TimelineEnded(
        event_id=timeline_event_id(summary_id, "mcp_tool_summary"),
        event_type="mcp_tool_summary",
        status=status,
        content=content,
        metadata=metadata,
    )
