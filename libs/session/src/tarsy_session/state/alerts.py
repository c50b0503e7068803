"""State of the alerts of a session. Only `evolve` makes it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from tarsy_contracts import events as e


@dataclass(frozen=True, slots=True)
class AlertNews:
    """The alert no longer fires, fires again, or is one of several now; `at`: when the log took it.

    `after_turns`: the agents that ran then, by the ids of their executions. Each reads it after so many of its turns.
    """

    event: e.AlertResolved | e.AlertRepeated
    at: datetime
    after_turns: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Alerts:
    """The alerts of a session after its first. `count`: how often it came again.

    `recent`: the ids of the last inputs, so that one that is delivered twice counts once. `episode` is the id that the
    sender of the last one was given; empty for the session's own. `resolved`: the last word is that it is over.
    `news`: what agents are told. `members`: the alerts of a group. `starts_at`: when the last one began to fire.
    """

    count: int = 0
    recent: tuple[str, ...] = ()
    episode: str = ""
    resolved: AlertNews | None = None
    news: tuple[AlertNews, ...] = ()
    members: frozenset[str] = frozenset()
    starts_at: datetime | None = None


NO_ALERTS = Alerts()
