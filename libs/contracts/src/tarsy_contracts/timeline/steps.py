"""Timeline of stages and executions."""

from collections.abc import Iterator

from pydantic import JsonValue

from tarsy_contracts import events as e
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_contracts.timeline.model import (
    ExecutionChanged,
    SessionChanged,
    StageChanged,
    StageDetails,
    TimelineChange,
    TimelineCreated,
    create_event,
)
from tarsy_contracts.wire.same_fields import copy_fields
from tarsy_contracts.withheld_tools import describe_withheld


def stage_begin(event: e.StageStarted) -> Iterator[TimelineChange]:
    """A session starts with its first stage, and is queued until then."""
    if event.index <= 1:
        yield SessionChanged(status="in_progress")
    yield StageChanged(
        stage_id=event.stage_id,
        stage_name=event.name,
        stage_index=event.index,
        status="active",
        begun=copy_fields(StageDetails, event),
    )


def stage_end(event: e.StageCompleted) -> StageChanged:
    return StageChanged(
        stage_id=event.stage_id,
        stage_name=event.name,
        stage_index=event.index,
        status=event.status,
        error_message=event.error,
        action=event.action,
    )


def execution_begin(record: RecordedEvent, event: e.ExecutionStarted) -> Iterator[TimelineChange]:
    yield ExecutionChanged(
        execution_id=event.execution_id,
        stage_id=event.stage_id,
        agent_name=event.agent,
        agent_index=event.index,
        status="active",
        spec=event.spec,
    )
    if without := [one for one in event.withheld if not one.offered]:
        yield create_event(
            record,
            "missing_tools",
            "\n\n".join(describe_withheld(event.agent, one) for one in without),
            cause=event.execution_id,
            execution_id=event.execution_id,
            metadata={"servers": [one.server for one in without]},
        )
    if event.skills:
        yield _skills(record, event)


def _skills(record: RecordedEvent, event: e.ExecutionStarted) -> TimelineCreated:
    """Those that stand in the instructions, and those that the agent may load: that is a call like any."""
    required = [skill.name for skill in event.skills if skill.required]
    offered = [skill.name for skill in event.skills if not skill.required]
    lines = [
        f"{label}: {', '.join(names)}"
        for label, names in (("In the instructions", required), ("To be loaded", offered))
        if names
    ]
    return create_event(
        record,
        "skill_loaded",
        "\n\n".join(lines),
        cause=event.execution_id,
        execution_id=event.execution_id,
        index=1,
        metadata={"skill_names": [*required], "offered": [*offered]},
    )


def execution_end(record: RecordedEvent, event: e.ExecutionCompleted) -> Iterator[TimelineChange]:
    """The result of an agent is its final analysis; that of the executive summary is the summary."""
    if event.final_analysis:
        metadata: dict[str, JsonValue] = {}
        if event.iterations:
            metadata = {"iterations_used": event.iterations, "forced_conclusion": event.forced_conclusion}
        if event.partial_reason:
            metadata["partial_reason"] = event.partial_reason
        yield create_event(
            record,
            "executive_summary" if event.stage_type == "exec_summary" else "final_analysis",
            event.final_analysis,
            cause=event.execution_id,
            execution_id=event.execution_id,
            metadata=metadata,
        )
    yield ExecutionChanged(
        execution_id=event.execution_id,
        stage_id=event.stage_id,
        agent_name=event.agent,
        agent_index=event.index,
        status=event.status,
        error_message=event.error,
        outcome=event.outcome,
    )


def fallback(record: RecordedEvent, event: e.ProviderFellBack) -> TimelineCreated:
    text = f"{event.from_provider} did not answer ({event.error}). From here on {event.to_provider} is asked."
    return create_event(
        record,
        "provider_fallback",
        text,
        cause=record.envelope.id,
        execution_id=event.execution_id,
        metadata={
            "from": event.from_provider,
            "to": event.to_provider,
            "kind": event.kind,
            "error": event.error,
        },
    )
