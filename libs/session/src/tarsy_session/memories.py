"""Memories that a session was given, as the recall stands on its log. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from tarsy_contracts.memory import GivenMemory, RecalledMemories, RecalledMemory
from tarsy_contracts.wire.ids import recall_call_id
from tarsy_session.state import Investigating

UNREADABLE = "the answer could not be read"
GIVEN_TO = ("investigation", "action")
"""Types of the stages whose agents are given memories."""


@dataclass(frozen=True, slots=True)
class Recall:
    """The memories, the best first; an agent cites the first by 1. `missing`: why there are none, if some were asked
    for.
    """

    memories: tuple[RecalledMemory, ...] = ()
    missing: str = ""


def find_recall(state: Investigating) -> Recall:
    """Returns the recall that was made before the first agent began."""
    call = state.calls.get(recall_call_id(state.id_root))
    if call is None or call.completed is None:
        return Recall()
    if call.completed.outcome != "ok":
        return Recall(missing=call.completed.content or call.completed.outcome)
    try:
        return Recall(RecalledMemories.model_validate_json(call.completed.content).memories)
    except ValidationError:
        return Recall(missing=UNREADABLE)


def find_given(state: Investigating) -> Recall:
    """Returns the part of it that agents are given."""
    recall, rule = find_recall(state), state.started.chain.memory
    return Recall(recall.memories[: 0 if rule is None else rule.max_inject], recall.missing)


def list_given(state: Investigating, stage_type: str) -> tuple[GivenMemory, ...]:
    """As the beginning of an agent records them."""
    return _to_given(find_given(state).memories) if stage_type in GIVEN_TO else ()


def _to_given(memories: Sequence[RecalledMemory]) -> tuple[GivenMemory, ...]:
    return tuple(
        GivenMemory(number=number, memory_id=one.memory_id, digest=one.digest, score=one.score)
        for number, one in enumerate(memories, 1)
    )
