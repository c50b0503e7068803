"""Query of `GET /api/v1/sessions/{session_id}/tool-calls/{call_id}/result`."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Query
from pydantic import BaseModel, ConfigDict, Field

from tarsy_results.pattern import InvalidSearchError, SearchPattern
from tarsy_results.position import TextPosition
from tarsy_results.search import MOST_MATCHES
from tarsy_results.spans import InvalidTimeError, TimeSpan, parse_span
from tarsy_service.http.problems import ProblemError

MOST_LINES = 2_000
USUAL_LINES = 200
MOST_CONTEXT = 10
LONGEST_SEARCH = 500
LONGEST_TIME = 60


class WantedLines(BaseModel):
    """Lines from `offset` on, counted from 0; with a search those that match, with `from` and `until` those of then."""

    model_config = ConfigDict(frozen=True)

    offset: int = Field(0, ge=0, le=2**53, description="the line to begin at, counted from 0")
    byte: int = Field(0, ge=0, le=2**53, description="where in that line; for one that is too long to be shown at once")
    lines: int | None = Field(
        None, ge=1, le=MOST_LINES, description=f"how many lines, 200 if not given; in a search at most {MOST_MATCHES}"
    )
    search: str = Field("", max_length=LONGEST_SEARCH, description="an expression of RE2")
    ignore_case: bool = False
    context: int = Field(2, ge=0, le=MOST_CONTEXT, description="lines around each match")
    begin: str = Field("", alias="from", max_length=LONGEST_TIME, description="only lines from this time on")
    until: str = Field("", max_length=LONGEST_TIME, description="only lines up to this time")
    at_least: int = Field(0, ge=0, le=2**62, description="an event's number that the answer has to reach")

    @property
    def position(self) -> TextPosition:
        return TextPosition(self.offset, self.byte)

    @property
    def most_lines(self) -> int:
        return self.lines or USUAL_LINES

    @property
    def most_matches(self) -> int:
        return min(self.lines or MOST_MATCHES, MOST_MATCHES)


type WantedLinesQuery = Annotated[WantedLines, Query()]


@dataclass(frozen=True, slots=True)
class ChosenLines:
    """The meaning of the texts of a query."""

    pattern: SearchPattern | None
    span: TimeSpan | None


def parse_wanted(wanted: WantedLines) -> ChosenLines:
    """Raises ProblemError with a pointer."""
    try:
        pattern = SearchPattern(wanted.search, case_sensitive=not wanted.ignore_case) if wanted.search else None
        return ChosenLines(pattern, parse_span(wanted.begin, wanted.until))
    except InvalidSearchError as problem:
        raise ProblemError(400, "Invalid request", str(problem), pointer="/search") from problem
    except InvalidTimeError as problem:
        raise ProblemError(400, "Invalid request", str(problem), pointer=f"/{problem.name}") from problem
