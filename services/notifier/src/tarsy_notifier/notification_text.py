"""The words of a notification, for every kind of receiver: pure. They were masked before they came to the log."""

from tarsy_contracts.actions import ActionOutcome, describe_action
from tarsy_contracts.budgets import describe_spent, resource_of
from tarsy_contracts.citations import without_citations
from tarsy_contracts.public.budget_events import PublicBudgetReached
from tarsy_contracts.public.call_events import PublicToolCallApprovalRequested
from tarsy_contracts.public.session_events import (
    PublicSessionCancelled,
    PublicSessionCompleted,
    PublicSessionFailed,
    PublicSessionTimedOut,
)
from tarsy_contracts.public.stage_events import PublicStageCompleted
from tarsy_notifier.notification import Notification

MOST_LIMITS = 3


def title_of(notification: Notification) -> str:
    return notification.session.title or f"session {notification.session.id}"


def details_of(notification: Notification) -> str:
    """The result, or why there is none; empty at the start."""
    match notification.event:
        case PublicSessionCompleted() as event:
            limits = [f"Limited evidence: {limit}" for limit in limits_of(notification)]
            return "\n".join([*limits, without_citations(_result(event))])
        case PublicSessionFailed() | PublicSessionTimedOut() as event:
            return event.error
        case PublicSessionCancelled() as event:
            return f"By {event.author}. {event.reason}".strip() if event.author else event.reason
        case PublicToolCallApprovalRequested() as event:
            minutes = round(event.timeout_seconds / 60)
            decision = f"Anyone with the role {event.role} can decide within {minutes} minutes."
            return f"{event.server}.{event.tool}: {event.reason}\n{decision}"
        case PublicStageCompleted(action=outcome) if outcome is not None:
            calls = [f"{call.server}.{call.tool}: {call.result}" for call in outcome.calls]
            return "\n".join([describe_action(ActionOutcome.model_validate(outcome.model_dump())), *calls])
        case PublicBudgetReached() as event:
            return _describe_budget(event)
        case _:
            return ""


def _describe_budget(event: PublicBudgetReached) -> str:
    spent = describe_spent(event.budget_id, resource_of(event.resource), event.spent, event.limit)
    if event.at_end != "ask":
        return f"{spent}."
    return (
        f"{spent}.\nAnyone with the role {event.role} can extend it within {round(event.timeout_seconds / 60)} minutes."
    )


def verdict_of(notification: Notification) -> str | None:
    """Returns the verdict of a stage that acts; None for all other events."""
    event = notification.event
    return event.action.verdict if isinstance(event, PublicStageCompleted) and event.action is not None else None


def _result(event: PublicSessionCompleted) -> str:
    """A partial analysis mostly says itself why it is one; its executive summary may not."""
    text, why = event.executive_summary or event.analysis, event.partial_reason
    return f"Partial analysis: {why}\n\n{text}" if why not in text else text


def is_partial(notification: Notification) -> bool:
    """The investigation has ended with an analysis that is less than whole."""
    return isinstance(notification.event, PublicSessionCompleted) and bool(notification.event.partial_reason)


def limits_of(notification: Notification) -> tuple[str, ...]:
    """The first sentences on what the evidence lacks."""
    event = notification.event
    return event.evidence_limits[:MOST_LIMITS] if isinstance(event, PublicSessionCompleted) else ()


def cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
