"""Filters and ids of dead letters, as people give them."""

import re
from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer

from tarsy_cli.errors import CommandError

AGO = re.compile(r"(\d{1,6})([smhd])")
UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}

TopicOption = Annotated[str, typer.Option("--topic", help="only those from this topic, such as alerts")]
ServiceOption = Annotated[str, typer.Option("--service", help="only those that this service buried, such as ingest")]
ReasonOption = Annotated[str, typer.Option("--reason", help="only those whose reason contains this text")]
SinceOption = Annotated[str, typer.Option("--since", help="only those buried since: 2h, 7d, or a time with a zone")]


class UnclearLetterError(CommandError):
    """No letter, or more than one, begins so; or a time is none. The operator writes it otherwise."""


def filters(topic: str, service: str, reason: str, since: str) -> dict[str, str]:
    """Those that are given. Raises UnclearLetterError."""
    given = {"topic": topic, "service": service, "reason": reason, "since": begin_of(since, datetime.now(UTC))}
    return {name: value for name, value in given.items() if value}


def begin_of(since: str, now: datetime) -> str:
    """Raises UnclearLetterError."""
    if not since:
        return ""
    if ago := AGO.fullmatch(since):
        return (now - timedelta(**{UNITS[ago[2]]: int(ago[1])})).isoformat()
    try:
        return datetime.fromisoformat(since).astimezone().isoformat()
    except ValueError:
        raise UnclearLetterError(f"{since} is not a time: write 2h, 7d, or 2026-11-24T12:00:00Z.") from None


def whole_letter_id(api: str, given: str) -> str:
    """The only one of the newest thousand that begins so. Raises UnclearLetterError or ApiError."""
    from tarsy_cli.api import get
    from tarsy_cli.session_ids import MOST_SHOWN, WHOLE
    from tarsy_contracts.api.dead_letters import DeadLetterList

    if WHOLE.fullmatch(given):
        return given
    rows = DeadLetterList.model_validate(get(f"{api}/dead-letters", limit=1000)).letters
    found = [row.id for row in rows if row.id.startswith(given)]
    if len(found) == 1:
        return found[0]
    if not found:
        raise UnclearLetterError(f"There is no dead letter {given}: `tarsy dead-letters list` shows them.")
    shown = "\n".join(f"  {id}" for id in found[:MOST_SHOWN])
    raise UnclearLetterError(f"More than one dead letter begins with {given}:\n{shown}")
