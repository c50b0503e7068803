"""Whether the alert still fires, for agents. Pure."""

from datetime import datetime

from tarsy_contracts.alert import SOURCES_THAT_RESOLVE
from tarsy_contracts.events import AlertRepeated, AlertResolved
from tarsy_session.text import fence, render_time, to_one_line

SOURCE_LIMIT = 100


def compose_unresolved(source: str) -> str:
    """Says nothing where nobody would know of a resolution."""
    if source not in SOURCES_THAT_RESOLVE:
        return ""
    return f"The alert still fires as far as TARSy knows: no resolution has come from {source}."


def compose_joined(news: str) -> str:
    """Alerts that came into the group before the agent began."""
    return f"More alerts of the same group came in meanwhile:\n\n{fence('MORE ALERTS', news)}"


def compose_resolved(resolved: AlertResolved, at: datetime) -> str:
    """`at`: when it was reported."""
    since = "" if resolved.ends_at is None else f", since {render_time(resolved.ends_at)}"
    source = to_one_line(resolved.source, SOURCE_LIMIT)
    return f"The alert no longer fires: {source} reported at {render_time(at)} that it is resolved{since}."


def note_resolved(resolved: AlertResolved, at: datetime) -> str:
    """The note to an agent that runs."""
    return (
        f"[{compose_resolved(resolved, at)} Your task stays: find out what was behind it. What you read from now on may"
        " show a system that has recovered.]"
    )


def note_repeated(repeated: AlertRepeated, at: datetime) -> str:
    """The note to an agent that runs: the alert is back, or alerts came into its group."""
    source = to_one_line(repeated.source, SOURCE_LIMIT)
    if repeated.news:
        note = f"[{source} reported more alerts of the same group at {render_time(at)}. They belong to your task.]"
        return f"{note}\n\n{fence('MORE ALERTS', repeated.news)}"
    return f"[The alert fires again: {source} reported it at {render_time(at)}.]"
