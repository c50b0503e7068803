"""Progress of an owner, as readiness follows it: it owns, it decides, and sessions that wait get on."""

from collections.abc import Mapping

from tarsy_orchestrator.effects.dependencies import Dependencies
from tarsy_orchestrator.partition.decision_progress import DecisionProgress
from tarsy_orchestrator.partition.memory.session_progress import SessionProgress
from tarsy_orchestrator.partition.partition import Partition

WAITING_SESSIONS = "sessions that wait"


class OwnerProgress:
    """Its loops begin when it is made."""

    def __init__(self, deps: Dependencies) -> None:
        self._admission = deps.admission
        self._decisions, self._sessions = DecisionProgress(), SessionProgress()
        steps = deps.supervisor.heartbeat_for
        self._owns, self._decides = steps("ownership"), steps("decisions")
        # Degraded, not unready: a model that is slow makes sessions wait, and no other owner would be faster.
        self._gets_on = steps(WAITING_SESSIONS, essential=False)

    def look(self, partitions: Mapping[int, Partition], *, owns_all: bool) -> None:
        """`owns_all`: inputs of all assigned partitions are handed out."""
        if owns_all:
            self._owns()
        if self._decisions.has_moved({number: one.decisions for number, one in partitions.items()}):
            self._decides()
        if self._sessions.has_moved([one.steps for one in partitions.values()], turns_wait=self._admission.waiting > 0):
            self._gets_on()
