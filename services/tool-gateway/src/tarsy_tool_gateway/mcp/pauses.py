"""Pauses between sessions with an MCP server: seconds after one was lost, minutes after its list was refused."""

from tarsy_bus.retries import draw_growing_pauses

FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.2, 30.0
FIRST_REFUSED_SECONDS, LONGEST_REFUSED_SECONDS = 60.0, 900.0
"""The server will hardly list anything else a moment later."""
STABLE_SECONDS = 30.0


class ReconnectPauses:
    """They grow, until a session was stable."""

    def __init__(self) -> None:
        self._begin_again()

    def take(self, lasted_seconds: float, *, refused: bool) -> float:
        """Seconds to wait. `lasted_seconds`: of the session before. `refused`: its list of tools was."""
        if lasted_seconds > STABLE_SECONDS and not refused:
            self._begin_again()
        return next(self._refused if refused else self._lost)

    def _begin_again(self) -> None:
        self._lost = draw_growing_pauses(FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS)
        self._refused = draw_growing_pauses(FIRST_REFUSED_SECONDS, LONGEST_REFUSED_SECONDS)
