"""Events of memories. Each stands on the log of the session that it comes from.

`memory.learned`, `memory.edited` and `memory.erased` are of the session that learnt the memory. Other sessions only say
that what they found agrees with it or not: what they say adds up in any order.
"""

from typing import ClassVar

from tarsy_contracts.memory import Memory, MemoryScope
from tarsy_contracts.wire.message import Message

EDIT_MEMORY = "edit_memory"
"""The value of `request` when a person wants a memory changed."""
FORGET_MEMORY = "forget_memory"
"""The value of `request` when a person wants a memory erased."""


class MemoryLearned(Message):
    """A reflection drew it from the investigation, and from these calls of it. `origin`: the facts of its alert."""

    type: ClassVar[str] = "memory.learned"
    memory_id: str
    phase_id: str
    memory: Memory
    origin: MemoryScope = MemoryScope()
    call_ids: tuple[str, ...] = ()


class MemoryReinforced(Message):
    """The session was given a memory of the session `learned_in`, and what it found agrees."""

    type: ClassVar[str] = "memory.reinforced"
    memory_id: str
    learned_in: str
    phase_id: str
    reason: str = ""


class MemoryDeprecated(Message):
    """The session was given a memory of the session `learned_in`, and what it found speaks against it."""

    type: ClassVar[str] = "memory.deprecated"
    memory_id: str
    learned_in: str
    phase_id: str
    reason: str = ""


class MemoryEdited(Message):
    """A person changed it. `memory`: all of it, as it is now."""

    type: ClassVar[str] = "memory.edited"
    memory_id: str
    request_id: str
    author: str
    memory: Memory


class MemoryErased(Message):
    """A person had it forgotten: nobody is given it or shown it any longer."""

    type: ClassVar[str] = "memory.erased"
    memory_id: str
    request_id: str
    author: str
