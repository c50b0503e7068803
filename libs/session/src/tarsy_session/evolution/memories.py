"""Evolution of the memories that a session has taught. Pure; None for an event that makes no sense here."""

from dataclasses import replace

from tarsy_contracts import events as e
from tarsy_session.state import AtRest, Investigating

type ReflectionEvent = e.MemoryLearned | e.MemoryReinforced | e.MemoryDeprecated
type MemoryChanged = e.MemoryEdited | e.MemoryErased


def apply_reflection_event(state: Investigating, event: ReflectionEvent) -> Investigating | None:
    """Judgements of memories of other sessions stand on the log alone: this session has no state of them."""
    if state.ended is None:
        return None
    if isinstance(event, e.MemoryLearned):
        return replace(state, memories={**state.memories, event.memory_id: event.memory})
    return state


def apply_memory_change[S: Investigating | AtRest](state: S, event: MemoryChanged) -> S:
    memory = event.memory if isinstance(event, e.MemoryEdited) else None
    return replace(state, memories={**state.memories, event.memory_id: memory})
