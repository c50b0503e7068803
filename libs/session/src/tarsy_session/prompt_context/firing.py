"""Whether the alert still fires, taken from the state of its session. Pure."""

from collections.abc import Iterator

from tarsy_contracts.conversation import UserMessage
from tarsy_contracts.events import AlertRepeated, AlertResolved
from tarsy_session.prompts.firing import (
    compose_joined,
    compose_resolved,
    compose_unresolved,
    note_repeated,
    note_resolved,
)
from tarsy_session.state import Execution, Investigating


def describe_firing(state: Investigating) -> str:
    """For agents that begin now. Empty where nobody would know."""
    alerts = state.alerts
    resolved = alerts.resolved
    if resolved is not None and isinstance(resolved.event, AlertResolved):
        firing = compose_resolved(resolved.event, resolved.at)
    else:
        firing = compose_unresolved(state.started.alert.source)
    joined = [
        compose_joined(one.event.news) for one in alerts.news if isinstance(one.event, AlertRepeated) and one.event.news
    ]
    return "\n\n".join(part for part in (firing, *joined) if part)


def alert_news_after(state: Investigating, execution: Execution, turn: int) -> Iterator[UserMessage]:
    """Yields the news to an agent that ran when it came, after the turn that it was being asked for."""
    for one in state.alerts.news:
        if one.after_turns.get(execution.id) != turn:
            continue
        if isinstance(one.event, AlertResolved):
            yield UserMessage(content=note_resolved(one.event, one.at))
        else:
            yield UserMessage(content=note_repeated(one.event, one.at))
