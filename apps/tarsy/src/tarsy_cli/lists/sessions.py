"""`tarsy sessions`."""

import re
from dataclasses import asdict, dataclass
from datetime import datetime

from rich.console import Console
from rich.text import Text

from tarsy_cli.api import get
from tarsy_contracts.api.session_lists import ListedSession, SearchHighlight, SessionList
from tarsy_local.terminal_text import one_line, printable

BLANK = re.compile(r"\s+")
LATEST = 25
LINE = "{:36}  {:11}  {:8}  {:11}  {}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionQuery:
    """Conditions of the list, all of which a session fits; empty ones are none. Named as the API names them."""

    search: str = ""
    severity: str = ""
    cluster: str = ""
    namespace: str = ""
    workload: str = ""
    label: str = ""

    def to_parameters(self) -> dict[str, str]:
        return {name: value for name, value in asdict(self).items() if value}


def read_sessions(api: str, query: SessionQuery) -> SessionList:
    """The latest, or those that fit a search best. Raises ApiError or ValidationError."""
    return SessionList.model_validate(get(f"{api}/sessions", page_size=LATEST, **query.to_parameters()))


def print_sessions(api: str, console: Console, query: SessionQuery) -> None:
    """Raises ApiError or ValidationError."""
    found = read_sessions(api, query)
    if not found.sessions:
        console.print(_explain_empty_list(query), markup=False)
        return
    console.print(Text(LINE.format("session", "status", "model", "began", "alert"), style="bold"))
    for row in found.sessions:
        console.print(Text(LINE.format(*map(one_line, _row_cells(row)))))
        if facets := _join_facets(row):
            console.print(Text(f"    {facets}", style="dim"))
        if row.chain_unmatched:
            console.print(Text(f"    {one_line(row.chain_chosen_by)}: {one_line(row.chain_id)}", style="yellow"))
        for highlight in row.highlights[:1]:
            console.print(_render_passage(highlight))
    if (more := found.pagination.total_items - len(found.sessions)) > 0 and query.search:
        console.print(f"{more} more: add a word.", markup=False)


def _explain_empty_list(query: SessionQuery) -> str:
    if query == SessionQuery():
        return "No alert was investigated yet: `tarsy submit FILE` sends one."
    words_only = query == SessionQuery(search=query.search)
    return "No session has all these words." if words_only else "No session fits all these conditions."


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
    where = "/".join(part for part in (row.cluster, row.namespace, row.workload) if part)
    limited = "limited evidence" if row.evidence_limits else ""
    return " · ".join(one_line(part) for part in (row.severity, where, *row.session_labels, limited) if part)
