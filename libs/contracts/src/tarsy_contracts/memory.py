"""Memory: what investigations learnt, and what of it is given to later ones. Pure values.

A memory belongs to the session that learnt it, and goes with it. All of its text has been masked.
"""

import hashlib
from typing import Annotated, Literal

from pydantic import AwareDatetime, Field

from tarsy_contracts.alert import Alert
from tarsy_contracts.wire.message import Value
from tarsy_contracts.wire.numbers import Amount, Count, Index, Seconds, Share

MOST_CHARACTERS = 1_000
"""Limit for the text of one memory."""
MOST_LEARNED = 5
"""Memories that one investigation may teach."""
BEGINNING_CONFIDENCE = 0.7

MemoryCategory = Annotated[str, Field(examples=["semantic", "episodic", "procedural"])]
"""A fact, what happened once, or how to go about it."""
MemoryValence = Annotated[str, Field(examples=["positive", "negative", "neutral"])]
"""Whether it helped, misled, or neither."""


class MemoryScope(Value):
    """Alerts that a memory is about. An empty field holds for all."""

    alert_type: str = ""
    cluster: str = ""
    namespace: str = ""
    workload: str = ""
    labels: dict[str, str] = Field(default_factory=dict)


class Memory(Value):
    """`locked`: only people change it; no investigation makes it more or less certain. `deprecated`: nobody is given
    it any longer.
    """

    text: str
    category: MemoryCategory = "semantic"
    valence: MemoryValence = "neutral"
    scope: MemoryScope = MemoryScope()
    confidence: Share = BEGINNING_CONFIDENCE
    locked: bool = False
    deprecated: bool = False


class MemoryChange(Value):
    """Changes that a person wants of a memory. None leaves it as it is."""

    text: str | None = None
    category: Literal["semantic", "episodic", "procedural"] | None = None
    valence: Literal["positive", "negative", "neutral"] | None = None
    locked: bool | None = None
    deprecated: bool | None = None

    def apply(self, memory: Memory) -> Memory:
        return memory.model_copy(update=self.model_dump(exclude_none=True))


class RecalledMemory(Value):
    """`confidence`: with what later sessions said. `score`: how well it fits, from 0; comparable in one answer only."""

    memory_id: str
    session_id: str
    learned_at: AwareDatetime
    text: str
    category: MemoryCategory = "semantic"
    valence: MemoryValence = "neutral"
    scope: MemoryScope = MemoryScope()
    confidence: Share
    score: Amount

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.text.encode("utf-8", "replace")).hexdigest()[:16]


class RecalledMemories(Value):
    """The answer of a recall, the best first."""

    memories: tuple[RecalledMemory, ...] = ()


class GivenMemory(Value):
    """A memory that an execution began with. Agents cite it by `number`. `digest`: of its text then."""

    number: Index
    memory_id: str
    digest: str
    score: Amount


class RecallContext(Value):
    """The session that recalls: its alert's labels decide which sessions it may learn from, and what fits it."""

    session_id: str
    alert_type: str
    cluster: str = ""
    namespace: str = ""
    workload: str = ""
    labels: dict[str, str] = Field(default_factory=dict)


class MemoryRule(Value):
    """`max_inject`: memories that an investigation begins with. `reflector_limit`: those that a reflection is shown.
    `seconds`: for a recall at the start; without an answer by then the investigation goes on.
    """

    max_inject: Count = 5
    reflector_limit: Count = 20
    seconds: Seconds = 5.0


def recall_context(session_id: str, alert: Alert) -> RecallContext:
    return RecallContext(
        session_id=session_id,
        alert_type=alert.alert_type,
        cluster=alert.cluster or "",
        namespace=alert.namespace or "",
        workload=alert.workload or "",
        labels=alert.labels,
    )
