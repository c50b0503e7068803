"""REST answers about results: the models of tarsy_contracts.api.results, made of what was read. Pure."""

from collections.abc import Iterator

from tarsy_contracts.api.results import ResultLine, ResultMatches, ResultPosition, ToolCallResult
from tarsy_results.pages import ResultPage, TextRun
from tarsy_results.position import TextPosition
from tarsy_results.search import ResultSearch
from tarsy_results.shown_lines import ShownLine
from tarsy_results.source import ResultSource
from tarsy_timeline.rows.found_result import FoundResult


def page_result(call: FoundResult, source: ResultSource, page: ResultPage) -> ToolCallResult:
    lines = tuple(line for run in page.runs for line in _to_result_lines(run, page.next))
    return _tool_call_result(call, source, lines, page.next, None)


def search_result(call: FoundResult, source: ResultSource, search: ResultSearch) -> ToolCallResult:
    return _tool_call_result(
        call, source, tuple(map(_to_result_line, search.lines)), search.next, _to_result_matches(search)
    )


def _tool_call_result(
    call: FoundResult,
    source: ResultSource,
    lines: tuple[ResultLine, ...],
    following: TextPosition | None,
    matches: ResultMatches | None,
) -> ToolCallResult:
    return ToolCallResult(
        session_id=call.session_id,
        call_id=call.call_id,
        outcome=call.outcome,
        size=source.size,
        total_lines=source.lines,
        lines=lines,
        next=None if following is None else ResultPosition(offset=following.line, byte=following.byte),
        matches=matches,
    )


def _to_result_lines(run: TextRun, following: TextPosition | None) -> Iterator[ResultLine]:
    cut = following.line if following is not None and following.byte else None
    number, byte = run.at.line, run.at.byte
    for text in run.text.removesuffix(b"\n").split(b"\n"):
        shown = text.decode(errors="replace")
        yield ResultLine(number=number, byte=byte, text=shown, matches=False, goes_on=number == cut)
        number, byte = number + 1, 0


def _to_result_line(line: ShownLine) -> ResultLine:
    return ResultLine(
        number=line.at.line, byte=line.at.byte, text=line.text, matches=line.matches, goes_on=line.goes_on
    )


def _to_result_matches(search: ResultSearch) -> ResultMatches:
    found, times = search.matched, search.times
    return ResultMatches(
        count=found.count,
        shown=search.shown,
        complete=not search.stopped,
        first_line=found.first if found.count else None,
        last_line=found.last if found.count else None,
        first_time=times[0].text if times is not None else None,
        last_time=times[1].text if times is not None else None,
    )
