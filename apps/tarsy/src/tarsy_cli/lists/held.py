"""`tarsy held`."""

from datetime import datetime

from rich.console import Console
from rich.text import Text

from tarsy_cli.api import get
from tarsy_contracts.api.system import HeldSessionList
from tarsy_local.terminal_text import one_line

LINE = "{:36}  {:11}  {:>6}  {}"
NONE = "No session is set aside."


def read_held(api: str) -> HeldSessionList:
    """Raises ApiError or ValidationError."""
    return HeldSessionList.model_validate(get(f"{api}/system/held-sessions"))


def print_held(api: str, console: Console) -> None:
    """Raises ApiError or ValidationError."""
    held = read_held(api)
    if not held.sessions:
        console.print(NONE, markup=False)
        return
    console.print(Text(LINE.format("session", "since", "inputs", "why"), style="bold"))
    for one in held.sessions:
        since = "" if one.created_at is None else f"{datetime.fromisoformat(one.created_at).astimezone():%m-%d %H:%M}"
        console.print(Text(LINE.format(one_line(one.session_id), since, one.inputs, one_line(one.why))))
    if (more := held.total_items - len(held.sessions)) > 0:
        console.print(f"and {more} more", markup=False)
