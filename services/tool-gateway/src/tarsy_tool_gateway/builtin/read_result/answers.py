"""Answers of `read_result`: what was found, as an agent reads it. Pure."""

from collections.abc import Iterator
from itertools import pairwise

from tarsy_results.pages import ResultPage, TextRun
from tarsy_results.position import TextPosition
from tarsy_results.search import ResultSearch
from tarsy_results.shown_lines import ShownLine
from tarsy_results.source import ResultSource
from tarsy_results.spans import SpanFilter

GAP = "--"
NO_STAMPS = "No line has a time stamp that is understood: this result cannot be read by time. Read it by `offset`"


def page_answer(page: ResultPage, begin: TextPosition, source: ResultSource, chosen: SpanFilter | None = None) -> str:
    """Begins with a line that says what it is: all lines, or those of a span."""
    if not page.runs and page.next is not None:
        return f"[Nothing was found yet, and reading took too long. To read on: {_position_arguments(page.next)}.]"
    if not page.runs:
        return f"[There is nothing at {_position_arguments(begin)} or behind it: the result has {source.lines} lines.]"
    of = f"of {source.lines} (counted from 0; {source.size} bytes in all)"
    first, last = page.runs[0].at, _number_of_last_line(page.runs[-1])
    if first.line == last:
        what = f"Line {last} {of}" + (f", from byte {first.byte} on" if first.byte else "")
    else:
        what = f"Lines {first.line} to {last} {of}"
    end = "This is the end." if chosen is None else "Nothing behind it lies in that time."
    more = end if page.next is None else f"To read on: {_position_arguments(page.next)}."
    return f"[{what}. {more}]\n{''.join(_texts_with_gaps(page.runs))}"


def search_answer(
    search: ResultSearch, begin: TextPosition, source: ResultSource, chosen: SpanFilter | None = None
) -> str:
    """Begins with a line that says what it is: a search of all lines, or of a span."""
    when = "" if chosen is None else " in that time"
    begins = f"from {_position_arguments(begin)} on"
    head = f"{_count_sentence(search)}{when} {begins}; the result has {source.lines} lines (counted from 0)."
    return "\n".join([f"[{head}{_describe_matches(search)}{_continuation_hint(search)}]", *_render_lines(search.lines)])


def no_such_time(chosen: SpanFilter, source: ResultSource) -> str:
    """Explains why the span is empty."""
    if not chosen.has_stamps:
        return f"[{NO_STAMPS}, or with `search`. It has {source.lines} lines.]"
    if chosen.first is None or chosen.last is None:
        return f"[No line from there on lies in that time; the result has {source.lines} lines.]"
    stamps = f"The first stamp that was read is {chosen.first.text}, the last one {chosen.last.text}"
    return f"[No line lies in that time. {stamps}; the result has {source.lines} lines.]"


def _texts_with_gaps(runs: list[TextRun]) -> Iterator[str]:
    yield runs[0].text.decode(errors="replace")
    for before, run in pairwise(runs):
        yield f"[Lines {before.end.line} to {run.at.line - 1} lie outside of that time.]\n"
        yield run.text.decode(errors="replace")


def _number_of_last_line(run: TextRun) -> int:
    return run.end.line if run.end.byte else run.end.line - 1


def _count_sentence(search: ResultSearch) -> str:
    at_least = "At least " if search.stopped else ""
    match search.matched.count:
        case 0:
            return "No line matches"
        case 1:
            return f"{at_least}1 line matches"
        case count:
            return f"{at_least}{count} lines match"


def _describe_matches(search: ResultSearch) -> str:
    """The positions and times of the matches."""
    matched, times = search.matched, search.times
    if matched.count < 2:
        return ""
    when = f" ({times[0].text} to {times[1].text})" if times is not None else ""
    return f" They lie between {matched.first} and {matched.last}{when}."


def _continuation_hint(search: ResultSearch) -> str:
    stopped = " The search took too long and was stopped." if search.stopped else ""
    if search.next is None:
        return ""
    shown = f" The first {search.shown} are shown." if search.has_enough and search.shown > 1 else ""
    return f"{stopped}{shown} To search on: {_position_arguments(search.next)}."


def _render_lines(lines: list[ShownLine]) -> Iterator[str]:
    last = None
    for line in lines:
        if last is not None and line.at.line > last + 1:
            yield GAP
        yield _render_numbered_line(line)
        last = line.at.line


def _render_numbered_line(line: ShownLine) -> str:
    more = "…" if line.goes_on else ""
    if not line.matches:
        return f"{line.at.line}- {line.text}{more}"
    is_part = line.at.byte > 0 or line.goes_on
    where = f"(byte {line.at.byte}) {'…' if line.at.byte else ''}" if is_part else ""
    return f"{line.at.line}: {where}{line.text}{more}"


def _position_arguments(position: TextPosition) -> str:
    """How an agent asks for what begins here."""
    return f"offset {position.line}" + (f" and byte {position.byte}" if position.byte else "")
