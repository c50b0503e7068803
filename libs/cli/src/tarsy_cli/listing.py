"""`tarsy sessions`."""

import httpx2
from rich.console import Console
from rich.table import Table
from rich.text import Text

TIMEOUT_SECONDS = 30.0


def print_sessions(api: str, console: Console) -> None:
    answer = httpx2.get(f"{api}/sessions", params={"page_size": 25}, timeout=TIMEOUT_SECONDS)
    answer.raise_for_status()
    table = Table("session", "status", "began", "alert", "model", box=None, pad_edge=False)
    for row in answer.json()["sessions"]:
        model = "scripted" if row.get("scripted") else ""
        cells = [row["id"], row["status"], row["created_at"], row.get("title") or row["alert_type"], model]
        table.add_row(*(Text(str(cell)) for cell in cells))
    console.print(table)
