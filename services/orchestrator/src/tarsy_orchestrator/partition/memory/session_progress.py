"""Progress of the sessions of all owned partitions, while some of them wait. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from tarsy_contracts import events as e

INTAKE = frozenset(
    kind.type
    for kind in (
        e.SessionStarted,
        e.SessionReopened,
        e.PhaseRequested,
        e.AlertRepeated,
        e.AlertResolved,
        e.QuestionAsked,
        e.RequestAccepted,
        e.RequestRefused,
        e.ToolCallReleased,
        e.SummaryReleased,
    )
)
"""Events with which no session gets on: what came in, and calls that a worker gave back."""


@dataclass(frozen=True, slots=True)
class SessionSteps:
    """How many events of a partition got a session on in this tenure, and whether a call waits to be claimed."""

    made: int
    waiting: bool


class SessionProgress:
    def __init__(self) -> None:
        self._made = 0

    def has_moved(self, partitions: Sequence[SessionSteps], *, turns_wait: bool) -> bool:
        """True when any session got on since the last look, or none waits: for its turn, or for a worker."""
        before, self._made = self._made, sum(steps.made for steps in partitions)
        return self._made != before or not (turns_wait or any(steps.waiting for steps in partitions))
