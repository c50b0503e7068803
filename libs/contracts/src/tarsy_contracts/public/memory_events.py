"""Public events of memories. They have no text: a memory may be erased, and what others have read may not."""

from typing import ClassVar

from tarsy_contracts.public.model import PublicEvent


class PublicMemoryLearned(PublicEvent):
    """A reflection drew a memory from this session."""

    type: ClassVar[str] = "tarsy.memory.learned"
    memory_id: str


class PublicMemoryReinforced(PublicEvent):
    """The findings of this session agree with a memory of the session `learned_in`."""

    type: ClassVar[str] = "tarsy.memory.reinforced"
    memory_id: str
    learned_in: str


class PublicMemoryDeprecated(PublicEvent):
    """The findings of this session speak against a memory of the session `learned_in`."""

    type: ClassVar[str] = "tarsy.memory.deprecated"
    memory_id: str
    learned_in: str


class PublicMemoryEdited(PublicEvent):
    """A person changed a memory of this session."""

    type: ClassVar[str] = "tarsy.memory.edited"
    memory_id: str
    author: str


class PublicMemoryErased(PublicEvent):
    """A person had a memory of this session forgotten."""

    type: ClassVar[str] = "tarsy.memory.erased"
    memory_id: str
    author: str
