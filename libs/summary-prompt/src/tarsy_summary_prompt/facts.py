"""Facts about a result that its text does not tell: when it was asked for, and how much of it is there. Pure."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime

from tarsy_contracts.messages.requests import SummaryRequest
from tarsy_summary_prompt.coverage import Coverage
from tarsy_summary_prompt.excerpt import ExcerptText

PLAIN_NAME = re.compile(r"\w{1,40}", re.ASCII)


def facts(request: SummaryRequest, result: ExcerptText) -> str:
    """Lines for the model that summarizes."""
    return "\n".join(_fact_sentences(request, result)) + "\n"


def describe_unread_spans(coverage: Coverage) -> str:
    """For the reader of a summary, from what we know ourselves: the longest spans that nobody has read for it."""
    if coverage.is_whole:
        return ""
    spans = "; ".join(coverage.spans)
    counted = " Lines are counted from 0." if "line" in spans else ""
    return (
        f"[Of {coverage.lines} lines {coverage.lines - coverage.lines_read} were left out before the summary was"
        f" written. The longest spans of them: {spans}.{counted}]"
    )


def _fact_sentences(request: SummaryRequest, result: ExcerptText) -> Iterator[str]:
    coverage = result.coverage
    if request.asked_at is not None:
        yield f"The question was asked at {_format_utc(request.asked_at)}."
    elif result.alert_began is not None:
        yield f"The alert began at {_format_utc(result.alert_began)}."
    elif request.began_at is not None:
        yield f"What is investigated came at {_format_utc(request.began_at)}, and does not say when it began."
    if request.called_at is not None:
        yield f"The tool was called at {_format_utc(request.called_at)}."
    stamps = f", stamped {coverage.begins} to {coverage.ends}" if coverage.begins and coverage.ends else ""
    yield f"The result has {coverage.lines} lines{stamps}."
    if result.clock:
        yield result.clock
    if coverage.is_whole:
        yield "You are given all of them."
    else:
        yield f"You are given {coverage.lines_read} of them; head and tail are its first and its last lines."
    if not request.kept_whole:
        yield "The result was longer, and its end was cut off when it was stored: it goes on behind the last line."
    if (limit := _argument_of_limit(request, coverage.lines)) is not None:
        yield f"It has as many lines as `{limit}` allowed: there may be more before its first line, or behind its last."


def _argument_of_limit(request: SummaryRequest, lines: int) -> str | None:
    """The argument of the call that is the number of lines of the result."""
    # A name is text from outside, and stands outside of the fences here: only a plain one is shown.
    plain = (name for name, value in request.arguments.items() if value == lines and PLAIN_NAME.fullmatch(name))
    return next(plain, None) if lines > 1 else None


def _format_utc(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
