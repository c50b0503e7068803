"""Metrics of how investigations ended by chain and alert type, and of how long calls waited for a person."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from prometheus_client import CollectorRegistry, Counter, Histogram

from tarsy_contracts.events import SESSION_ENDINGS, SessionStarted, ToolCallApprovalDecided
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_session.state import AtRest, Investigating, SessionState

OTHER = "other"
MOST_NAMES = 100
"""Chains, and alert types, that become labels: those of the configuration that it names first."""
WAIT_SECONDS = (10, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400)
SESSION_SECONDS = (5, 15, 30, 60, 120, 300, 600, 1200, 2400, 7200)


class OutcomeMetrics:
    """No name becomes a label that the configuration never had: alerts name their types as they like."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._chains: dict[str, None] = {}
        self._alert_types: dict[str, None] = {}
        self._ended = Counter(
            "tarsy_orchestrator_chain_sessions_ended_total",
            "Investigations that ended here, by chain, alert type and status",
            ["chain", "alert_type", "status"],
            registry=registry,
        )
        self._duration = Histogram(
            "tarsy_orchestrator_chain_session_duration_seconds",
            "From the first event of a completed investigation to its last, by Kafka's stamps",
            ["chain"],
            buckets=SESSION_SECONDS,
            registry=registry,
        )
        self._waited = Histogram(
            "tarsy_orchestrator_approval_wait_seconds",
            "How long a tool call waited for a person, by how that ended and by Kafka's stamps",
            ["outcome"],
            buckets=WAIT_SECONDS,
            registry=registry,
        )

    def know(self, chains: Iterable[str], alert_types: Iterable[str]) -> None:
        """These are labels from now on, too."""
        for known, names in ((self._chains, chains), (self._alert_types, alert_types)):
            known.update(dict.fromkeys(names))
            for name in list(known)[MOST_NAMES:]:
                del known[name]

    def record_event(self, record: RecordedEvent, state: SessionState | None, opened_at: datetime | None) -> None:
        """Counts an event of a decision of ours that came back. `state`: what it made of the session's."""
        if not isinstance(state, Investigating | AtRest):
            return
        if isinstance(record.event, ToolCallApprovalDecided):
            self._observe_wait(record.event, record.appended_at, state)
        elif record.envelope.type in SESSION_ENDINGS and state.started is not None:
            lasted = None if opened_at is None else record.appended_at - opened_at
            self._count_end(record.envelope.type.removeprefix("session."), state.started, lasted)

    def _observe_wait(self, decided: ToolCallApprovalDecided, at: datetime, state: Investigating | AtRest) -> None:
        call = state.calls.get(decided.call_id)
        if call is not None and call.approval is not None:
            self._waited.labels(decided.outcome).observe((at - call.approval.since).total_seconds())

    def _count_end(self, status: str, started: SessionStarted, lasted: timedelta | None) -> None:
        chain = started.chain.chain_id if started.chain.chain_id in self._chains else OTHER
        alert_type = started.alert.alert_type if started.alert.alert_type in self._alert_types else OTHER
        self._ended.labels(chain, alert_type, status).inc()
        if lasted is not None and status == "completed":
            self._duration.labels(chain).observe(lasted.total_seconds())
