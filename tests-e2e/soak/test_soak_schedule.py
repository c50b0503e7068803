"""The plan of a soak: every kind of fault, in the time that there is, the same for the same seed."""

from itertools import pairwise

import pytest

from tarsy_soak.endless_answers import ENDLESS_ANSWERS
from tarsy_soak.faults import (
    GROWN,
    LONGEST_OUTAGE_SECONDS,
    MISPLACED,
    POISONED,
    SERVICES,
    EndlessAnswer,
    Freeze,
    Growth,
    HostileServers,
    Kill,
    Misplacement,
    Poison,
    ServerOutage,
    duration_of,
)
from tarsy_soak.hostile_server import HOSTILE_KINDS
from tarsy_soak.schedule import Planned, schedule

LENGTHS = pytest.mark.parametrize("seconds", [60.0, 180.0, 1_800.0, 7_200.0])
SEEDS = pytest.mark.parametrize("seed", range(5))


def faults[F](planned: list[Planned], kind: type[F]) -> list[F]:
    return [one.fault for one in planned if isinstance(one.fault, kind)]


@LENGTHS
@SEEDS
def test_each_kind_of_fault_happens_however_short_the_soak(seconds: float, seed: int) -> None:
    planned = schedule(seed=seed, seconds=seconds)
    assert {one.service for one in faults(planned, Kill)} == set(SERVICES)
    assert {one.topic for one in faults(planned, Poison)} == set(POISONED)
    assert [one.topic for one in sorted(faults(planned, Growth), key=lambda one: GROWN.index(one.topic))] == list(GROWN)
    outages = {(tuple(sorted(one.servers)), one.how) for one in faults(planned, ServerOutage)}
    assert outages >= {
        (("kafka",), "killed"),
        (("kafka",), "frozen"),
        (("postgresql",), "killed"),
        (("kafka", "postgresql"), "killed"),
    }
    assert len({one.service for one in faults(planned, Freeze)}) >= 3


@LENGTHS
@SEEDS
def test_records_are_misplaced_models_never_end_and_servers_are_hostile(seconds: float, seed: int) -> None:
    planned = schedule(seed=seed, seconds=seconds)
    every = {(topic, way) for topic, ways in MISPLACED.items() for way in ways}
    assert {(one.topic, one.way) for one in faults(planned, Misplacement)} == every
    assert {one.kind for one in faults(planned, EndlessAnswer)} == set(ENDLESS_ANSWERS)
    assert {kind for one in faults(planned, HostileServers) for kind in one.kinds} == set(HOSTILE_KINDS)


@LENGTHS
@SEEDS
def test_an_orchestrator_starts_on_every_misplaced_record(seconds: float, seed: int) -> None:
    planned = schedule(seed=seed, seconds=seconds)
    last = max(one.at for one in planned if isinstance(one.fault, Misplacement))
    kills = [one.at for one in planned if isinstance(one.fault, Kill) and one.fault.service == "orchestrator"]
    assert last < max(kills)


@LENGTHS
@SEEDS
def test_faults_follow_one_another_and_leave_half_of_the_time(seconds: float, seed: int) -> None:
    planned = schedule(seed=seed, seconds=seconds)
    for before, after in pairwise(planned):
        assert before.at + duration_of(before.fault) < after.at
    assert planned[-1].at <= seconds
    # The shortest faults of a very short soak may take more than their part.
    assert sum(duration_of(one.fault) for one in planned) <= max(0.55 * seconds + LONGEST_OUTAGE_SECONDS, 30.0)


def test_a_long_soak_has_more_faults_and_outages_of_a_minute() -> None:
    short, long = schedule(seed=3, seconds=180), schedule(seed=3, seconds=7_200)
    assert len(long) > 2 * len(short)
    assert max(one.seconds for one in faults(long, ServerOutage)) > 50
    assert max(one.seconds for one in faults(long, ServerOutage)) <= LONGEST_OUTAGE_SECONDS


def test_the_same_seed_plans_the_same_faults_and_another_seed_others() -> None:
    assert schedule(seed=7, seconds=600) == schedule(seed=7, seconds=600)
    assert schedule(seed=7, seconds=600) != schedule(seed=8, seconds=600)
