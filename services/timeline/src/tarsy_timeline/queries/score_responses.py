"""REST answers about scores, made of rows. Pure."""

from collections.abc import Sequence

from pydantic import ValidationError

from tarsy_contracts.api.scores import SessionScore, SessionScores
from tarsy_contracts.scores import Score, ToolRemark
from tarsy_contracts.wire.envelope import wire_time
from tarsy_timeline.rows.session_rows import Row

AUTO = "auto"
INTERRUPTED = "interrupted"


def session_scores(rows: Sequence[Row]) -> SessionScores:
    """`rows`: one at least, in their order. A run that another one followed before its end gave way to a person."""
    last = len(rows) - 1
    scores = [_to_score(row, is_last=place == last) for place, row in enumerate(rows)]
    return SessionScores(**dict(scores[-1]), history=tuple(reversed(scores)))


def _to_score(row: Row, *, is_last: bool) -> SessionScore:
    result = _read_result(row)
    ended = row["completed_at"]
    return SessionScore(
        score_id=row["phase_id"],
        number=row["number"],
        status=row["status"] if ended is not None or is_last else INTERRUPTED,
        total_score=row["score"],
        score_analysis=None if result is None else describe_score(result),
        tool_improvement_report=None if result is None else describe_tools(result),
        failure_tags=() if result is None else result.tags,
        prompt_hash=None if result is None else result.prompt_digest,
        score_triggered_by=row["author"] or AUTO,
        stage_id=row["stage_id"],
        started_at=wire_time(row["requested_at"]),
        completed_at=None if ended is None else wire_time(ended),
        error_message=row["error"],
        result=result,
    )


def _read_result(row: Row) -> Score | None:
    try:
        return None if row["result"] is None else Score.model_validate(row["result"])
    except ValidationError:
        return None


def describe_score(result: Score) -> str:
    lines = [f"{name}: {points}" for name, points in result.dimensions.items()]
    for one in result.deductions:
        cited = ", ".join(f"call {call}" for call in one.calls) or "no call"
        lines.append(f"-{one.points:g} {one.dimension}: {one.reason} [{cited}]")
    return "\n".join([result.summary, *lines]).strip()


def describe_tools(result: Score) -> str:
    never = ", ".join(result.tools.never_used)
    lines = [*_describe_remarks("Missing", result.tools.missing)]
    lines += _describe_remarks("Misleading", result.tools.misleading)
    return "\n".join([*lines, *([f"Never used: {never}"] if never else [])])


def _describe_remarks(title: str, remarks: Sequence[ToolRemark]) -> list[str]:
    return [f"{title}: {one.tool}: {one.why}" for one in remarks]
