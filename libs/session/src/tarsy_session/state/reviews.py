"""State of the review of a finished investigation. Only `evolve` makes it."""

from dataclasses import dataclass
from typing import Literal

from tarsy_contracts.review import Rating, ReviewStatus


@dataclass(frozen=True, slots=True)
class Review:
    """The fields are those of `review.changed`, the last of the session. `author`: who changed it last."""

    status: ReviewStatus
    number: int = 0
    author: str = ""
    assignee: str = ""
    rating: Rating | Literal[""] = ""
    cause: str = ""
    note: str = ""
