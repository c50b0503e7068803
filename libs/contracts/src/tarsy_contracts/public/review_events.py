"""Public events of the review of an investigation by people."""

from typing import ClassVar

from tarsy_contracts.public.model import PublicEvent


class PublicReviewChanged(PublicEvent):
    """A person did something about the review of a finished investigation; the fields say how it is afterwards.

    `action`: `claim`, `unclaim`, `reassign`, `complete`, `acknowledge`, `reopen` or `feedback`. Statuses are
    `needs_review`, `in_progress` and `reviewed`. `rating`: `accurate`, `partly`, `wrong`, or empty without one. More
    values may come. `cause`: the real cause, in words of that person. `number` counts changes of the review from 1.
    """

    type: ClassVar[str] = "tarsy.review.changed"
    number: int
    author: str
    action: str
    from_status: str
    to_status: str
    assignee: str = ""
    rating: str = ""
    cause: str = ""
    note: str = ""
