"""The schedule of a soak: which fault is injected when, chosen by a seed. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
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
FAULTS_TAKE = 0.5
"""The part of a soak's time that faults may last; in the rest TARSy has Kafka and PostgreSQL, and all processes."""


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


type Fault = Kill | Freeze | ServerOutage | Poison | Growth


@dataclass(frozen=True, slots=True)
class Planned:
    """`at`: seconds after the soak began. A fault that is still going on delays the next."""

    at: float
    fault: Fault


def schedule(*, seed: int, seconds: float) -> list[Planned]:
    """Every kind of fault at least once; what lasts is shortened until it fits a short soak."""
    random = Random(seed)
    faults = list(_deck(random))
    lasting = sum(duration_of(fault) for fault in faults)
    fits = min(1.0, FAULTS_TAKE * seconds / lasting)
    planned = [_shortened(fault, fits) for fault in faults]
    left = FAULTS_TAKE * seconds - sum(map(duration_of, planned))
    while left > 0 and seconds >= 2 * lasting:
        fault = _any(random)
        left -= duration_of(fault) + 1.0
        planned.append(fault)
    return list(_spread(planned, seconds, random))


def duration_of(fault: Fault) -> float:
    return fault.seconds if isinstance(fault, Freeze | ServerOutage) else 0.0


def _deck(random: Random) -> Iterator[Fault]:
    """One of each, in an order of its own; the topics grow and are poisoned between the others."""
    deck: list[Fault] = [
        *(Kill(service, random.random()) for service in SERVICES),
        *(Freeze(service, random.random(), _long(random, LONGEST_FREEZE_SECONDS)) for service in SERVICES[:3]),
        ServerOutage(("kafka",), "killed", _long(random, LONGEST_OUTAGE_SECONDS)),
        ServerOutage(("kafka",), "frozen", _long(random, LONGEST_OUTAGE_SECONDS)),
        ServerOutage(("postgresql",), "killed", _long(random, LONGEST_OUTAGE_SECONDS)),
        ServerOutage(("postgresql", "kafka"), "killed", _long(random, LONGEST_OUTAGE_SECONDS)),
        *(Poison(topic) for topic in POISONED),
        *(Growth(topic) for topic in GROWN),
    ]
    random.shuffle(deck)
    yield from deck


def _any(random: Random) -> Fault:
    """Processes die more often than servers. Topics grow once: each growth stays."""
    match random.choices(("kill", "freeze", "outage", "poison"), weights=(5, 3, 2, 2))[0]:
        case "kill":
            return Kill(random.choice(SERVICES), random.random())
        case "freeze":
            return Freeze(random.choice(SERVICES), random.random(), _long(random, LONGEST_FREEZE_SECONDS))
        case "outage":
            servers: tuple[Literal["kafka", "postgresql"], ...] = random.choice(
                (("kafka",), ("postgresql",), ("kafka", "postgresql"))
            )
            return ServerOutage(servers, random.choice(("killed", "frozen")), _long(random, LONGEST_OUTAGE_SECONDS))
        case _:
            return Poison(random.choice(POISONED))


def _long(random: Random, longest: float) -> float:
    return random.uniform(SHORTEST_SECONDS, longest)


def _shortened(fault: Fault, fits: float) -> Fault:
    match fault:
        case Freeze(service, choice, seconds):
            return Freeze(service, choice, max(SHORTEST_SECONDS, seconds * fits))
        case ServerOutage(servers, how, seconds):
            return ServerOutage(servers, how, max(SHORTEST_SECONDS, seconds * fits))
        case _:
            return fault


def _spread(faults: Sequence[Fault], seconds: float, random: Random) -> Iterator[Planned]:
    """Each after the one before, with pauses that add up to the rest of the time."""
    weights = [random.uniform(0.3, 1.7) for _ in faults]
    pauses = max(0.0, seconds - sum(map(duration_of, faults)))
    at = 0.0
    for fault, weight in zip(faults, weights, strict=True):
        at += pauses * weight / (sum(weights) * 1.05)
        yield Planned(at, fault)
        at += duration_of(fault)
