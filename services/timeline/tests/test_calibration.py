"""Forecasts of judges and of analyses, against what people said afterwards."""

from typing import Any

import pytest
from projected_world import NewSession, World, records

from tarsy_contracts import events as e
from tarsy_contracts.confidence import CONFIDENCES, read_confidence
from tarsy_contracts.scores import SCORING, Score
from tarsy_testing.story.whole_chain import begun
from tarsy_timeline.queries.calibration import FORECASTS, calibration_report

ALWAYS = "from=2026-01-01&to=2026-12-31"


def rated(rating: str, *, score: int | None = None, confidence: str | None = None, judge: str = "j") -> dict[str, Any]:
    return {"quality_rating": rating, "score": score, "confidence": confidence, "judge": judge, "prompt": "p"}


def test_a_judge_that_knows_has_no_error_and_one_that_flatters_is_over_confident() -> None:
    knows = [rated("accurate", score=100), rated("wrong", score=0), rated("partly", score=50)]
    flatters = [rated("wrong", score=90, judge="k"), rated("partly", score=90, judge="k")]
    good, kind = calibration_report([*knows, *flatters]).judges
    assert (good.rated, good.brier, good.over_confidence) == (3, 0.0, 0.0)
    assert (good.mean_accurate, good.mean_partly, good.mean_wrong) == (100.0, 50.0, 0.0)
    assert (kind.judge, kind.rated, kind.brier, kind.over_confidence) == ("k", 2, 0.485, 0.65)
    assert kind.mean_accurate is None


def test_how_often_an_analysis_that_is_sure_was_right() -> None:
    rows = [rated("accurate", confidence="high"), rated("wrong", confidence="high"), rated("wrong", confidence="low")]
    report = calibration_report([*rows, rated("accurate"), rated("accurate", confidence="perhaps")])
    high, low = report.confidences
    assert (high.confidence, high.rated, high.accurate, high.over_confidence) == ("high", 2, 1, 0.4)
    assert (low.confidence, low.brier) == ("low", 0.09)
    assert (report.rated, report.all_confidences.rated) == (5, 3)
    assert set(FORECASTS) == set(CONFIDENCES)


def test_where_nothing_was_rated_nothing_is_claimed() -> None:
    report = calibration_report([])
    assert (report.judges, report.confidences, report.all_confidences.brier) == ((), (), None)


@pytest.mark.parametrize(
    ("analysis", "confidence"),
    [
        ("A leak.\n\nConfidence: high - in the log", "high"),
        ("**Confidence:** Medium", "medium"),
        ("3. confidence: low, nobody looked", "low"),
        ("```\nConfidence: high\n```", None),
        ("Confidence: highest", None),
        ("A leak.", None),
        ("confidence" + " " * 100_000, None),
    ],
)
def test_the_confidence_is_a_line_of_the_analysis(analysis: str, confidence: str | None) -> None:
    assert read_confidence(analysis) == confidence


async def test_ratings_of_the_days_are_held_against_the_last_score(world: World, new_session: NewSession) -> None:
    session, unrated = new_session(), new_session()
    score = Score(score=80, llm_provider="judge", prompt_digest="d").model_dump(mode="json")
    session.add(
        begun(),
        e.SessionCompleted(final_analysis="A leak.\nConfidence: high - seen"),
        e.PhaseRequested(phase=SCORING, phase_id=session.id, number=1),
        e.PhaseCompleted(phase=SCORING, phase_id=session.id, stage_id="s", status="completed", result=score),
        e.ReviewChanged(
            request_id="r", number=1, author="ann", action="complete", from_status="needs_review",
            to_status="reviewed", assignee="ann", rating="wrong",
        ),
    )  # fmt: skip
    unrated.add(begun(), e.SessionCompleted(final_analysis="A leak.\nConfidence: low"))
    await world.project(*records(session), *records(unrated))
    report = await world.get(f"/api/v1/calibration?{ALWAYS}")
    (judge,) = report["judges"]
    assert (judge["judge"], judge["prompt_hash"], judge["over_confidence"]) == ("judge", "d", 0.8)
    (high,) = report["confidences"]
    assert (high["confidence"], high["wrong"], high["brier"]) == ("high", 1, 0.81)
    assert (await world.detail(session))["confidence"] == "high"
    assert (await world.get("/api/v1/calibration?from=2025-01-01&to=2025-01-02"))["rated"] == 0
    assert (await world.client.get("/api/v1/calibration?from=2026-02-01&to=2026-01-01")).status_code == 400
