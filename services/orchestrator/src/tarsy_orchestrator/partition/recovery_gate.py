"""Start of a partition's effects: none before all that was reported until the take-over is decided."""

from tarsy_orchestrator.partition.inputs.inbox_progress import InboxProgress
from tarsy_orchestrator.partition.isolation.fault_isolation import EffectsPort, FaultIsolation
from tarsy_orchestrator.partition.memory.session_table import SessionTable
from tarsy_session.state import Investigating, SessionState


class RecoveryGate:
    """`is_open`: effects start."""

    def __init__(self, sessions: SessionTable, isolation: FaultIsolation, effects: EffectsPort) -> None:
        self._sessions = sessions
        self._isolation = isolation
        self._effects = effects
        self._end: int | None = None
        self.is_open = False

    @property
    def has_end(self) -> bool:
        """It is known up to where the inbox has to be decided first."""
        return self._end is not None

    def close(self, end: int | None = None) -> None:
        """Until the inbox is decided up to `end`. Without one it is not known yet. Effects that run go on."""
        self.is_open = False
        self._end = end

    def open_if_due(self, progress: InboxProgress) -> None:
        if self.is_open or self._end is None or not progress.has_passed(self._end):
            return
        self.is_open = True
        for session_id, state in list(self._sessions.open_sessions().items()):
            self.reconcile(session_id, state)

    def reconcile_open(self, session_id: str) -> None:
        state = self._sessions.open_sessions().get(session_id)
        if state is not None:
            self.reconcile(session_id, state)

    def reconcile(self, session_id: str, state: SessionState) -> None:
        """No effect starts before the recovery; what a session at rest owes no longer is cancelled at once."""
        if session_id in self._isolation:
            return
        if self.is_open or not isinstance(state, Investigating):
            with self._isolation.guard(session_id):
                self._effects.reconcile(session_id, state)
