"""From an accepted event of the session log to the public event that other teams read: pure.

At most one each, so that session and sequence name one event. It sees one event at a time, as the publisher has no
state. All text was masked before it came to the log.
"""

from typing import assert_never

from tarsy_contracts import events as e
from tarsy_contracts.alert import priority_of
from tarsy_contracts.budgets import NOTHING_SPENT
from tarsy_contracts.events.execution import CostFacts
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_contracts.public import budget_events as budget
from tarsy_contracts.public import call_events as calls
from tarsy_contracts.public import chat_events as chat
from tarsy_contracts.public import memory_events as memory
from tarsy_contracts.public import phase_events as phase
from tarsy_contracts.public import review_events as review
from tarsy_contracts.public import session_events as session
from tarsy_contracts.public import stage_events as stage
from tarsy_contracts.public.envelope import PublicEnvelope
from tarsy_contracts.public.model import PublicEvent
from tarsy_contracts.wire.envelope import wire_time
from tarsy_contracts.wire.same_fields import copy_fields

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
            return copy_fields(
                session.PublicSessionCompleted, event, analysis=event.final_analysis, session_labels=event.labels
            )
        case e.SessionFailed():
            return copy_fields(session.PublicSessionFailed, event)
        case e.SessionCancelled():
            return session.PublicSessionCancelled(author=event.author, reason=event.reason or event.comment)
        case e.SessionTimedOut():
            return copy_fields(session.PublicSessionTimedOut, event)
        case e.SessionReopened():
            return session.PublicSessionReopened()
        case e.SessionDeleted():
            return copy_fields(session.PublicSessionDeleted, event)
        case e.AlertRepeated():
            return copy_fields(session.PublicAlertRepeated, event)
        case e.AlertResolved():
            return copy_fields(session.PublicAlertResolved, event)
        case e.StageStarted():
            return copy_fields(stage.PublicStageStarted, event, agents=event.expected_agent_count)
        case e.StageCompleted():
            return copy_fields(stage.PublicStageCompleted, event)
        case e.ExecutionStarted():
            return copy_fields(stage.PublicExecutionStarted, event)
        case e.ProviderFellBack():
            return copy_fields(stage.PublicExecutionFellBack, event)
        case e.ExecutionCompleted():
            costs = CostFacts.of(event.spending or NOTHING_SPENT).model_dump()
            return copy_fields(stage.PublicExecutionCompleted, event, analysis=event.final_analysis, **costs)
        case e.LlmCallCompleted():
            return copy_fields(calls.PublicLlmCallCompleted, event)
        case e.LlmCallFailed():
            return copy_fields(calls.PublicLlmCallFailed, event)
        case e.ToolCallRequested():
            return copy_fields(calls.PublicToolCallRequested, event)
        case e.ToolCallApprovalRequested():
            return copy_fields(calls.PublicToolCallApprovalRequested, event)
        case e.ToolCallApprovalDecided():
            return copy_fields(calls.PublicToolCallApprovalDecided, event)
        case e.ToolCallStarted():
            return copy_fields(calls.PublicToolCallStarted, event)
        case e.ToolCallCompleted():
            return copy_fields(calls.PublicToolCallCompleted, event)
        case e.ToolCallOutcomeLearned():
            return copy_fields(calls.PublicToolCallOutcomeLearned, event)
        case e.SummaryCompleted():
            return copy_fields(calls.PublicSummaryCompleted, event)
        case e.SummaryFailed():
            return copy_fields(calls.PublicSummaryFailed, event)
        case e.QuestionAsked():
            return copy_fields(chat.PublicChatAsked, event)
        case e.ReplyCompleted():
            return copy_fields(chat.PublicChatAnswered, event)
        case e.PhaseRequested():
            return copy_fields(phase.PublicPhaseRequested, event)
        case e.PhaseCompleted():
            return copy_fields(phase.PublicPhaseCompleted, event)
        case e.BudgetWarned():
            return copy_fields(budget.PublicBudgetWarned, event)
        case e.BudgetReached():
            return copy_fields(budget.PublicBudgetReached, event)
        case e.BudgetDecided():
            return copy_fields(budget.PublicBudgetDecided, event, **event.extension.model_dump())
        case e.ReviewChanged():
            return copy_fields(review.PublicReviewChanged, event)
        case e.MemoryLearned():
            return copy_fields(memory.PublicMemoryLearned, event)
        case e.MemoryReinforced():
            return copy_fields(memory.PublicMemoryReinforced, event)
        case e.MemoryDeprecated():
            return copy_fields(memory.PublicMemoryDeprecated, event)
        case e.MemoryEdited():
            return copy_fields(memory.PublicMemoryEdited, event)
        case e.MemoryErased():
            return copy_fields(memory.PublicMemoryErased, event)
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
    alert = event.alert
    return session.PublicSessionStarted(
        alert=copy_fields(session.InvestigatedAlert, alert, priority=priority_of(alert)),
        chain=event.chain.chain_id,
        stages=tuple(stage.name for stage in event.chain.stages),
        rerun_of=None if alert.rerun is None else alert.rerun.parent_id,
        session_labels=event.labels,
    )
