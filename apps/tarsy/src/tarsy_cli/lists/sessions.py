"""`tarsy sessions`."""

from datetime import datetime

from rich.console import Console
from rich.text import Text

from tarsy_cli.api import get
from tarsy_contracts.api.sessions import ListedSession, SessionList
from tarsy_local.terminal_text import one_line

LATEST = 25
LINE = "{:36}  {:11}  {:8}  {:11}  {}"


def read_sessions(api: str) -> SessionList:
    """The latest. Raises ApiError or ValidationError."""
    return SessionList.model_validate(get(f"{api}/sessions", page_size=LATEST))


def print_sessions(api: str, console: Console) -> None:
    """Raises ApiError or ValidationError."""
    rows = read_sessions(api).sessions
    if not rows:
        console.print("No alert was investigated yet: `tarsy submit FILE` sends one.", markup=False)
        return
    console.print(Text(LINE.format("session", "status", "model", "began", "alert"), style="bold"))
    for row in rows:
        console.print(Text(LINE.format(*map(one_line, _cells(row)))))


def _cells(row: ListedSession) -> list[str]:
    began = datetime.fromisoformat(row.created_at).astimezone()
    model = "scripted" if row.scripted else "real"
    return [row.id, row.status, model, f"{began:%m-%d %H:%M}", row.title or row.alert_type]
