"""REST answer on how well judges and analyses knew what people found afterwards."""

from tarsy_contracts.api.model import ApiModel
from tarsy_contracts.confidence import Confidence


class Calibration(ApiModel):
    """Forecasts about `rated` investigations that people have rated: so many each.

    A forecast is the chance of being right, as somebody said it; right is 1 for `accurate`, 0.5 for `partly`, 0 for
    `wrong`. `brier`: the mean square of their difference, 0 at best; 0.25 is what half each time would have.
    `over_confidence`: the mean difference, above 0 where more was promised than held. Both are null where nothing was
    rated.
    """

    rated: int
    accurate: int
    partly: int
    wrong: int
    brier: float | None
    over_confidence: float | None


class JudgeCalibration(Calibration):
    """The forecast is the score. Scores of different prompts, and of different judges, are not the same measure.

    `mean_accurate` and so on: the mean score of the investigations with that rating; null where there is none.
    """

    judge: str
    prompt_hash: str
    mean_accurate: float | None
    mean_partly: float | None
    mean_wrong: float | None


class ConfidenceCalibration(Calibration):
    """The forecast is the word of the analysis: `forecast` is what it counts as."""

    confidence: Confidence
    forecast: float


class CalibrationReport(ApiModel):
    """`rated`: investigations that were rated in these days, at most 10,000, the newest.

    `all_confidences`: of all that say how sure they are.
    """

    rated: int
    judges: tuple[JudgeCalibration, ...]
    confidences: tuple[ConfidenceCalibration, ...]
    all_confidences: Calibration
