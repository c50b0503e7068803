"""Whether the alert still fires, taken from the state of its session. Pure."""

from collections.abc import Iterator

from tarsy_contracts.conversation import UserMessage
from tarsy_session.prompts.firing import compose_resolved, compose_unresolved, note_resolved
from tarsy_session.state import Execution, Investigating


def describe_firing(state: Investigating) -> str:
    """For agents that begin now. Empty where nobody would know."""
    resolved = state.resolved
    if resolved is None:
        return compose_unresolved(state.started.alert.source)
    return compose_resolved(resolved.event, resolved.at)


def resolved_after(state: Investigating, execution: Execution, turn: int) -> Iterator[UserMessage]:
    """Yields the news to an agent that ran when it came, after the turn that it was being asked for."""
    resolved = state.resolved
    if resolved is not None and resolved.after_turns.get(execution.id) == turn:
        yield UserMessage(content=note_resolved(resolved.event, resolved.at))
