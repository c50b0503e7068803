"""From an accepted event of the session log to the public event that other teams read: pure.

At most one each, so that session and sequence name one event. It sees one event at a time, as the publisher has no
state. All text was masked before it came to the log.
"""

from collections.abc import Iterable
from typing import assert_never

from tarsy_contracts import events as e
from tarsy_contracts.alert import Alert, priority_of
from tarsy_contracts.conversation import Usage
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_contracts.native_calls import NativeCall, WebSource
from tarsy_contracts.public import budget_events as budget
from tarsy_contracts.public import call_events as calls
from tarsy_contracts.public import chat_events as chat
from tarsy_contracts.public import phase_events as phase
from tarsy_contracts.public import session_events as session
from tarsy_contracts.public import stage_events as stage
from tarsy_contracts.public.envelope import PublicEnvelope
from tarsy_contracts.public.model import PublicEvent, PublicWebSource, TokenUsage
from tarsy_contracts.wire.envelope import wire_time

NOT_PUBLIC = {
    e.SessionSkillsRecorded.type: "texts of the operator's own, and large; calls that read them are public",
    e.StageToolsOffered.type: "definitions of tools are the servers' own, and large",
    e.StageApprovalsRequired.type: "each call that waits for a person is public itself",
    e.LlmCallRequested.type: "prompts and retries are internal; the answer or failure is public",
    e.ToolCallReleased.type: "claims of workers are internal",
    e.SummaryRequested.type: "its end is public, and nobody waits for it before",
    e.SummaryStarted.type: "claims of workers are internal",
    e.SummaryReleased.type: "claims of workers are internal",
    e.RequestAccepted.type: "who asked is answered by the API; what follows is public",
    e.RequestRefused.type: "who asked is answered by the API; nothing follows",
    e.SessionReleased.type: "setting sessions aside is internal",
}
"""By the type of the private event, with the reason."""


def public_event(event: e.Event) -> PublicEvent | None:  # noqa: C901 - one case an event type
    """The public form of an event; None of one that is NOT_PUBLIC."""
    match event:
        case e.SessionStarted():
            return _session_started(event)
        case e.SessionCompleted():
            return session.PublicSessionCompleted(
                analysis=event.final_analysis,
                executive_summary=event.executive_summary,
                executive_summary_error=event.executive_summary_error,
                partial_reason=event.partial_reason,
                evidence_limits=event.evidence_limits,
                sources=_sources(event.sources),
                session_labels=event.labels,
            )
        case e.SessionFailed():
            return session.PublicSessionFailed(error=event.error)
        case e.SessionCancelled():
            return session.PublicSessionCancelled(author=event.author, reason=event.reason or event.comment)
        case e.SessionTimedOut():
            return session.PublicSessionTimedOut(error=event.error)
        case e.SessionReopened():
            return session.PublicSessionReopened()
        case e.SessionDeleted():
            return session.PublicSessionDeleted(author=event.author)
        case e.AlertRepeated():
            return session.PublicAlertRepeated(
                source=event.source, count=event.count, total=event.total, news=event.news
            )
        case e.AlertResolved():
            return session.PublicAlertResolved(source=event.source, ends_at=event.ends_at)
        case e.StageStarted():
            return stage.PublicStageStarted(
                stage_id=event.stage_id,
                index=event.index,
                name=event.name,
                stage_type=event.stage_type,
                agents=event.expected_agent_count,
            )
        case e.StageCompleted():
            return stage.PublicStageCompleted(
                stage_id=event.stage_id,
                index=event.index,
                name=event.name,
                status=event.status,
                error=event.error,
                action=None if event.action is None else stage.CountedAction.model_validate(event.action.model_dump()),
            )
        case e.ExecutionStarted():
            return stage.PublicExecutionStarted(
                execution_id=event.execution_id,
                stage_id=event.stage_id,
                agent=event.agent,
                index=event.index,
                llm_provider=event.llm_provider,
                unavailable_servers=event.unavailable_servers,
                parent_execution_id=event.parent_execution_id,
                task=event.task,
            )
        case e.ProviderFellBack():
            return stage.PublicExecutionFellBack(
                execution_id=event.execution_id,
                from_provider=event.from_provider,
                to_provider=event.to_provider,
                error=event.error,
            )
        case e.ExecutionCompleted():
            return stage.PublicExecutionCompleted(
                execution_id=event.execution_id,
                stage_id=event.stage_id,
                agent=event.agent,
                index=event.index,
                stage_type=event.stage_type,
                status=event.status,
                analysis=event.final_analysis,
                error=event.error,
                iterations=event.iterations,
                partial_reason=event.partial_reason,
            )
        case e.LlmCallCompleted():
            return calls.PublicLlmCallCompleted(
                llm_call_id=event.llm_call_id,
                execution_id=event.execution_id,
                text=event.text,
                model=event.model,
                usage=_usage(event.usage),
                duration_ms=event.duration_ms,
                native_calls=tuple(map(_native_call, event.native_calls)),
            )
        case e.LlmCallFailed():
            return calls.PublicLlmCallFailed(
                llm_call_id=event.llm_call_id,
                execution_id=event.execution_id,
                error=event.error,
                kind=event.kind,
                retryable=event.retryable,
            )
        case e.ToolCallRequested():
            return calls.PublicToolCallRequested(
                call_id=event.call_id,
                execution_id=event.execution_id,
                server=event.server,
                tool=event.tool,
                arguments=event.arguments,
                repeatable=event.repeatable,
                purpose=event.purpose,
                number=event.number,
            )
        case e.ToolCallApprovalRequested():
            return calls.PublicToolCallApprovalRequested(
                call_id=event.call_id,
                execution_id=event.execution_id,
                server=event.server,
                tool=event.tool,
                arguments=event.arguments,
                reason=event.reason,
                role=event.role,
                timeout_seconds=event.timeout_seconds,
                on_timeout=event.on_timeout,
            )
        case e.ToolCallApprovalDecided():
            return calls.PublicToolCallApprovalDecided(
                call_id=event.call_id, outcome=event.outcome, author=event.author, comment=event.comment
            )
        case e.ToolCallStarted():
            return calls.PublicToolCallStarted(call_id=event.call_id)
        case e.ToolCallCompleted():
            return calls.PublicToolCallCompleted(
                call_id=event.call_id,
                outcome=event.outcome,
                content=event.content,
                cut=event.cut,
                size=event.size,
                lines=event.lines,
                duration_ms=event.duration_ms,
            )
        case e.ToolCallOutcomeLearned():
            return calls.PublicToolCallOutcomeLearned(
                call_id=event.call_id, outcome=event.outcome, content=event.content, cut=event.cut
            )
        case e.SummaryCompleted():
            return calls.PublicSummaryCompleted(
                summary_id=event.summary_id,
                call_id=event.call_id,
                content=event.content,
                model=event.model,
                usage=_usage(event.usage),
                duration_ms=event.duration_ms,
                execution_id=event.execution_id,
                server=event.server,
                tool=event.tool,
                reused_from=event.reused_from,
            )
        case e.SummaryFailed():
            return calls.PublicSummaryFailed(
                summary_id=event.summary_id, call_id=event.call_id, error=event.error, execution_id=event.execution_id
            )
        case e.QuestionAsked():
            return chat.PublicChatAsked(
                message_id=event.message_id,
                stage_id=event.stage_id,
                number=event.number,
                author=event.author,
                content=event.content,
            )
        case e.ReplyCompleted():
            return chat.PublicChatAnswered(
                message_id=event.message_id, stage_id=event.stage_id, status=event.status, error=event.error
            )
        case e.PhaseRequested():
            return phase.PublicPhaseRequested(
                phase=event.phase, phase_id=event.phase_id, number=event.number, author=event.author
            )
        case e.PhaseCompleted():
            return phase.PublicPhaseCompleted(
                phase=event.phase,
                phase_id=event.phase_id,
                stage_id=event.stage_id,
                status=event.status,
                error=event.error,
                result=event.result,
            )
        case e.BudgetWarned():
            return budget.PublicBudgetWarned(
                budget_id=event.budget_id,
                resource=event.resource,
                spent=event.spent,
                limit=event.limit,
                unpriced=event.unpriced,
            )
        case e.BudgetReached():
            return budget.PublicBudgetReached(
                budget_id=event.budget_id,
                resource=event.resource,
                spent=event.spent,
                limit=event.limit,
                at_end=event.at_end,
                role=event.role,
                timeout_seconds=event.timeout_seconds,
            )
        case e.BudgetDecided():
            return budget.PublicBudgetDecided(
                budget_id=event.budget_id,
                outcome=event.outcome,
                **event.extension.model_dump(),
                author=event.author,
                comment=event.comment,
            )
        case (
            e.SessionSkillsRecorded()
            | e.StageToolsOffered()
            | e.StageApprovalsRequired()
            | e.LlmCallRequested()
            | e.ToolCallReleased()
            | e.SummaryRequested()
            | e.SummaryStarted()
            | e.SummaryReleased()
            | e.RequestAccepted()
            | e.RequestRefused()
            | e.SessionReleased()
        ):
            return None
        case _:
            assert_never(event)


def public_envelope(record: RecordedEvent, event: PublicEvent, source: str) -> PublicEnvelope:
    """The same for each repeat. The id is that of the event on the log; `source` names the system."""
    envelope = record.envelope
    return PublicEnvelope(
        id=envelope.id,
        type=event.type,
        source=source,
        subject=envelope.subject,
        time=wire_time(envelope.time),
        dataschema=event.dataschema(),
        sequence=record.number,
        log_offset=record.offset,
        traceparent=envelope.traceparent,
    )


def _session_started(event: e.SessionStarted) -> session.PublicSessionStarted:
    return session.PublicSessionStarted(
        alert=_alert(event.alert),
        chain=event.chain.chain_id,
        stages=tuple(stage.name for stage in event.chain.stages),
        rerun_of=None if event.alert.rerun is None else event.alert.rerun.parent_id,
        session_labels=event.labels,
    )


def _alert(alert: Alert) -> session.InvestigatedAlert:
    return session.InvestigatedAlert(
        alert_type=alert.alert_type,
        title=alert.title,
        data=alert.data,
        source=alert.source,
        author=alert.author,
        severity=alert.severity,
        priority=priority_of(alert),
        runbook_url=alert.runbook_url,
        cluster=alert.cluster,
        namespace=alert.namespace,
        workload=alert.workload,
        labels=alert.labels,
        slack_message_fingerprint=alert.slack_message_fingerprint,
    )


def _native_call(call: NativeCall) -> calls.PublicNativeCall:
    return calls.PublicNativeCall(
        tool=call.tool,
        queries=call.queries,
        sources=_sources(call.sources),
        code=call.code,
        language=call.language,
        output=call.output,
        outcome=call.outcome,
    )


def _sources(sources: Iterable[WebSource]) -> tuple[PublicWebSource, ...]:
    return tuple(PublicWebSource(url=one.url, title=one.title, number=one.number) for one in sources)


def _usage(usage: Usage) -> TokenUsage:
    return TokenUsage(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        thinking_tokens=usage.thinking_tokens,
        cached_input_tokens=usage.cached_input_tokens,
        cache_written_tokens=usage.cache_written_tokens,
        web_searches=usage.web_searches,
    )
