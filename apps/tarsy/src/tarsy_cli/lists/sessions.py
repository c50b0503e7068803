"""`tarsy sessions`."""

import re
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from rich.console import Console
from rich.text import Text

from tarsy_cli.api import get
from tarsy_contracts.api.session_lists import ListedSession, SearchHighlight, SessionList
from tarsy_local.terminal_text import one_line, printable

BLANK = re.compile(r"\s+")
LATEST = 25
AGE = re.compile(r"(?P<number>[0-9]{1,6})(?P<unit>[smhdw])")
UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
LINE = "{:36}  {:11}  {:8}  {:11}  {}"
WIDE_LINE = "{:36}  {:11}  {:8}  {:11}  {:10}  {:9}  {:16}  {:30}  {}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionQuery:
    """Conditions of the list, all of which a session fits; empty ones are none. Named as the API names them."""

    search: str = ""
    severity: str = ""
    cluster: str = ""
    namespace: str = ""
    workload: str = ""
    label: str = ""
    status: str = ""
    chain_id: str = ""
    start_date: str = ""

    def to_parameters(self) -> dict[str, str]:
        return {name: value for name, value in asdict(self).items() if value}


def read_sessions(api: str, query: SessionQuery, limit: int = LATEST) -> SessionList:
    """The latest, or those that fit a search best. Raises ApiError or ValidationError."""
    return SessionList.model_validate(get(f"{api}/sessions", page_size=limit, **query.to_parameters()))


def read_since(given: str, now: datetime) -> str:
    """The time as the API has it, from a time or an age. Raises ValueError with a sentence."""
    if (age := AGE.fullmatch(given)) is not None:
        return (now - timedelta(**{UNITS[age["unit"]]: int(age["number"])})).isoformat()
    try:
        return datetime.fromisoformat(given).astimezone().isoformat() if given else ""
    except ValueError:
        raise ValueError(f"--since is an age such as 30m, 12h or 7d, or a time in ISO 8601, not {given!r}.") from None


def print_sessions(found: SessionList, console: Console, query: SessionQuery, *, wide: bool = False) -> None:
    """`wide`: a line each with all columns, however long it is."""
    if not found.sessions:
        console.print(_explain_empty_list(query), markup=False)
        return
    if wide:
        _print_wide(found, console)
    else:
        _print_lines(found, console)
    if (more := found.pagination.total_items - len(found.sessions)) > 0:
        how = "add a word" if query.search else "--limit shows more, a condition fewer"
        console.print(f"{more} more: {how}.", markup=False)


def _print_wide(found: SessionList, console: Console) -> None:
    titles = ("session", "status", "model", "began", "severity", "seconds", "chain", "place", "alert")
    console.print(Text(WIDE_LINE.format(*titles), style="bold"), soft_wrap=True)
    for row in found.sessions:
        id, status, model, began, title = _row_cells(row)
        seconds = "" if row.duration_ms is None else f"{row.duration_ms / 1000:.0f}"
        cells = (id, status, model, began, row.severity or "", seconds, row.chain_id, _join_place(row), title)
        console.print(Text(WIDE_LINE.format(*map(one_line, cells))), soft_wrap=True)


def _print_lines(found: SessionList, console: Console) -> None:
    console.print(Text(LINE.format("session", "status", "model", "began", "alert"), style="bold"))
    for row in found.sessions:
        console.print(Text(LINE.format(*map(one_line, _row_cells(row)))))
        if facets := _join_facets(row):
            console.print(Text(f"    {facets}", style="dim"))
        if row.chain_unmatched:
            console.print(Text(f"    {one_line(row.chain_chosen_by)}: {one_line(row.chain_id)}", style="yellow"))
        for highlight in row.highlights[:1]:
            console.print(_render_passage(highlight))


def _explain_empty_list(query: SessionQuery) -> str:
    if query == SessionQuery():
        return "No alert has been investigated yet: `tarsy ask` or `tarsy submit FILE` begins one."
    words_only = query == SessionQuery(search=query.search)
    return "No session has all these words." if words_only else "No session matches all these conditions."


def _render_passage(highlight: SearchHighlight) -> Text:
    text = Text(f"    {highlight.source}: ", style="dim")
    for segment in highlight.segments:
        text.append(BLANK.sub(" ", printable(segment.text)), style="bold" if segment.match else "")
    return text


def _row_cells(row: ListedSession) -> list[str]:
    began = datetime.fromisoformat(row.created_at).astimezone()
    model = "scripted" if row.scripted else "real"
    status = "partial" if row.partial_reason else row.status
    return [row.id, status, model, f"{began:%m-%d %H:%M}", row.title or row.alert_type]


def _join_facets(row: ListedSession) -> str:
    limited = "limited evidence" if row.evidence_limits else ""
    return " · ".join(one_line(part) for part in (row.severity, _join_place(row), *row.session_labels, limited) if part)


def _join_place(row: ListedSession) -> str:
    return "/".join(part for part in (row.cluster, row.namespace, row.workload) if part)
