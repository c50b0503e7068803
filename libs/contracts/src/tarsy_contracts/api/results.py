"""REST answers about results of tool calls: lines of one, or those that match a search."""

from pydantic import Field

from tarsy_contracts.api.model import ApiModel
from tarsy_contracts.events.tool import Outcome


class ResultPosition(ApiModel):
    """The parameters of the next request."""

    offset: int
    byte: int


class ResultLine(ApiModel):
    """A line, or a part of one that is very long: `text` begins at its byte `byte`; `goes_on`: more of it follows."""

    number: int = Field(description="counted from 0")
    byte: int
    text: str
    matches: bool = Field(description="in a search: it is no mere neighbour of a line that matches")
    goes_on: bool


class ResultMatches(ApiModel):
    """The lines that match a search, also those that are not shown. Times are as the lines write them.

    `complete` is false when the search took too long: then it has looked at a part only.
    """

    count: int
    shown: int
    complete: bool
    first_line: int | None
    last_line: int | None
    first_time: str | None
    last_time: str | None


class ToolCallResult(ApiModel):
    """A part of a call's result, masked. `size` (bytes) and `total_lines` are of what is kept of it.

    `next` is null when there is no more. `matches` is null without a search.
    """

    session_id: str
    call_id: str
    outcome: Outcome
    size: int
    total_lines: int
    lines: tuple[ResultLine, ...]
    next: ResultPosition | None
    matches: ResultMatches | None
