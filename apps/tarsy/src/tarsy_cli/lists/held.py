"""`tarsy session held`."""

from collections.abc import Sequence
from datetime import datetime

from pydantic import BaseModel
from rich.console import Console
from rich.text import Text

from tarsy_cli.api import get
from tarsy_local.terminal_text import one_line

LINE = "{:36}  {:11}  {:>6}  {}"
NONE = "No session is set aside."


class HeldSessionRow(BaseModel):
    session_id: str
    why: str
    inputs: int
    created_at: datetime | None


class HeldSessionsAnswer(BaseModel):
    sessions: Sequence[HeldSessionRow]
    total_items: int


def print_held(api: str, console: Console) -> None:
    """Raises ApiFailed or ValidationError."""
    held = HeldSessionsAnswer.model_validate(get(f"{api}/system/held-sessions"))
    if not held.sessions:
        console.print(NONE, markup=False)
        return
    console.print(Text(LINE.format("session", "since", "inputs", "why"), style="bold"))
    for one in held.sessions:
        since = "" if one.created_at is None else f"{one.created_at.astimezone():%m-%d %H:%M}"
        console.print(Text(LINE.format(one_line(one.session_id), since, one.inputs, one_line(one.why))))
    if (more := held.total_items - len(held.sessions)) > 0:
        console.print(f"and {more} more", markup=False)
