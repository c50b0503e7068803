"""Long logs with a planted turning point: the data type and the one function that lays out the lines."""

import itertools
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

__all__ = ["Kind", "Kinds", "Make", "PlantedLog", "plant"]

Kind = Callable[[str, int, random.Random], str]
"""A kind of entry: from its written time, its number and the randomness to its text (one or more lines)."""
Kinds = Sequence[tuple[float, Kind]]
"""Kinds of entries, each with its weight."""


@dataclass(frozen=True, slots=True)
class PlantedLog:
    """A long log, the lines in it that explain the incident, and the time at which the alert fired."""

    name: str
    lines: Sequence[str]
    turning_points: Sequence[str]
    began: datetime


Make = Callable[[int, random.Random], PlantedLog]
"""A maker of logs: from the number of lines and the randomness to a log."""


def plant(
    name: str,
    kinds: Kinds,
    turning_points: Sequence[Kind],
    later_kinds: Kinds,
    count: int,
    drawn: random.Random,
    stamp: Callable[[datetime], str],
    *,
    gradual: bool = True,
) -> PlantedLog:
    """A log of exactly `count` lines, with its turning point somewhere between a quarter and three quarters.

    The later kinds follow the turning point. If `gradual`, they take over little by little until the alert.
    """
    drawn = random.Random(f"{name} {drawn.getrandbits(64)}")  # two logs of one seed do not turn at the same place
    gap = drawn.uniform(3 * 3600, 8 * 3600) / count
    lead = timedelta(seconds=drawn.uniform(180, 900))
    place = int(count * drawn.uniform(0.26, 0.74))
    moment = datetime(2025, drawn.randint(1, 12), drawn.randint(1, 28), drawn.randint(0, 23), tzinfo=UTC)
    before, after = _cumulated(kinds), _cumulated(later_kinds)
    lines: list[str] = []
    planted: list[str] = []
    turned = began = moment + timedelta(days=1)
    number = 0
    while len(lines) < count:
        number += 1
        moment += timedelta(seconds=drawn.expovariate(1 / gap))
        if not planted and len(lines) >= place:
            turned, began = moment, moment + lead
            for kind in turning_points:
                planted.append(kind(stamp(moment), number, drawn))
                moment += timedelta(milliseconds=drawn.randint(1, 40))
            lines.extend(planted)
            continue
        ripe = bool(planted) and (not gradual or drawn.random() < 0.3 + 0.7 * ((moment - turned) / lead))
        choices, weights = after if ripe else before
        entry = drawn.choices(choices, cum_weights=weights)[0](stamp(moment), number, drawn)
        lines.extend(entry.split("\n"))
    return PlantedLog(name, tuple(lines[:count]), tuple(planted), min(began, moment).replace(microsecond=0))


def _cumulated(kinds: Kinds) -> tuple[list[Kind], list[float]]:
    """The kinds and their weights added up, as `random.choices` takes them."""
    return [kind for _, kind in kinds], list(itertools.accumulate(weight for weight, _ in kinds))
