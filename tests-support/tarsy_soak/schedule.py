"""The schedule of a soak: which fault is injected when, chosen by a seed. Pure."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Literal

from tarsy_soak.endless_answers import ENDLESS_ANSWERS
from tarsy_soak.faults import (
    GROWN,
    LONGEST_FREEZE_SECONDS,
    LONGEST_HOSTILE_SECONDS,
    LONGEST_OUTAGE_SECONDS,
    MISPLACED,
    POISONED,
    SERVICES,
    SHORTEST_HOSTILE_SECONDS,
    SHORTEST_SECONDS,
    EndlessAnswer,
    Fault,
    Freeze,
    Growth,
    HostileServers,
    Kill,
    Misplacement,
    Poison,
    ServerOutage,
    Service,
    duration_of,
)
from tarsy_soak.hostile_server import HOSTILE_KINDS

FAULTS_TAKE = 0.5
"""The part of a soak's time that faults may last; in the rest TARSy has Kafka and PostgreSQL, and all processes."""


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
    return list(_spread(_met_by_a_start(planned, random), seconds, random))


def _met_by_a_start(faults: Sequence[Fault], random: Random) -> list[Fault]:
    """With a kill of an orchestrator behind the last misplaced record, so that one starts on it."""
    last = max(number for number, fault in enumerate(faults) if isinstance(fault, Misplacement))
    after = any(isinstance(fault, Kill) and fault.service == "orchestrator" for fault in faults[last:])
    return list(faults) if after else [*faults, Kill("orchestrator", random.random())]


def _deck(random: Random) -> Iterator[Fault]:
    """One of each, in an order of its own; the topics grow and are poisoned between the others."""
    deck: list[Fault] = [
        *(Kill(service, random.random()) for service in SERVICES),
        *(_any_freeze(service, random) for service in SERVICES[:3]),
        ServerOutage(("kafka",), "killed", _long(random, LONGEST_OUTAGE_SECONDS)),
        ServerOutage(("kafka",), "frozen", _long(random, LONGEST_OUTAGE_SECONDS)),
        ServerOutage(("postgresql",), "killed", _long(random, LONGEST_OUTAGE_SECONDS)),
        ServerOutage(("postgresql", "kafka"), "killed", _long(random, LONGEST_OUTAGE_SECONDS)),
        *(Poison(topic) for topic in POISONED),
        *(Growth(topic) for topic in GROWN),
        *(Misplacement(topic, way, random.random()) for topic, ways in MISPLACED.items() for way in ways),
        *(EndlessAnswer(kind) for kind in ENDLESS_ANSWERS),
        _hostile(HOSTILE_KINDS, random),
    ]
    random.shuffle(deck)
    yield from deck


def _any(random: Random) -> Fault:
    """Processes die more often than servers. Topics grow once: each growth stays."""
    weights = [weight for weight, _ in FURTHER.values()]
    _, draw = FURTHER[random.choices(list(FURTHER), weights=weights)[0]]
    return draw(random)


def _any_freeze(service: Service, random: Random) -> Freeze:
    return Freeze(service, random.random(), _long(random, LONGEST_FREEZE_SECONDS))


def _any_outage(random: Random) -> Fault:
    servers: tuple[Literal["kafka", "postgresql"], ...] = random.choice(
        (("kafka",), ("postgresql",), ("kafka", "postgresql"))
    )
    return ServerOutage(servers, random.choice(("killed", "frozen")), _long(random, LONGEST_OUTAGE_SECONDS))


def _any_misplacement(random: Random) -> Fault:
    topic = random.choice(list(MISPLACED))
    return Misplacement(topic, random.choice(MISPLACED[topic]), random.random())


def _any_hostile(random: Random) -> Fault:
    return _hostile(random.sample(list(HOSTILE_KINDS), random.randint(1, len(HOSTILE_KINDS))), random)


def _hostile(kinds: Iterable[str], random: Random) -> HostileServers:
    return HostileServers(tuple(kinds), random.uniform(SHORTEST_HOSTILE_SECONDS, LONGEST_HOSTILE_SECONDS))


FURTHER: Mapping[str, tuple[int, Callable[[Random], Fault]]] = {
    "kill": (5, lambda random: Kill(random.choice(SERVICES), random.random())),
    "freeze": (3, lambda random: _any_freeze(random.choice(SERVICES), random)),
    "outage": (2, _any_outage),
    "poison": (2, lambda random: Poison(random.choice(POISONED))),
    "misplacement": (2, _any_misplacement),
    "endless": (2, lambda random: EndlessAnswer(random.choice(list(ENDLESS_ANSWERS)))),
    "hostile": (1, _any_hostile),
}
"""Kinds that a long soak draws beyond the deck: the weight of each, and how one is drawn."""


def _long(random: Random, longest: float) -> float:
    return random.uniform(SHORTEST_SECONDS, longest)


def _shortened(fault: Fault, fits: float) -> Fault:
    match fault:
        case Freeze() | ServerOutage():
            return replace(fault, seconds=max(SHORTEST_SECONDS, fault.seconds * fits))
        case HostileServers():
            return replace(fault, seconds=max(SHORTEST_HOSTILE_SECONDS, fault.seconds * fits))
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
