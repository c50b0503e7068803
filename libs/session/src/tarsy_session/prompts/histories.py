"""Histories of several agents for the one who joins them: bounded, and shared fairly between them. Pure."""

from collections.abc import Sequence
from itertools import chain
from string import Template

from tarsy_session.prompts.material import AgentHistory, HistoryStep
from tarsy_session.prompts.pieces import HistoryPiece, pieces_of
from tarsy_session.text import fence, share_out, shorten

HISTORIES_LIMIT = 400_000
"""Characters of all histories together."""
ERROR_LIMIT = 4000
AGENT_ROOM = 500

AGENT = Template("### Agent $number of $count: $agent ($status)")

NO_ANALYSIS = "It has no analysis."
NO_STEPS = "It took no step."
STEPS_LEFT_OUT = Template("[Steps left out: $count]")


def compose_histories(histories: Sequence[AgentHistory], limit: int) -> str:
    """Analyses and errors come first; the rest of the room is for the steps."""
    left = limit - AGENT_ROOM * len(histories)
    ends = share_out([len(history.analysis) + min(len(history.error), ERROR_LIMIT) for history in histories], left)
    steps = [pieces_of(history.steps, history.analysis) for history in histories]
    rooms = share_out([sum(map(_total_size, each)) for each in steps], left - sum(ends))
    return "\n\n".join(
        "\n\n".join(
            (
                _agent_heading(history, number, len(histories)),
                *_render_end(history, end),
                *_render_steps(pieces, capacity),
            )
        )
        for number, (history, end, pieces, capacity) in enumerate(zip(histories, ends, steps, rooms, strict=True), 1)
    )


def compose_steps(steps: Sequence[HistoryStep], limit: int) -> str:
    """The steps of one agent. The newest are whole while they take half of the room; older ones share the rest."""
    numbered = pieces_of(steps)
    whole = _count_newest_within(numbered, limit // 2)
    newest = list(chain(*numbered[len(numbered) - whole :]))
    older = numbered[: len(numbered) - whole]
    earlier = _render_steps(older, limit - _total_size(newest)) if older else []
    return "\n\n".join([*earlier, *(piece.render(len(piece.text)) for piece in newest)])


def _count_newest_within(steps: Sequence[Sequence[HistoryPiece]], limit: int) -> int:
    count = 0
    for pieces in reversed(steps):
        limit -= _total_size(pieces)
        if limit < 0:
            break
        count += 1
    return count


def _agent_heading(history: AgentHistory, number: int, count: int) -> str:
    return AGENT.substitute(number=number, count=count, agent=history.agent, status=history.status.replace("_", " "))


def _render_end(history: AgentHistory, limit: int) -> list[str]:
    error = shorten(history.error, ERROR_LIMIT)
    analysis = shorten(history.analysis, limit - min(len(history.error), ERROR_LIMIT))
    parts = [fence("ANALYSIS", analysis) if analysis.strip() else NO_ANALYSIS]
    return [*parts, fence("ERROR", error)] if error.strip() else parts


def _total_size(pieces: Sequence[HistoryPiece]) -> int:
    return sum(piece.size for piece in pieces)


def _render_steps(steps: Sequence[Sequence[HistoryPiece]], limit: int) -> list[str]:
    """Those in the middle are left out, when marks alone would take more than half of the room."""
    if not steps:
        return [NO_STEPS]
    widest = max(sum(piece.overhead for piece in pieces) for pieces in steps)
    most = max(limit // 2 // widest, 2)
    if len(steps) <= most or sum(map(_total_size, steps)) <= limit:
        return _render_within(list(chain(*steps)), limit)
    head, tail = steps[: most - most // 2], steps[-(most // 2) :]
    texts = _render_within(list(chain(*head, *tail)), limit)
    texts.insert(sum(map(len, head)), STEPS_LEFT_OUT.substitute(count=len(steps) - most))
    return texts


def _render_within(pieces: Sequence[HistoryPiece], limit: int) -> list[str]:
    """Results are shortened first, down to a quarter of the room, and then all else."""
    capacity = limit - sum(piece.overhead for piece in pieces)
    results = [len(piece.text) if piece.is_result else 0 for piece in pieces]
    words = [0 if piece.is_result else len(piece.text) for piece in pieces]
    for_results = min(sum(results), max(capacity - sum(words), capacity // 4))
    limits = map(sum, zip(share_out(results, for_results), share_out(words, capacity - for_results), strict=True))
    return [piece.render(limit) for piece, limit in zip(pieces, limits, strict=True)]
