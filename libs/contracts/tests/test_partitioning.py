"""The same key lies in the same partition, for ever, and where Kafka's own clients would look for it."""

from uuid import UUID

import pytest
from aiokafka.partitioner import murmur2 as murmur2_of_aiokafka

from tarsy_contracts.wire.partitioning import murmur2, next_in_partition, partition_of

# Of Kafka's own UtilsTest.testMurmur2.
KAFKA = {
    b"21": -973932308,
    b"foobar": -790332482,
    b"a-little-bit-long-string": -985981536,
    b"a-little-bit-longer-string": -1486304829,
    b"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8": -58897971,
    b"abc": 479470107,
}


@pytest.mark.parametrize("key", KAFKA)
def test_as_the_java_client(key: bytes) -> None:
    assert murmur2(key) == KAFKA[key] % (1 << 32)


def test_keys_of_every_length_and_with_every_byte() -> None:
    for length in range(70):
        key = bytes((7 * length + 37 * at) % 256 for at in range(length))
        assert murmur2(key) == murmur2_of_aiokafka(key) % (1 << 32)


def test_what_was_written_before_lies_where_it_is_looked_for() -> None:
    sessions = [str(UUID(int=number * 0x9E3779B97F4A7C15)) for number in range(6)]
    assert [partition_of(session.encode(), 12) for session in sessions] == [9, 11, 2, 1, 3, 10]
    assert [partition_of(session.encode(), 48) for session in sessions] == [45, 11, 26, 1, 27, 22]


def test_the_next_id_of_a_partition_is_found_by_counting_and_begins_again_at_the_end() -> None:
    id = "22222222-2222-5222-8222-22222222fffe"
    following = [id, f"{id[:-4]}ffff", *(f"{id[:-4]}{number:04x}" for number in range(500))]
    for partition in range(12):
        expected = next(one for one in following if partition_of(one.encode(), 12) == partition)
        assert next_in_partition(id, partition, 12) == expected
