"""Calibration of judges, and of what analyses say of themselves, against ratings of people. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tarsy_contracts.api.calibration import (
    Calibration,
    CalibrationReport,
    ConfidenceCalibration,
    JudgeCalibration,
)
from tarsy_contracts.confidence import Confidence
from tarsy_contracts.review import Rating
from tarsy_timeline.rows.session_rows import Row, by_key

TRUTHS: dict[Rating, float] = {"accurate": 1.0, "partly": 0.5, "wrong": 0.0}
FORECASTS: dict[Confidence, float] = {"high": 0.9, "medium": 0.6, "low": 0.3}
"""Values of the words. The scale is ours: an analysis that is sure is right nine times in ten, if it is honest."""
DIGITS = 3


@dataclass(frozen=True, slots=True)
class Forecast:
    """`chance`: of being right, as it was said."""

    chance: float
    rating: Rating

    @property
    def error(self) -> float:
        return self.chance - TRUTHS[self.rating]


def calibration_report(rows: Sequence[Row]) -> CalibrationReport:
    judged = by_key((row for row in rows if row["score"] is not None), "judge", "prompt")
    sure = by_key((row for row in rows if row["confidence"] in FORECASTS), "confidence")
    return CalibrationReport(
        rated=len(rows),
        judges=tuple(_of_judge(judge, prompt, some) for (judge, prompt), some in sorted(judged.items())),
        confidences=tuple(_of_word(word, sure[word,]) for word in FORECASTS if (word,) in sure),
        all_confidences=Calibration(**_calibrate(_forecasts_of_words(one for some in sure.values() for one in some))),
    )


def _of_judge(judge: str, prompt: str, rows: Sequence[Row]) -> JudgeCalibration:
    forecasts = [Forecast(row["score"] / 100, row["quality_rating"]) for row in rows]
    means = {f"mean_{rating}": _mean_score(forecasts, rating) for rating in TRUTHS}
    return JudgeCalibration(judge=judge, prompt_hash=prompt, **means, **_calibrate(forecasts))


def _of_word(word: Confidence, rows: Sequence[Row]) -> ConfidenceCalibration:
    return ConfidenceCalibration(confidence=word, forecast=FORECASTS[word], **_calibrate(_forecasts_of_words(rows)))


def _forecasts_of_words(rows: Iterable[Row]) -> list[Forecast]:
    return [Forecast(FORECASTS[row["confidence"]], row["quality_rating"]) for row in rows]


def _calibrate(forecasts: Sequence[Forecast]) -> dict[str, Any]:
    ratings = [one.rating for one in forecasts]
    return {
        "rated": len(forecasts),
        **{rating: ratings.count(rating) for rating in TRUTHS},
        "brier": _mean([one.error**2 for one in forecasts]),
        "over_confidence": _mean([one.error for one in forecasts]),
    }


def _mean_score(forecasts: Sequence[Forecast], rating: Rating) -> float | None:
    return _mean([one.chance * 100 for one in forecasts if one.rating == rating])


def _mean(values: Sequence[float]) -> float | None:
    return round(sum(values) / len(values), DIGITS) if values else None
