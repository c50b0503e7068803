"""Arguments of `read_result`. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from tarsy_results.pattern import SearchPattern
from tarsy_results.position import TextPosition
from tarsy_results.search import MOST_MATCHES
from tarsy_results.spans import TimeSpan, parse_span
from tarsy_tool_gateway.errors import ToolGatewayError

MOST_LINES = 2000
USUAL_LINES = 200
MOST_CONTEXT = 10
LONGEST_SEARCH = 500
LONGEST_TIME = 60


class InvalidArgumentsError(ToolGatewayError, ValueError):
    """The model corrects its arguments; the message says how."""


@dataclass(frozen=True, slots=True)
class ResultQuery:
    """The lines that are wanted: those that match, and those of a span."""

    pattern: SearchPattern | None
    span: TimeSpan | None


class ReadArguments(BaseModel):
    """`offset` is the line to begin at, from 0; `byte` is where in it, for a line that is too long to be shown at once.

    `lines`: how many lines to show; in a search, how many of those that match. `from` and `until`: only lines of then.

    Which result is meant (`result`) the orchestrator has resolved.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    result: str = ""
    offset: Annotated[int, Field(ge=0)] = 0
    byte: Annotated[int, Field(ge=0)] = 0
    lines: Annotated[int, Field(ge=1)] | None = None
    search: Annotated[str, Field(max_length=LONGEST_SEARCH)] = ""
    ignore_case: bool = False
    context: Annotated[int, Field(ge=0)] = 2
    begin: Annotated[str, Field(alias="from", max_length=LONGEST_TIME)] = ""
    until: Annotated[str, Field(max_length=LONGEST_TIME)] = ""

    @property
    def position(self) -> TextPosition:
        return TextPosition(self.offset, self.byte)

    @property
    def most_lines(self) -> int:
        return min(self.lines or USUAL_LINES, MOST_LINES)

    @property
    def most_matches(self) -> int:
        return min(self.lines or MOST_MATCHES, MOST_MATCHES)


def parse_arguments(arguments: Mapping[str, JsonValue]) -> ReadArguments:
    """More than there can be is the most that there can be. Raises InvalidArgumentsError."""
    given = {name: value for name, value in arguments.items() if value is not None}
    try:
        parsed = ReadArguments.model_validate(given)
    except ValidationError as problem:
        wrong = problem.errors(include_url=False, include_context=False, include_input=False)[0]
        path = ".".join(str(part) for part in wrong["loc"])
        raise InvalidArgumentsError(f"The argument {path} does not fit: {wrong['msg']}.") from problem
    return parsed.model_copy(update={"context": min(parsed.context, MOST_CONTEXT)})


def parse_query(arguments: ReadArguments) -> ResultQuery:
    """Raises InvalidSearchError or InvalidTimeError."""
    pattern = SearchPattern(arguments.search, case_sensitive=not arguments.ignore_case) if arguments.search else None
    return ResultQuery(pattern, parse_span(arguments.begin, arguments.until))
