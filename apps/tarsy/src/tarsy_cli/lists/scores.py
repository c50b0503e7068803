"""`tarsy score`."""

from rich.console import Console
from rich.text import Text

from tarsy_contracts.api.scores import SessionScore, SessionScores
from tarsy_local.terminal_text import one_line, printable

LINE = "{:>5}  {:12}  {:24}  {:16}  {}"


def print_scores(found: SessionScores, console: Console) -> None:
    console.print(Text(LINE.format("score", "status", "when", "by", "tags"), style="bold"))
    for one in found.history:
        console.print(Text(LINE.format(*map(one_line, _list_cells(one)))))
    for text in (found.score_analysis, found.tool_improvement_report, found.error_message):
        if text:
            console.print(Text(f"\n{printable(text)}"))


def _list_cells(one: SessionScore) -> tuple[str, ...]:
    score = "" if one.total_score is None else str(one.total_score)
    return score, one.status, one.started_at, one.score_triggered_by, ", ".join(one.failure_tags)
