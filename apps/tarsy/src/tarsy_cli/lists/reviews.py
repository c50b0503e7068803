"""`tarsy reviews`."""

from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

from tarsy_cli.api import get
from tarsy_contracts.api.me import Me
from tarsy_contracts.api.session_lists import ListedSession, SessionList
from tarsy_local.terminal_text import one_line

LINE = "{:36}  {:12}  {:16}  {:8}  {:5}  {}"
TITLES = ("session", "review", "who", "rating", "score", "alert")
NONE = "No investigation waits for a review."
MOST_LISTED = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewQuery:
    status: str = ""
    assignee: str = ""
    team: str = ""


def read_own_name(api: str) -> str:
    """Raises ApiError or ValidationError."""
    return Me.model_validate(get(f"{api}/me")).name


def read_reviews(api: str, query: ReviewQuery) -> SessionList:
    """Raises ApiError or ValidationError."""
    asked = {"review_status": query.status, "assignee": query.assignee, "team": query.team}
    wanted = {name: value for name, value in asked.items() if value}
    return SessionList.model_validate(get(f"{api}/sessions", page_size=MOST_LISTED, **wanted))


def print_reviews(found: SessionList, console: Console) -> None:
    if not found.sessions:
        console.print(NONE, markup=False)
        return
    console.print(Text(LINE.format(*TITLES), style="bold"))
    for row in sorted(found.sessions, key=_waits_last):
        console.print(Text(LINE.format(*map(one_line, _row_cells(row)))))
    if (more := found.pagination.total_items - len(found.sessions)) > 0:
        console.print(f"and {more} more", markup=False)


def _waits_last(row: ListedSession) -> bool:
    return row.review_status != "needs_review"


def _row_cells(row: ListedSession) -> tuple[str, ...]:
    score = "" if row.latest_score is None else str(row.latest_score)
    status, who = row.review_status or "", row.assignee or ""
    return row.id, status, who, row.quality_rating or "", score, row.title or row.alert_type
