"""Events of the review of a finished investigation by people."""

from typing import ClassVar, Literal

from tarsy_contracts.review import Rating, ReviewAction, ReviewStatus
from tarsy_contracts.wire.message import Message
from tarsy_contracts.wire.numbers import Index

REVIEW = "review"
"""The value of `request` when a person reviews the investigation."""


class ReviewChanged(Message):
    """A person did something about the review. All fields but `action` and `from_status` say how it is afterwards.

    `number` counts the changes of the session's review from 1; those before stay on record. `assignee`: who has
    claimed it; empty in `needs_review`. `rating`: of the analysis; empty where nobody gave one. `cause`: the real
    cause, `note`: what else there is to say, both in masked words of that person.
    """

    type: ClassVar[str] = "review.changed"
    request_id: str
    number: Index
    author: str
    action: ReviewAction
    from_status: ReviewStatus
    to_status: ReviewStatus
    assignee: str = ""
    rating: Rating | Literal[""] = ""
    cause: str = ""
    note: str = ""
