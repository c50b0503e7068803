"""The faults of a soak: what each of them is, and whom it may meet. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

type Service = str
type Topic = str

SERVICES: Sequence[Service] = (
    "orchestrator",
    "tool-gateway",
    "summarizer",
    "timeline",
    "websocket-gateway",
    "ingest",
)
POISONED: Sequence[Topic] = (
    "alerts",
    "inbox",
    "sessions",
    "heads",
    "held",
    "tool-calls",
    "summaries",
    "results",
    "stream",
    "control",
    "catalog",
    "mcp-tokens",
    "workers",
    "layout",
)
GROWN: Sequence[Topic] = ("inbox", "sessions", "heads", "alerts", "tool-calls", "control")
LONGEST_OUTAGE_SECONDS = 60.0
LONGEST_FREEZE_SECONDS = 40.0
SHORTEST_SECONDS = 3.0

type Way = Literal["elsewhere", "doubled", "renamed", "foreign", "tombstone"]
"""The wrong target of a genuine record: another partition, a repeat, an unused key, another topic. Another kind is a
tombstone of an unused key.
"""

IN_ONE_PARTITION: Sequence[Way] = ("doubled", "renamed", "foreign", "tombstone")
WITHOUT_RECORDS: Sequence[Way] = ("foreign", "tombstone")
"""For topics that have none in a soak: it sets no session aside, and nobody logs in."""
MISPLACED: Mapping[Topic, Sequence[Way]] = {
    "heads": ("elsewhere", *IN_ONE_PARTITION),
    "held": WITHOUT_RECORDS,
    "workers": IN_ONE_PARTITION,
    "catalog": IN_ONE_PARTITION,
    "layout": IN_ONE_PARTITION,
    "mcp-tokens": WITHOUT_RECORDS,
}
SHORTEST_HOSTILE_SECONDS = 12.0
"""Until then their services have read the configuration and started them, and an agent has asked them."""
LONGEST_HOSTILE_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Kill:
    """`kill -9` of one process of the service. `choice` (0 to 1) picks it among those that run."""

    service: Service
    choice: float


@dataclass(frozen=True, slots=True)
class Freeze:
    """SIGSTOP, and SIGCONT after `seconds`."""

    service: Service
    choice: float
    seconds: float


@dataclass(frozen=True, slots=True)
class ServerOutage:
    """Servers are killed, or frozen, and come back after `seconds`."""

    servers: tuple[Literal["kafka", "postgresql"], ...]
    how: Literal["killed", "frozen"]
    seconds: float


@dataclass(frozen=True, slots=True)
class Poison:
    """Records that nobody can read, or that mean no good."""

    topic: Topic


@dataclass(frozen=True, slots=True)
class Growth:
    """Somebody adds partitions."""

    topic: Topic


@dataclass(frozen=True, slots=True)
class Misplacement:
    """A genuine record stands where it does not belong. `choice` (0 to 1) picks it among those that fit."""

    topic: Topic
    way: Way
    choice: float


@dataclass(frozen=True, slots=True)
class EndlessAnswer:
    """An alert for whose investigation the model's answer never ends."""

    kind: str


@dataclass(frozen=True, slots=True)
class HostileServers:
    """MCP servers that stand in the configuration for `seconds`, and an alert whose investigation asks them."""

    kinds: tuple[str, ...]
    seconds: float


type Fault = Kill | Freeze | ServerOutage | Poison | Growth | Misplacement | EndlessAnswer | HostileServers


def duration_of(fault: Fault) -> float:
    return fault.seconds if isinstance(fault, Freeze | ServerOutage | HostileServers) else 0.0
