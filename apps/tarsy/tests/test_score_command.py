"""`tarsy score`: the runs of the judge, the latest first, and what the last one said."""

import io

from rich.console import Console

from tarsy_cli.lists.scores import print_scores
from tarsy_contracts.api.scores import SessionScore, SessionScores

LATEST = SessionScore(
    score_id="2", number=2, status="completed", total_score=72, score_analysis="Thin.\x1b[2J",
    tool_improvement_report="Missing: memory", failure_tags=("incomplete_evidence",), prompt_hash="d",
    score_triggered_by="ann", stage_id="s", started_at="2026-11-30T08:00:00.000Z", completed_at=None,
    error_message=None,
)  # fmt: skip
FAILED = LATEST.model_copy(update={"status": "failed", "total_score": None, "failure_tags": ()})


def test_each_run_has_a_line_and_the_last_one_its_words() -> None:
    out = io.StringIO()
    scores = SessionScores(**dict(LATEST), history=(LATEST, FAILED))
    print_scores(scores, Console(file=out, color_system=None, soft_wrap=True))
    heading, latest, failed, *rest = out.getvalue().splitlines()
    assert heading.split() == ["score", "status", "when", "by", "tags"]
    assert latest.split() == ["72", "completed", "2026-11-30T08:00:00.000Z", "ann", "incomplete_evidence"]
    assert failed.split()[0] == "failed"
    assert "Missing: memory" in rest
    assert "\x1b" not in out.getvalue()
