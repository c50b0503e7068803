"""REST messages of reviews: what a person does about one, and what became of it. Some keys are Go TARSy's."""

from typing import Annotated, Literal

from pydantic import AliasChoices, BeforeValidator, ConfigDict, Field, model_validator

from tarsy_contracts.api.model import ApiModel, Timestamp
from tarsy_contracts.api.session_lists import ListedSession
from tarsy_contracts.review import GO_ACTIONS, GO_RATINGS, Rating, ReviewAction, ReviewStatus

LONGEST_NOTE = 10_000
LONGEST_NAME = 200
MOST_AT_ONCE = 50

type NamedAction = Annotated[ReviewAction, BeforeValidator(lambda name: GO_ACTIONS.get(name, name))]
type NamedRating = Annotated[Rating | Literal[""], BeforeValidator(lambda name: GO_RATINGS.get(name, name))]


class ReviewOrder(ApiModel):
    """An act on the review of a finished investigation.

    `claim`: I look at it. `unclaim`: nobody does. `reassign`: `assignee` does, or I do. `complete`: it is reviewed,
    with a `rating` of the analysis (`accurate`, `partly`, `wrong`), the real `cause` and a `note`. `acknowledge`: it is
    reviewed, without a rating. `reopen`: it needs a review again. `feedback`: I amend what was said.

    `expected_status`: what I saw; with another one it is refused. Go TARSy's names are taken, too: `update_feedback`,
    `quality_rating`, `partially_accurate`, `inaccurate`, `investigation_feedback`.
    """

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    action: NamedAction
    rating: NamedRating = Field("", validation_alias=AliasChoices("rating", "quality_rating"))
    cause: str = Field("", max_length=LONGEST_NOTE)
    note: str = Field("", max_length=LONGEST_NOTE, validation_alias=AliasChoices("note", "investigation_feedback"))
    assignee: str = Field("", max_length=LONGEST_NAME)
    expected_status: ReviewStatus | Literal[""] = ""

    @model_validator(mode="after")
    def check_rating(self) -> "ReviewOrder":
        if self.action == "complete" and not self.rating:
            raise ValueError("`complete` needs a `rating`: accurate, partly or wrong")
        return self


class BulkReviewOrder(ReviewOrder):
    """The same act on each of these sessions."""

    session_ids: tuple[Annotated[str, Field(max_length=200, pattern=r"^[A-Za-z0-9._-]+$")], ...] = Field(
        min_length=1, max_length=MOST_AT_ONCE
    )


class ReviewResult(ApiModel):
    """The outcome of the act on one session. `code`: the HTTP status that it would have had alone."""

    session_id: str
    success: bool
    code: int
    error: str | None = None


class BulkReviewResults(ApiModel):
    results: tuple[ReviewResult, ...]


class ReviewActivity(ApiModel):
    """One act, as it is on record. `number` counts them from 1."""

    id: str
    number: int
    actor: str
    action: str
    from_status: ReviewStatus
    to_status: ReviewStatus
    assignee: str | None
    rating: Rating | None
    cause: str | None
    note: str | None
    created_at: Timestamp


class ReviewHistory(ApiModel):
    """All acts on the review of a session, the first one first."""

    activities: tuple[ReviewActivity, ...]


class TriagePage(ApiModel):
    """A page of one group of the board. `count`: of all pages."""

    count: int
    page: int
    page_size: int
    total_pages: int
    sessions: tuple[ListedSession, ...]
