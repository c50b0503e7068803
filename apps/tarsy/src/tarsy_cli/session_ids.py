"""Ids of sessions as people give them: whole, or their beginning."""

import re
from collections.abc import Callable, Sequence

from tarsy_cli.api import get
from tarsy_cli.errors import CommandError

WHOLE = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
PREFIX = re.compile(r"[A-Za-z0-9._-]+")
MOST_SHOWN = 10

type Candidate = tuple[str, str]
"""A session's id, and what people know it by."""


class UnclearIdError(CommandError):
    """No session, or more than one, begins so. The operator gives more of the id."""


def whole_id(api: str, given: str, candidates: Callable[[str, str], Sequence[Candidate]] | None = None) -> str:
    """A whole id is not looked up, for its session may be about to appear. Raises UnclearIdError or ApiError.

    `candidates`: of the API at this address, those whose ids may begin so; without it, all sessions.
    """
    if WHOLE.fullmatch(given):
        return given
    found = [row for row in (candidates or _list_candidates)(api, given) if row[0].startswith(given)]
    match found:
        case [(id, _)]:
            return id
        case []:
            raise UnclearIdError(f"There is no session {given} here: `tarsy sessions` lists the latest.")
        case _ if given in dict(found):
            return given
        case _:
            lines = [f"  {id}  {title}".rstrip() for id, title in found[:MOST_SHOWN]]
            more = ["  and more"] if len(found) > MOST_SHOWN else []
            raise UnclearIdError("\n".join([f"More than one session begins with {given}:", *lines, *more]))


def find_held_candidates(api: str, given: str) -> list[Candidate]:
    """Those that are set aside count first."""
    from tarsy_cli.lists.held import read_held

    held = read_held(api).sessions
    return [(row.session_id, row.why) for row in held if row.session_id.startswith(given)] or _list_candidates(
        api, given
    )


def _list_candidates(api: str, given: str) -> list[Candidate]:
    from tarsy_contracts.api.session_lists import SessionList

    if not PREFIX.fullmatch(given):
        return []
    rows = SessionList.model_validate(get(f"{api}/sessions", id_prefix=given, page_size=MOST_SHOWN + 1)).sessions
    return [(row.id, row.title or row.alert_type) for row in rows]
