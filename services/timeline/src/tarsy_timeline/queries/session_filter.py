"""Filter of the list of sessions: the query of `GET /api/v1/sessions`."""

from datetime import UTC, datetime
from typing import Annotated, Literal

from fastapi import Query
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationInfo, field_validator

from tarsy_auth.session_groups import GroupLabels
from tarsy_contracts.review import GO_RATINGS
from tarsy_contracts.timeline.changes import SessionStatus
from tarsy_timeline.queries.search_words import SearchTerm, parse_search
from tarsy_timeline.rows.visibility import format_label, visible_labels

STATUSES: tuple[str, ...] = SessionStatus.__value__.__args__
OPEN_STATUSES = ("pending", "in_progress", "cancelling")

NO_CONDITIONS: "Conditions" = (None,) * 17

type SortBy = Literal[
    "created_at", "status", "alert_type", "author", "duration", "relevance", "score", "quality_rating"
]
type TriageGroup = Literal["investigating", "needs_review", "in_progress", "reviewed"]
type Conditions = tuple[
    list[str] | None,
    str | None,
    str | None,
    datetime | None,
    datetime | None,
    str | None,
    str | None,
    str | None,
    str | None,
    str | None,
    list[str] | None,
    str | None,
    list[str] | None,
    str | None,
    list[str] | None,
    str | None,
    list[str] | None,
]

ORDERS: dict[SortBy, str] = {
    "created_at": "s.created_at",
    "status": "s.status",
    "alert_type": "s.alert_type",
    "author": "s.author",
    "duration": "coalesce(s.completed_at, now()) - s.started_at",
    "relevance": "r.relevance",
    "score": "s.latest_score",
    "quality_rating": "array_position(array['wrong', 'partly', 'accurate'], s.quality_rating)",
}
"""An unknown sort key sorts by time."""
SOMETIMES_NULL = frozenset({"duration", "relevance", "score", "quality_rating"})
"""The others never are: `nulls last` would keep their index from being used."""


class SessionFilter(BaseModel):
    """`end_date` is exclusive; `status` a list with commas; `id_prefix` the beginning of an id. `severity` is compared
    without regard to case. `label`: one of the session's own, `session_labels`. `team`: the value of that label of its
    alert. `review_status`, `quality_rating` and `scoring_status` are lists with commas. An empty one of these is no
    condition.

    `search`: words that all are in the alert or the timeline; a word finds what begins with it, `"a phrase"` what is
    just so. `sort_by` is relevance with a search, else created_at.
    """

    model_config = ConfigDict(frozen=True)

    page: int = Field(1, ge=1, le=1_000_000)
    page_size: int = Field(25, ge=1, le=100)
    status: str | None = Field(None, max_length=200)
    alert_type: str | None = Field(None, max_length=500)
    chain_id: str | None = Field(None, max_length=500)
    severity: str | None = Field(None, max_length=300)
    cluster: str | None = Field(None, max_length=300)
    namespace: str | None = Field(None, max_length=300)
    workload: str | None = Field(None, max_length=300)
    label: str | None = Field(None, max_length=500)
    team: str | None = Field(None, max_length=300)
    review_status: str = Field("", max_length=200)
    assignee: str = Field("", max_length=500)
    quality_rating: str = Field("", max_length=200)
    scoring_status: str = Field("", max_length=200)
    search: str | None = Field(None, min_length=3, max_length=500)
    sort_by: SortBy | None = None
    sort_order: Literal["asc", "desc"] = "desc"
    id_prefix: str | None = Field(None, max_length=200, pattern=r"^[A-Za-z0-9._-]+$")
    start_date: AwareDatetime | None = None
    end_date: AwareDatetime | None = None

    @field_validator("status")
    @classmethod
    def check_statuses(cls, value: str | None) -> str | None:
        unknown = sorted(set((value or STATUSES[0]).split(",")) - set(STATUSES))
        if unknown:
            raise ValueError(f"unknown status {unknown[0]!r}: must be {', '.join(STATUSES)}")
        return value

    @field_validator(
        *("alert_type", "chain_id", "severity", "cluster", "namespace", "workload", "label", "search", "team"),
        *("review_status", "assignee", "quality_rating", "scoring_status"),
    )
    @classmethod
    def without_nul(cls, value: str | None) -> str | None:
        if value is not None and "\x00" in value:
            raise ValueError("must not contain NUL")
        return value

    @field_validator("start_date", "end_date")
    @classmethod
    def in_utc(cls, value: datetime | None) -> datetime | None:
        """As PostgreSQL is asked. At the ends of the calendar some times are in no year of UTC."""
        try:
            return None if value is None else value.astimezone(UTC)
        except OverflowError:
            raise ValueError("is not in the years 1 to 9999 of UTC") from None

    @field_validator("search")
    @classmethod
    def with_words(cls, value: str | None) -> str | None:
        if value is not None:
            parse_search(value)
        return value

    @field_validator("sort_by")
    @classmethod
    def of_a_search(cls, value: SortBy | None, info: ValidationInfo) -> SortBy | None:
        if value == "relevance" and info.data.get("search") is None:
            raise ValueError("relevance needs a search")
        return value

    def of_group(self, group: TriageGroup) -> "SessionFilter":
        if group == "investigating":
            return self.model_copy(update={"status": ",".join(OPEN_STATUSES)})
        return self.model_copy(update={"review_status": group})

    @property
    def terms(self) -> tuple[SearchTerm, ...]:
        return () if self.search is None else parse_search(self.search)

    @property
    def order_by(self) -> SortBy:
        return self.sort_by or ("created_at" if self.search is None else "relevance")

    @property
    def offset(self) -> int:
        return (self.page - 1) * self.page_size

    def conditions(self, groups: GroupLabels | None) -> Conditions:
        """The first arguments of `count_sessions`, `list_sessions` and `find_sessions`."""
        statuses = None if self.status is None else self.status.split(",")
        ratings = [GO_RATINGS.get(one, one) for one in _split(self.quality_rating) or ()]
        labels = visible_labels(groups)
        facets = (self.severity, self.cluster, self.namespace, self.workload)
        span = (self.start_date, self.end_date)
        return (
            statuses,
            self.alert_type,
            self.chain_id,
            *span,
            self.id_prefix,
            *facets,
            labels,
            self.label or None,
            _split(self.review_status),
            self.assignee or None,
            ratings or None,
            format_label("team", self.team) if self.team else None,
            _split(self.scoring_status),
        )

    def order(self) -> str:
        """For the place `{order}` in `list_sessions` and `find_sessions`. Made of constants only.

        Sessions that are not ranked, or ranked alike, stand by their time.
        """
        nulls = " nulls last" if self.order_by in SOMETIMES_NULL else ""
        by_time = f"s.created_at {self.sort_order}, " if self.order_by == "relevance" else ""
        return f"{ORDERS[self.order_by]} {self.sort_order}{nulls}, {by_time}s.session_id {self.sort_order}"


def _split(commas: str) -> list[str] | None:
    return [one.strip() for one in commas.split(",")] if commas else None


type SessionFilterQuery = Annotated[SessionFilter, Query()]
