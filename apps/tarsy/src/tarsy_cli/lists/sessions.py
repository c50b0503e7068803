"""`tarsy sessions`."""

import re
from datetime import datetime

from rich.console import Console
from rich.text import Text

from tarsy_cli.api import get
from tarsy_contracts.api.sessions import ListedSession, SearchHighlight, SessionList
from tarsy_local.terminal_text import one_line, printable

BLANK = re.compile(r"\s+")
LATEST = 25
LINE = "{:36}  {:11}  {:8}  {:11}  {}"


def read_sessions(api: str, search: str = "") -> SessionList:
    """The latest, or those that fit a search best. Raises ApiError or ValidationError."""
    asked = {"search": search} if search else {}
    return SessionList.model_validate(get(f"{api}/sessions", page_size=LATEST, **asked))


def print_sessions(api: str, console: Console, search: str = "") -> None:
    """Raises ApiError or ValidationError."""
    found = read_sessions(api, search)
    if not found.sessions:
        nothing = "No alert was investigated yet: `tarsy submit FILE` sends one."
        console.print("No session has all these words." if search else nothing, markup=False)
        return
    console.print(Text(LINE.format("session", "status", "model", "began", "alert"), style="bold"))
    for row in found.sessions:
        console.print(Text(LINE.format(*map(one_line, _cells(row)))))
        for highlight in row.highlights[:1]:
            console.print(_passage(highlight))
    if (more := found.pagination.total_items - len(found.sessions)) > 0 and search:
        console.print(f"{more} more: add a word.", markup=False)


def _passage(highlight: SearchHighlight) -> Text:
    text = Text(f"    {highlight.source}: ", style="dim")
    for segment in highlight.segments:
        text.append(BLANK.sub(" ", printable(segment.text)), style="bold" if segment.match else "")
    return text


def _cells(row: ListedSession) -> list[str]:
    began = datetime.fromisoformat(row.created_at).astimezone()
    model = "scripted" if row.scripted else "real"
    return [row.id, row.status, model, f"{began:%m-%d %H:%M}", row.title or row.alert_type]
