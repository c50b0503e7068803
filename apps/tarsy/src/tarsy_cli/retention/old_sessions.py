"""Sessions that ended long ago, as the API lists them, and their deletion."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from tarsy_cli.api import ApiError, NotFoundError, UnavailableError, delete, get, retry
from tarsy_contracts.api.session_lists import ListedSession, SessionList

ENDED = "completed,failed,cancelled,timed_out"
PAGE_SIZE = 100


@dataclass(frozen=True, slots=True)
class Deletion:
    """How many sessions were deleted, and why others were not."""

    deleted: int
    refused: tuple[str, ...]


def list_expired_sessions(api: str, before: datetime) -> Iterator[ListedSession]:
    """Those that began before and have ended; the oldest first. Raises ApiError or ValidationError."""
    page = 1
    while True:
        found = SessionList.model_validate(
            get(
                f"{api}/sessions", page=page, page_size=PAGE_SIZE, status=ENDED, end_date=before.isoformat(),
                sort_by="created_at", sort_order="asc",
            )
        )  # fmt: skip
        yield from found.sessions
        if page >= found.pagination.total_pages:
            return
        page += 1


def delete_sessions(api: str, ids: list[str], report: Callable[[int], None]) -> Deletion:
    """One after the other: each is a decision of its owner. `report` is called with how many are through."""
    refused: list[str] = []
    deleted = 0
    for number, id in enumerate(ids, 1):
        try:
            retry(partial(delete, f"{api}/sessions/{id}", idempotency_key=f"retention/{id}"), UnavailableError)
            deleted += 1
        except NotFoundError:
            pass  # another run was quicker
        except ApiError as problem:
            refused.append(f"{id}: {problem}")
        report(number)
    return Deletion(deleted, tuple(refused))
