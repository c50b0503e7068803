"""A notification: one event of an investigation, as receivers are told of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from tarsy_config.sections.notifications import NotificationKind, Receiver
from tarsy_contracts.public.budget_events import PublicBudgetReached
from tarsy_contracts.public.call_events import PublicToolCallApprovalRequested
from tarsy_contracts.public.envelope import PublicEnvelope
from tarsy_contracts.public.model import PublicEvent
from tarsy_contracts.public.session_events import (
    PublicSessionCancelled,
    PublicSessionCompleted,
    PublicSessionFailed,
    PublicSessionStarted,
    PublicSessionTimedOut,
)
from tarsy_contracts.public.stage_events import PublicStageCompleted

KINDS: Mapping[type[PublicEvent], NotificationKind] = {
    PublicSessionStarted: "started",
    PublicSessionCompleted: "completed",
    PublicSessionFailed: "failed",
    PublicSessionCancelled: "cancelled",
    PublicSessionTimedOut: "timed_out",
    PublicToolCallApprovalRequested: "approval",
    PublicStageCompleted: "action",
    PublicBudgetReached: "budget",
}
"""Events that receivers are told of."""
NOTHING = "nothing_to_do"


@dataclass(frozen=True, slots=True)
class InvestigatedSession:
    """A session, as notifications speak of it. `fingerprint`: text of the Slack message that told of its alert."""

    id: str
    title: str = ""
    alert_type: str = ""
    chain: str = ""
    severity: str | None = None
    cluster: str | None = None
    namespace: str | None = None
    workload: str | None = None
    fingerprint: str | None = None


@dataclass(frozen=True, slots=True)
class Notification:
    """`value`: the event as it lies on `tarsy.events`. `link`: the session's page; empty where nobody configured it."""

    kind: NotificationKind
    event: PublicEvent
    envelope: PublicEnvelope
    value: bytes
    session: InvestigatedSession
    link: str

    @property
    def happened_at(self) -> datetime:
        return datetime.fromisoformat(self.envelope.time)


def kind_of(event: PublicEvent) -> NotificationKind | None:
    """Receivers are told of a stage only where it wanted to change something."""
    if isinstance(event, PublicStageCompleted) and (event.action is None or event.action.verdict == NOTHING):
        return None
    return KINDS.get(type(event))


def may_want(receiver: Receiver, kind: NotificationKind) -> bool:
    """Whether it depends on the session if the receiver is told; else it never is."""
    return kind in receiver.events or (receiver.type == "slack" and kind == "started")


def wants(receiver: Receiver, kind: NotificationKind, session: InvestigatedSession, event: PublicEvent) -> bool:
    """Whether the receiver is told. Slack is told of each start of an alert that names a message there.

    Labels choose among completed investigations: one that failed was given none, and somebody has to know of it.
    """
    if isinstance(event, PublicSessionCompleted) and receiver.labels and not _has_label(receiver, event):
        return False
    if receiver.chains and session.chain not in receiver.chains:
        return False
    answers_a_message = receiver.type == "slack" and kind == "started" and session.fingerprint is not None
    return kind in receiver.events or answers_a_message


def _has_label(receiver: Receiver, event: PublicSessionCompleted) -> bool:
    given = {label.casefold() for label in event.session_labels}
    return not given.isdisjoint(label.casefold() for label in receiver.labels)


def session_of(event: PublicSessionStarted, session_id: str) -> InvestigatedSession:
    alert = event.alert
    return InvestigatedSession(
        id=session_id,
        title=alert.title,
        alert_type=alert.alert_type,
        chain=event.chain,
        severity=alert.severity,
        cluster=alert.cluster,
        namespace=alert.namespace,
        workload=alert.workload,
        fingerprint=alert.slack_message_fingerprint,
    )


def link_to(dashboard_url: str, session_id: str) -> str:
    return f"{dashboard_url}/sessions/{session_id}" if dashboard_url else ""
