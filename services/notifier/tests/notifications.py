"""Notifications as tests make them: real public events, in real headers."""

from datetime import UTC, datetime, timedelta

from tarsy_contracts.public.call_events import PublicToolCallApprovalRequested
from tarsy_contracts.public.envelope import PublicEnvelope
from tarsy_contracts.public.model import PublicEvent
from tarsy_contracts.public.session_events import InvestigatedAlert, PublicSessionCompleted, PublicSessionStarted
from tarsy_contracts.public.stage_events import CountedAction, CountedCall, PublicStageCompleted
from tarsy_notifier.notification import InvestigatedSession, Notification, kind_of, session_of

NOW = datetime(2026, 11, 26, 3, 0, tzinfo=UTC)
STARTED = PublicSessionStarted(
    alert=InvestigatedAlert(
        alert_type="kubernetes",
        title="Pod <crashes> & burns",
        data="the pod crashes",
        source="api",
        author="ann",
        severity="critical",
        cluster="eu1",
        namespace="shop",
        workload="cart",
    ),
    chain="kubernetes",
)
SESSION = session_of(STARTED, "s-1")
COMPLETED = PublicSessionCompleted(analysis="the whole analysis", executive_summary="The disk was full.")
APPROVAL = PublicToolCallApprovalRequested(
    call_id="c-1",
    execution_id="e-1",
    server="kubernetes",
    tool="pods_delete",
    arguments={"name": "cart-1"},
    reason="It restarts the pod.",
    role="responder",
    timeout_seconds=1800.0,
    on_timeout="deny",
)

ACTED = PublicStageCompleted(
    stage_id="st-1",
    index=2,
    name="act",
    status="completed",
    action=CountedAction(
        verdict="acted",
        done=1,
        calls=(CountedCall(call_id="c", server="kubernetes", tool="pods_delete", result="done", approved_by="ann"),),
        helped="yes",
    ),
)


def envelope_of(
    event: PublicEvent, *, session_id: str = "s-1", sequence: int = 5, at: datetime = NOW, event_id: str = ""
) -> PublicEnvelope:
    return PublicEnvelope(
        id=event_id or f"{session_id}-{sequence}",
        type=event.type,
        source="tarsy.events",
        subject=session_id,
        time=at.isoformat(),
        dataschema=event.dataschema(),
        sequence=sequence,
        log_offset=sequence,
    )


def notification_of(
    event: PublicEvent, session: InvestigatedSession = SESSION, *, link: str = "", sequence: int = 5
) -> Notification:
    kind = kind_of(event)
    assert kind is not None
    envelope = envelope_of(event, session_id=session.id, sequence=sequence)
    return Notification(kind, event, envelope, event.to_bytes(), session, link)


def long_ago(hours: float) -> datetime:
    return NOW - timedelta(hours=hours)
