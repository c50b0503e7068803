"""Filter of the list of memories: the query of `GET /api/v1/memories`."""

from typing import Annotated

from fastapi import Query
from pydantic import BaseModel, ConfigDict, Field, field_validator


class MemoryFilter(BaseModel):
    """`search`: words that all have to occur, in any form."""

    model_config = ConfigDict(frozen=True)

    page: int = Field(1, ge=1, le=1_000_000)
    page_size: int = Field(20, ge=1, le=200)
    category: str | None = Field(None, max_length=100)
    valence: str | None = Field(None, max_length=100)
    deprecated: bool | None = None
    source_session_id: str | None = Field(None, max_length=200)
    search: str | None = Field(None, min_length=2, max_length=500)

    @field_validator("category", "valence", "source_session_id", "search")
    @classmethod
    def without_nul(cls, value: str | None) -> str | None:
        if value is not None and "\x00" in value:
            raise ValueError("must not contain NUL")
        return value or None

    @property
    def conditions(self) -> tuple[str | None, str | None, bool | None, str | None, str | None]:
        return self.category, self.valence, self.deprecated, self.source_session_id, self.search

    @property
    def offset(self) -> int:
        return (self.page - 1) * self.page_size


type MemoryFilterQuery = Annotated[MemoryFilter, Query()]
