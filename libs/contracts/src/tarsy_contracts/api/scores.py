"""REST answers about the scores of a session. Keys of the latest one are Go TARSy's where it has the thing."""

from tarsy_contracts.api.model import ApiModel, Timestamp
from tarsy_contracts.scores import Score


class SessionScore(ApiModel):
    """One run of the judge. `status`: `in_progress`, `completed`, `failed`, `cancelled` or `interrupted`.

    `score_triggered_by`: who wanted it; `auto` where the rule did. `result`: all that the judge said; null before.
    `score_analysis`: its summary and deductions as text; `tool_improvement_report` likewise of tools.
    """

    score_id: str
    number: int
    status: str
    total_score: int | None
    score_analysis: str | None
    tool_improvement_report: str | None
    failure_tags: tuple[str, ...]
    prompt_hash: str | None
    score_triggered_by: str
    stage_id: str | None
    started_at: Timestamp
    completed_at: Timestamp | None
    error_message: str | None
    result: Score | None = None


class SessionScores(SessionScore):
    """The latest score, and all of them, the latest first."""

    history: tuple[SessionScore, ...] = ()


class ScoreTaken(ApiModel):
    """The wish is on its way. `accepted`: the session's owner has decided so, and its judge is asked in a moment."""

    score_id: str
    session_id: str
    request_id: str
    accepted: bool
