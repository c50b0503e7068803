"""From an event of the log to changes of rows for what lists and details show beside the timeline: pure."""

from collections.abc import Iterator, Sequence
from datetime import UTC
from typing import assert_never

from pydantic import JsonValue, ValidationError

from tarsy_contracts import events as e
from tarsy_contracts.alert import PRIORITIES, McpSelection, priority_of
from tarsy_contracts.chain import NATIVE_TOOLS, ResolvedChain
from tarsy_contracts.confidence import read_confidence
from tarsy_contracts.conversation import Usage
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_contracts.scores import SCORING, Score
from tarsy_contracts.wire.ids import timeline_event_id
from tarsy_timeline.rows import row_changes as r
from tarsy_timeline.rows.row_changes import RowChange
from tarsy_timeline.rows.visibility import format_labels

RAN = frozenset({"ok", "tool_error", "unknown"})
"""Outcomes of a call that its worker ran, or may have run."""


def event_facts(record: RecordedEvent, event: e.Event) -> Iterator[RowChange]:  # noqa: C901 - one case an event type
    match event:
        case e.SessionStarted():
            yield _started(record, event)
        case e.AlertRepeated():
            yield r.AlertCount(record.session_id, (event.count, event.total), record.envelope.time)
            yield from (r.SessionAlias(alias, record.session_id) for alias in event.joined)
        case e.StageStarted():
            yield _planned(event)
        case e.SessionCompleted():
            yield r.SessionLabels(record.session_id, list(event.labels), read_confidence(event.final_analysis))
        case e.PhaseRequested() | e.PhaseCompleted():
            yield from _judged(record, event)
        case e.ReviewChanged():
            yield from _reviewed(record, event)
        case e.ProviderFellBack():
            yield _fell_back(record, event)
        case e.LlmCallRequested():
            yield r.ModelQuestion(event.execution_id, event.iteration, record.envelope.time)
        case e.LlmCallCompleted():
            yield r.LlmCallCount(event.execution_id, 1, event.model, *_tokens([event.usage]))
            yield _used(record, event.model, 1, event.usage)
        case e.LlmCallFailed():
            yield from _failed(record, event)
        case e.SummaryCompleted() | e.SummaryFailed():
            yield from _summarized(record, event)
        case e.ToolCallRequested():
            yield r.ToolCallCount(event.execution_id)
        case e.ToolCallCompleted():
            if event.outcome in RAN:
                yield r.CallOutcome(record.session_id, timeline_event_id(event.call_id, "llm_tool_call"))
        case e.MemoryLearned():
            yield _learned(record, event)
        case e.MemoryEdited():
            yield _edited(record, event)
        case e.MemoryReinforced() | e.MemoryDeprecated():
            agrees = isinstance(event, e.MemoryReinforced)
            yield r.MemoryJudgement(event.memory_id, record.session_id, agrees, event.reason, record.envelope.time)
        case e.MemoryErased():
            yield r.MemoryErasure(event.memory_id, record.session_id)
        case (
            e.SessionSkillsRecorded()
            | e.AlertResolved()
            | e.StageToolsOffered()
            | e.StageApprovalsRequired()
            | e.ExecutionStarted()
            | e.ExecutionCompleted()
            | e.ToolCallApprovalRequested()
            | e.ToolCallApprovalDecided()
            | e.ToolCallStarted()
            | e.ToolCallReleased()
            | e.ToolCallOutcomeLearned()
            | e.SummaryRequested()
            | e.SummaryStarted()
            | e.SummaryReleased()
            | e.StageCompleted()
        ):
            return
        case (
            e.RequestAccepted()
            | e.RequestRefused()
            | e.SessionReleased()
            | e.SessionFailed()
            | e.SessionCancelled()
            | e.SessionTimedOut()
            | e.SessionReopened()
            | e.QuestionAsked()
            | e.ReplyCompleted()
            | e.SessionDeleted()
            | e.BudgetWarned()
            | e.BudgetReached()
            | e.BudgetDecided()
        ):
            return
        case _:
            assert_never(event)


def _reviewed(record: RecordedEvent, event: e.ReviewChanged) -> Iterator[RowChange]:
    ended, at = event.to_status == "reviewed", record.envelope.time
    yield r.ReviewUpdate(
        session_id=record.session_id,
        review_status=event.to_status,
        assignee=event.assignee or None,
        quality_rating=event.rating or None,
        review_cause=event.cause or None,
        review_note=event.note or None,
        reviewed_by=event.author if ended else None,
        reviewed_at=at if ended else None,
    )
    said = event.model_dump(exclude={"request_id"})
    yield r.ReviewAct(session_id=record.session_id, at=at, **said)


def _judged(record: RecordedEvent, event: e.PhaseRequested | e.PhaseCompleted) -> Iterator[RowChange]:
    """Other phases after the end show nothing but their stages."""
    if event.phase != SCORING:
        return
    at = record.envelope.time
    if isinstance(event, e.PhaseRequested):
        yield r.ScoreStart(event.phase_id, record.session_id, event.number, event.author, at, "in_progress")
        yield r.ScoreUpdate(record.session_id, "scoring_in_progress", None)
        return
    score = _score_of(event)
    status = "scoring_failed" if score is None else "scored"
    yield r.ScoreEnd(event.phase_id, event.status, score, event.result, event.error or None, event.stage_id or None, at)
    yield r.ScoreUpdate(record.session_id, status, score)


def _score_of(event: e.PhaseCompleted) -> int | None:
    """A later version may judge in another form: what cannot be read is no score."""
    try:
        return Score.model_validate(event.result).score
    except ValidationError:
        return None


def _learned(record: RecordedEvent, event: e.MemoryLearned) -> RowChange:
    memory, origin, at = event.memory, event.origin, record.envelope.time
    return r.MemoryStart(
        memory_id=event.memory_id,
        session_id=record.session_id,
        text=memory.text,
        category=memory.category,
        valence=memory.valence,
        alert_type=origin.alert_type,
        cluster=origin.cluster,
        namespace=origin.namespace,
        workload=origin.workload,
        scope=memory.scope.model_dump(mode="json"),
        confidence=memory.confidence,
        locked=memory.locked,
        deprecated=memory.deprecated,
        call_ids=list(event.call_ids),
        learned_at=at,
        updated_at=at,
    )


def _edited(record: RecordedEvent, event: e.MemoryEdited) -> RowChange:
    memory = event.memory
    return r.MemoryUpdate(
        memory_id=event.memory_id,
        text=memory.text,
        category=memory.category,
        valence=memory.valence,
        locked=memory.locked,
        deprecated=memory.deprecated,
        updated_at=record.envelope.time,
    )


def _fell_back(record: RecordedEvent, event: e.ProviderFellBack) -> RowChange:
    return r.ProviderChange(
        execution_id=event.execution_id,
        original_llm_provider=event.from_provider,
        llm_provider=event.to_provider,
        fallback_reason=event.error,
        fallback_error_code=event.kind,
        number=record.number,
    )


def _failed(record: RecordedEvent, event: e.LlmCallFailed) -> Iterator[RowChange]:
    """It is not one of the answers that are counted, but it may have cost something."""
    if event.usage != Usage():
        yield r.LlmCallCount(event.execution_id, 0, None, *_tokens([event.usage]))
        yield _used(record, "", 0, event.usage)


def _summarized(record: RecordedEvent, event: e.SummaryCompleted | e.SummaryFailed) -> Iterator[RowChange]:
    """Each attempt has asked a model."""
    if event.attempts:
        counted = [attempt.usage for attempt in event.attempts]
        yield r.LlmCallCount(event.execution_id, len(counted), None, *_tokens(counted))
        yield from (_used(record, attempt.model, 1, attempt.usage) for attempt in event.attempts)


def _tokens(counted: Sequence[Usage]) -> tuple[int, int, int, int, int]:
    """In the order of the fields of LlmCallCount and ModelUsage."""
    return (
        sum(usage.input_tokens or 0 for usage in counted),
        sum(usage.output_tokens or 0 for usage in counted),
        sum(usage.thinking_tokens or 0 for usage in counted),
        sum(usage.cached_input_tokens or 0 for usage in counted),
        sum(usage.cache_written_tokens or 0 for usage in counted),
    )


def _used(record: RecordedEvent, model: str, calls: int, usage: Usage) -> RowChange:
    day = record.envelope.time.astimezone(UTC).date()
    return r.ModelUsage(record.session_id, day, model, calls, *_tokens([usage]), usage.web_searches or 0)


def _started(record: RecordedEvent, event: e.SessionStarted) -> RowChange:
    alert, chain = event.alert, event.chain
    return r.SessionStart(
        session_id=record.session_id,
        alert_type=alert.alert_type,
        title=alert.title,
        severity=alert.severity,
        source=alert.source,
        author=alert.author,
        runbook_url=alert.runbook_url,
        chain_id=chain.chain_id,
        alert_data=alert.data,
        scripted=chain.scripted,
        priority=PRIORITIES.index(priority_of(alert)),
        mcp_selection=None if alert.mcp is None else _selected(alert.mcp),
        total_stages=_stages_to_come(chain),
        has_parallel_stages=any(len(stage.agents) > 1 for stage in chain.stages),
        chat_enabled=chain.chat_enabled,
        created_at=record.envelope.time,
        cluster=alert.cluster,
        namespace=alert.namespace,
        workload=alert.workload,
        parent_id=None if alert.rerun is None else alert.rerun.parent_id,
        llm_provider=alert.llm_provider,
        slack_message_fingerprint=alert.slack_message_fingerprint,
        labels=format_labels(alert.labels),
        chosen_by=chain.chosen_by,
        unmatched=chain.unmatched,
        session_labels=list(event.labels),
    )


def _selected(selection: McpSelection) -> JsonValue:
    """Answers name each native tool that is known, null where nothing was chosen."""
    chosen = selection.native_tools
    native: JsonValue = None if chosen is None else {**dict.fromkeys(NATIVE_TOOLS), **chosen}
    servers: list[JsonValue] = [server.model_dump(mode="json") for server in selection.servers]
    return {"servers": servers, "native_tools": native}


def _stages_to_come(chain: ResolvedChain) -> int:
    """If all goes well: those of the plan, their syntheses, the amended report, and the executive summary."""
    syntheses = sum(stage.synthesis is not None for stage in chain.stages)
    return len(chain.stages) + syntheses + (chain.compose is not None) + (chain.executive_summary is not None)


def _planned(event: e.StageStarted) -> RowChange:
    return r.StagePlan(
        stage_id=event.stage_id,
        stage_type=event.stage_type,
        chain_stage=event.chain_stage,
        expected_agent_count=event.expected_agent_count,
        parallel_type=event.parallel_type,
        success_policy=event.success_policy,
        referenced_stage_id=event.referenced_stage_id,
    )
