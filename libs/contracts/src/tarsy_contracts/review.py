"""Review of a finished investigation by people: its statuses, what somebody may do, and the ratings."""

from typing import Literal

type ReviewStatus = Literal["needs_review", "in_progress", "reviewed"]
type ReviewAction = Literal["claim", "unclaim", "reassign", "complete", "acknowledge", "reopen", "feedback"]
type Rating = Literal["accurate", "partly", "wrong"]

NEEDS_REVIEW: ReviewStatus = "needs_review"
REVIEW_STATUSES: tuple[ReviewStatus, ...] = ReviewStatus.__value__.__args__
REVIEW_ACTIONS: tuple[ReviewAction, ...] = ReviewAction.__value__.__args__
RATINGS: tuple[Rating, ...] = Rating.__value__.__args__

FIRST_STATUSES: dict[str, ReviewStatus] = {
    "completed": "needs_review",
    "failed": "needs_review",
    "timed_out": "needs_review",
    "cancelled": "reviewed",
}
"""Statuses of a review that nobody has begun, by how the session ended. Somebody has looked at a cancelled one."""

GO_RATINGS: dict[str, Rating] = {"partially_accurate": "partly", "inaccurate": "wrong"}
"""Ratings by Go TARSy's names, where those are others."""
GO_ACTIONS: dict[str, ReviewAction] = {"update_feedback": "feedback"}
