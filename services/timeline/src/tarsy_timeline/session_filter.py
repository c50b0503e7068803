"""Filter of the list of sessions: the query of `GET /api/v1/sessions`."""

import re
from datetime import datetime
from typing import Annotated, Literal

from fastapi import Query
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, field_validator

from tarsy_contracts.timeline import SessionStatus

STATUSES: tuple[str, ...] = SessionStatus.__value__.__args__
WILDCARDS = re.compile(r"([\\%_])")

type SortBy = Literal["created_at", "status", "alert_type", "author", "duration"]

ORDERS: dict[SortBy, str] = {
    "created_at": "s.created_at",
    "status": "s.status",
    "alert_type": "s.alert_type",
    "author": "s.author",
    "duration": "coalesce(s.completed_at, now()) - s.started_at",
}


class SessionFilter(BaseModel):
    """`end_date` is exclusive; `status` a list with commas; `id_prefix` the beginning of an id."""

    model_config = ConfigDict(frozen=True)

    page: int = Field(1, ge=1, le=1_000_000)
    page_size: int = Field(25, ge=1, le=100)
    sort_by: SortBy = "created_at"
    sort_order: Literal["asc", "desc"] = "desc"
    status: str | None = Field(None, max_length=200)
    alert_type: str | None = Field(None, max_length=500)
    chain_id: str | None = Field(None, max_length=500)
    search: str | None = Field(None, min_length=3, max_length=500)
    id_prefix: str | None = Field(None, max_length=200, pattern=r"^[A-Za-z0-9._-]+$")
    start_date: AwareDatetime | None = None
    end_date: AwareDatetime | None = None

    @field_validator("status")
    @classmethod
    def known(cls, value: str | None) -> str | None:
        unknown = sorted(set((value or STATUSES[0]).split(",")) - set(STATUSES))
        if unknown:
            raise ValueError(f"unknown status {unknown[0]!r}: must be {', '.join(STATUSES)}")
        return value

    @field_validator("alert_type", "chain_id", "search")
    @classmethod
    def without_nul(cls, value: str | None) -> str | None:
        if value is not None and "\x00" in value:
            raise ValueError("must not contain NUL")
        return value

    def conditions(
        self,
    ) -> tuple[list[str] | None, str | None, str | None, datetime | None, datetime | None, str | None, str | None]:
        """The first seven arguments of `count_sessions` and `list_sessions`."""
        statuses = None if self.status is None else self.status.split(",")
        pattern = None if self.search is None else f"%{WILDCARDS.sub(r'\\\1', self.search)}%"
        return statuses, self.alert_type, self.chain_id, self.start_date, self.end_date, pattern, self.id_prefix

    def order(self) -> str:
        """For the place `{order}` in `list_sessions`. Made of constants only."""
        return f"{ORDERS[self.sort_by]} {self.sort_order} nulls last, s.session_id {self.sort_order}"


type SessionFilterQuery = Annotated[SessionFilter, Query()]
