"""Decisions on phases after the end: when one begins, and how it gives way to a person. Pure."""

from collections.abc import Sequence

from tarsy_contracts import events as e
from tarsy_contracts.wire.ids import phase_id
from tarsy_session.phases import PHASES
from tarsy_session.state import AtRest, Investigating
from tarsy_session.state_queries import has_loose_ends
from tarsy_session.termination import interrupt

MOST_RUNS = 20
"""Most runs of one phase in a session, interrupted ones included: a rule that never rests would cost money."""


def request_due_phase(state: AtRest) -> Sequence[e.PhaseRequested]:
    """The one that gave way to a question, or the first of the table whose rule wants it now.

    No death lies between it and the event that made it due.
    """
    interrupted = _find_interrupted(state)
    if interrupted is not None and _may_begin(state, interrupted.phase):
        id, author = interrupted.request_id, interrupted.author
        return [request_phase(state, interrupted.phase, request_id=id, author=author)]
    due = next((name for name, phase in PHASES.items() if phase.due(state) and _may_begin(state, name)), None)
    return [] if due is None else [request_phase(state, due)]


def request_phase(state: AtRest, phase: str, *, request_id: str = "", author: str = "") -> e.PhaseRequested:
    """`request_id`, `author`: of who wants it; empty for a rule."""
    number = len(state.phase_runs) + 1
    id = phase_id(state.id_root, number)
    return e.PhaseRequested(phase=phase, phase_id=id, number=number, request_id=request_id, author=author)


def interrupt_phase(state: Investigating) -> list[e.Event]:
    """Ends the work of a phase that gives way, and leaves the session open for what goes first."""
    return interrupt(state, f"the {state.life.phase} gave way to a person")


def _find_interrupted(state: AtRest) -> e.PhaseRequested | None:
    last = state.phase_runs[-1] if state.phase_runs else None
    return last.requested if last is not None and last.completed is None else None


def _may_begin(state: AtRest, phase: str) -> bool:
    """There is something to work on, and no part of it would go on by itself."""
    runs = sum(run.requested.phase == phase for run in state.phase_runs)
    return bool(state.stages) and state.started is not None and not has_loose_ends(state) and runs < MOST_RUNS
