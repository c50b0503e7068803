"""Misplaced records are genuine ones: their bytes are ours, and only where they stand is wrong."""

from dataclasses import replace
from random import Random

import pytest
from aiokafka import ConsumerRecord

from tarsy_soak.faults import Misplacement, Way
from tarsy_soak.misplaced import PlacedRecord, misplaced

PARTITIONS = 12
OURS = (("ce_source", b"tarsy/orchestrator/1"),)


def record(
    key: str, value: bytes | None, partition: int = 3, topic: str = "tarsy.heads", headers: object = OURS
) -> "ConsumerRecord[bytes, bytes]":
    return ConsumerRecord(topic, partition, 0, 0, 0, key.encode(), value, None, 0, 0, headers)


HEADS = [
    record("a/1", b'{"phase":"open"}'),
    record("a/9", b'{"phase":"rest"}'),
    record("b/1", b'{"phase":"open"}'),
    record("c/1", None),
    record("stranger/1", b'{"phase":"open"}', headers=(("ce_source", b"stranger"),)),
]
CATALOG = [record("kubernetes/w", b"{}", partition=0, topic="tarsy.catalog")]
FAULT = Misplacement("heads", "elsewhere", 0.999)


def placed(fault: Misplacement, seed: int = 1) -> PlacedRecord:
    found = misplaced(fault, HEADS, CATALOG, PARTITIONS, Random(seed))
    assert found is not None
    return found


@pytest.mark.parametrize("seed", range(30))
def test_a_head_of_a_session_that_is_open_goes_to_another_partition_that_we_use(seed: int) -> None:
    found = placed(FAULT, seed)
    assert (found.key, found.value, tuple(found.headers)) == (b"b/1", b'{"phase":"open"}', OURS)
    assert found.partition in set(range(PARTITIONS)) - {3}


def test_a_doubled_head_is_the_same_in_the_same_place() -> None:
    found = placed(replace(FAULT, way="doubled"))
    assert (found.key, found.value, found.partition) == (b"b/1", b'{"phase":"open"}', 3)


def test_a_renamed_head_has_a_key_that_nobody_has() -> None:
    found = placed(replace(FAULT, way="renamed"))
    assert found.key.startswith(b"stranger/")
    assert found.value == b'{"phase":"open"}'


def test_a_foreign_record_is_that_of_another_topic() -> None:
    found = placed(replace(FAULT, way="foreign"))
    assert (found.key, found.value) == (b"kubernetes/w", b"{}")


def test_a_tombstone_is_of_what_never_was() -> None:
    found = placed(replace(FAULT, way="tombstone"))
    assert found.key.startswith(b"stranger/")
    assert found.value is None


@pytest.mark.parametrize("way", ["elsewhere", "doubled", "renamed", "foreign"])
def test_without_a_genuine_record_there_is_nothing_to_misplace(way: Way) -> None:
    strangers = [record("s", b"poison", headers=())]
    assert misplaced(replace(FAULT, way=way), strangers, strangers, PARTITIONS, Random(1)) is None
