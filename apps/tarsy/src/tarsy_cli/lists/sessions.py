"""`tarsy sessions`."""

from datetime import datetime

from pydantic import JsonValue
from rich.console import Console
from rich.text import Text

from tarsy_cli.api import get
from tarsy_local.terminal_text import one_line

LATEST = 25
LINE = "{:36}  {:11}  {:8}  {:11}  {}"


def print_sessions(api: str, console: Console) -> None:
    """Raises ApiFailed."""
    rows = get(f"{api}/sessions", page_size=LATEST).get("sessions")
    if not isinstance(rows, list) or not rows:
        console.print("No alert was investigated yet: `tarsy submit FILE` sends one.", markup=False)
        return
    console.print(Text(LINE.format("session", "status", "model", "began", "alert"), style="bold"))
    for row in rows:
        if isinstance(row, dict):
            console.print(Text(LINE.format(*map(one_line, _cells(row)))))


def _cells(row: dict[str, JsonValue]) -> list[str]:
    began = datetime.fromisoformat(str(row["created_at"])).astimezone()
    model = "scripted" if row.get("scripted") else "real"
    alert = row.get("title") or row.get("alert_type")
    return [str(row["id"]), str(row["status"]), model, f"{began:%m-%d %H:%M}", str(alert)]
