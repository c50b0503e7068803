"""Transcript of a finished investigation and its chat, for the one who answers the next question. Bounded, and pure.

Where it is too long, whole texts are left out, the oldest first: results of tools, then thoughts, then calls.
Conclusions, questions, answers and all of the newest reply stay; they are shortened only when they alone are too long.
"""

from collections.abc import Callable, Iterator, Sequence
from string import Template

from tarsy_session.prompts.material import AgentHistory, Investigated, ReplyHistory, StageHistory
from tarsy_session.prompts.pieces import NAME_LIMIT, NATIVE_TOOL, HistoryPiece, pieces_of
from tarsy_session.text import render_time, share_out, to_one_line

INVESTIGATION = Template("""\
## The investigation

How it ended: $ended.""")
STAGE = Template('### Stage "$stage" ($status)')
AGENT = Template("#### Agent $agent ($status)")
REPLY = Template("### Question $number, by $author, $at")
EARLIER = "## Questions so far"

LEFT_OUT = Template(
    "To keep this within what you can read, the oldest texts were left out: $texts. A mark stands where a result was."
)
RESULT_LEFT_OUT = Template('$cited[A result of $size characters was left out here: result "$result".]')
KINDS: Sequence[tuple[str, Callable[[HistoryPiece], bool]]] = (
    ("results of tools", lambda piece: piece.is_result),
    ("thoughts and words on the way", lambda piece: piece.is_thought),
    ("calls", lambda piece: piece.name in ("TOOL CALL", NATIVE_TOOL)),
)
"""Kinds of texts that may be left out, in their order, and how to recognise each."""


def compose_transcript(investigated: Investigated, limit: int) -> str:
    """`limit`: characters, nearly."""
    lines = [*_investigation_lines(investigated), *_reply_lines(investigated.replies)]
    newest = _begin_of_newest(lines)
    dropped, counts = _choose_dropped(lines, newest, limit)
    limits = _share_limits([line for number, line in enumerate(lines) if number not in dropped], limit)
    text = "\n\n".join(_render_lines(lines, dropped, limits))
    return f"{_left_out_note(counts)}\n\n{text}" if counts else text


type Line = HistoryPiece | str
"""A text, or a heading of ours."""


def _investigation_lines(investigated: Investigated) -> Iterator[Line]:
    yield INVESTIGATION.substitute(ended=to_one_line(investigated.ended, NAME_LIMIT))
    for stage in investigated.stages:
        yield from _stage_lines(stage)


def _stage_lines(stage: StageHistory) -> Iterator[Line]:
    yield STAGE.substitute(stage=to_one_line(stage.name, NAME_LIMIT), status=_status_words(stage.status))
    for agent in stage.agents:
        yield AGENT.substitute(agent=to_one_line(agent.agent, NAME_LIMIT), status=_status_words(agent.status))
        yield from _step_pieces(agent)
        yield from _end_pieces(agent, "ANALYSIS")


def _reply_lines(replies: Sequence[ReplyHistory]) -> Iterator[Line]:
    if replies:
        yield EARLIER
    for number, reply in enumerate(replies, 1):
        yield REPLY.substitute(number=number, author=to_one_line(reply.author, NAME_LIMIT), at=render_time(reply.at))
        yield HistoryPiece("", "QUESTION", reply.question)
        if reply.answer is not None:
            yield from _step_pieces(reply.answer)
            yield from _end_pieces(reply.answer, "ANSWER")


def _step_pieces(agent: AgentHistory) -> Iterator[HistoryPiece]:
    for pieces in pieces_of(agent.steps, agent.analysis):
        yield from pieces


def _end_pieces(agent: AgentHistory, name: str) -> Iterator[HistoryPiece]:
    if agent.analysis.strip():
        yield HistoryPiece("", name, agent.analysis)
    if agent.error.strip():
        yield HistoryPiece("", "ERROR", agent.error)


def _begin_of_newest(lines: Sequence[Line]) -> int:
    """Returns the place from which nothing is left out: the last question, if there is one."""
    questions = [at for at, line in enumerate(lines) if isinstance(line, HistoryPiece) and line.name == "QUESTION"]
    return questions[-1] if questions else len(lines)


def _choose_dropped(lines: Sequence[Line], newest: int, limit: int) -> tuple[set[int], list[tuple[str, int]]]:
    """Returns the places that are left out, and how many of each kind."""
    over = sum(map(_size_of_line, lines)) - limit
    dropped: set[int] = set()
    counts: list[tuple[str, int]] = []
    for name, is_one in KINDS:
        before = len(dropped)
        for at, line in enumerate(lines[:newest]):
            if over <= 0:
                break
            if isinstance(line, HistoryPiece) and is_one(line) and (gain := line.size - len(_left_out_mark(line))) > 0:
                dropped.add(at)
                over -= gain
        if len(dropped) > before:
            counts.append((name, len(dropped) - before))
    return dropped, counts


def _share_limits(kept: Sequence[Line], limit: int) -> Iterator[int]:
    """Yields the room of each text that is kept: what it needs, unless all together need too much."""
    pieces = [line for line in kept if isinstance(line, HistoryPiece)]
    frame = sum(map(_size_of_line, kept)) - sum(len(piece.text) for piece in pieces)
    yield from share_out([len(piece.text) for piece in pieces], limit - frame)


def _render_lines(lines: Sequence[Line], dropped: set[int], limits: Iterator[int]) -> Iterator[str]:
    for at, line in enumerate(lines):
        if isinstance(line, str):
            yield line
        elif at not in dropped:
            yield line.render(next(limits))
        elif mark := _left_out_mark(line):
            yield mark


def _left_out_mark(piece: HistoryPiece) -> str:
    if not piece.is_result:
        return ""
    cited = f"{piece.cited} " if piece.cited else ""
    return RESULT_LEFT_OUT.substitute(cited=cited, size=len(piece.text), result=piece.result)


def _left_out_note(counts: Sequence[tuple[str, int]]) -> str:
    return LEFT_OUT.substitute(texts=", ".join(f"{count} {name}" for name, count in counts))


def _size_of_line(line: Line) -> int:
    return len(line) if isinstance(line, str) else line.size


def _status_words(status: str) -> str:
    return status.replace("_", " ")
