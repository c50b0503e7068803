"""`tarsy result`: the calls of a session, lines as they are, matches with their numbers, what there is besides."""

from collections.abc import Iterator, Sequence

from tarsy_cli.console.units import format_count, format_size
from tarsy_contracts.api.results import ResultLine, ResultMatches, ToolCallResult
from tarsy_contracts.api.trace import ListedMcpInteraction, SessionTrace
from tarsy_local.terminal_text import one_line, printable

GAP = "--"


def tool_calls_of(trace: SessionTrace) -> list[ListedMcpInteraction]:
    """In the order in which they began: a call's number stays, however many follow."""
    executions = (execution for stage in trace.stages for execution in stage.executions)
    calls = [one for execution in executions for one in execution.mcp_interactions]
    own = [one for one in (*calls, *trace.session_mcp_interactions) if one.interaction_type == "tool_call"]
    return sorted(own, key=lambda one: (one.created_at, one.id))


def call_lines(calls: Sequence[ListedMcpInteraction]) -> Iterator[str]:
    for number, one in enumerate(calls, start=1):
        outcome = one.outcome or "runs"
        yield one_line(f"{number:>4}  {one.id}  {outcome:<10}  {one.server_name}.{one.tool_name}")


def text_of(found: ToolCallResult) -> str:
    """A page is the text itself; a search is numbered lines, as grep shows them."""
    shown = _texts_of_lines(found.lines) if found.matches is None else _render_matches(found.lines)
    return "".join(f"{printable(line)}\n" for line in shown)


def note_of(found: ToolCallResult) -> str:
    """Says what is shown, of how much, and how to go on."""
    what = _line_range(found.lines) if found.matches is None else _match_count(found.matches)
    note = f"{what} {format_count(found.total_lines, 'line')} ({format_size(found.size)})."
    if found.next is None:
        return note
    on = f"--offset {found.next.offset}" + (f" --byte {found.next.byte}" if found.next.byte else "")
    return f"{note} To go on: {on}"


def _texts_of_lines(lines: tuple[ResultLine, ...]) -> Iterator[str]:
    return (line.text for line in lines)


def _render_matches(lines: tuple[ResultLine, ...]) -> Iterator[str]:
    last = None
    for line in lines:
        if last is not None and line.number > last + 1:
            yield GAP
        where = f" (byte {line.byte})" if line.byte else ""
        yield f"{line.number}{':' if line.matches else '-'}{where} {line.text}{'…' if line.goes_on else ''}"
        last = line.number


def _line_range(lines: tuple[ResultLine, ...]) -> str:
    if not lines:
        return "Nothing of"
    first, last = lines[0].number, lines[-1].number
    return f"Line {first} of" if first == last else f"Lines {first} to {last} of"


def _match_count(matches: ResultMatches) -> str:
    if not matches.count:
        return "No match in"
    at_least = "" if matches.complete else "at least "
    times = (matches.first_time, matches.last_time)
    when = f", {one_line(times[0])} to {one_line(times[1])}" if times[0] and times[1] else ""
    between = f" between {matches.first_line} and {matches.last_line}{when}" if matches.count > 1 else ""
    shown = f" ({matches.shown} shown)" if matches.shown < matches.count else ""
    return (
        f"{at_least}{format_count(matches.count, 'line')} match{'es' if matches.count == 1 else ''}{shown}{between}, of"
    )
