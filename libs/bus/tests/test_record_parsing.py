"""The parser of record batches, without a broker."""

import random
from collections.abc import Sequence

import pytest
from aiokafka import TopicPartition

from tarsy_bus.client.record_parsing import Batches, KafkaRecord, TolerantRecords, UnparsableRecord
from tarsy_testing.servers.foreign_batches import CODECS, at_offset, batch_of, checked, with_a_broken_name, with_codec

PLACE = TopicPartition("alerts", 3)
VALUES = [b"one", b"two", b"three"]


def parsed(*batches: bytes, start: int = 0) -> list[KafkaRecord]:
    """What one fetch from `start` on brings."""
    return list(TolerantRecords(PLACE, Batches(b"".join(batches)), [], start, None, None, True, 0))


def offsets(records: Sequence[KafkaRecord]) -> list[int]:
    return [record.offset for record in records]


def problems(records: Sequence[KafkaRecord]) -> list[str]:
    return [record.problem for record in records if isinstance(record, UnparsableRecord)]


@pytest.mark.parametrize("codec", CODECS)
def test_every_codec_is_read(codec: str) -> None:
    records = parsed(batch_of(VALUES, codec=codec), at_offset(batch_of(VALUES, codec=codec), 3))
    assert [record.value for record in records] == 2 * VALUES
    assert offsets(records) == [0, 1, 2, 3, 4, 5]
    assert [record.timestamp for record in records[:3]] == [1000, 1001, 1002]


@pytest.mark.parametrize("codec", CODECS)
def test_what_compresses_well_is_read_up_to_a_bound(codec: str) -> None:
    megabytes = bytes(5 * 1024 * 1024)
    assert [record.value for record in parsed(batch_of([megabytes] * 6, codec=codec))] == [megabytes] * 6
    if codec != "none":
        (lost,) = parsed(batch_of([megabytes] * 7, codec=codec))
        assert problems([lost]) == ["the records are larger than 33554432 bytes when they are decompressed"]
        assert lost.offset == 6


def test_a_fetch_from_within_a_batch_brings_the_rest_of_it() -> None:
    assert offsets(parsed(batch_of(VALUES), start=2)) == [2]
    assert offsets(parsed(with_a_broken_name(VALUES, broken=1), start=2)) == [2]


def test_the_neighbours_of_a_broken_record_are_read() -> None:
    one, two, three = parsed(with_a_broken_name(VALUES, broken=1))
    assert (one.value, three.value) == (b"one", b"three")
    assert isinstance(two, UnparsableRecord)
    assert (two.value, two.key, two.first_offset, two.offset, two.timestamp) == (b"two", b"k", 1, 1, 1001)
    assert not two.damaged


def test_a_batch_whose_checksum_does_not_fit_is_passed_over_whole() -> None:
    damaged = bytearray(batch_of(VALUES))
    damaged[-2] ^= 1
    lost, after = parsed(bytes(damaged), at_offset(batch_of([b"after"]), 3))
    assert isinstance(lost, UnparsableRecord)
    assert (lost.first_offset, lost.offset, lost.value, lost.damaged) == (0, 2, bytes(damaged), True)
    assert after.value == b"after"


def test_what_a_damaged_batch_says_of_its_length_is_not_believed() -> None:
    damaged = bytearray(batch_of(VALUES))
    damaged[23:27] = b"\x7f\xff\xff\xff"
    assert offsets(parsed(bytes(damaged), start=1)) == [1]


def test_an_unknown_codec_names_itself() -> None:
    lost, after = parsed(with_codec(batch_of(VALUES), 6), at_offset(batch_of([b"after"]), 3))
    assert problems([lost]) == ["the codec 6 is not known"]
    assert (lost.offset, after.offset) == (2, 3)


@pytest.mark.parametrize("codec", ["gzip", "snappy", "lz4", "zstd"])
def test_bytes_that_are_not_what_their_codec_says_are_passed_over(codec: str) -> None:
    lost, after = parsed(with_codec(batch_of(VALUES), CODECS[codec]), at_offset(batch_of([b"after"]), 3))
    assert "decompressed" in problems([lost])[0]
    assert (lost.offset, after.offset) == (2, 3)


@pytest.mark.parametrize("codec", CODECS)
def test_whatever_bytes_lie_there_reading_ends_and_goes_on_behind_them(codec: str) -> None:
    """Never an exception, never back, and the batch after it is always read."""
    chance = random.Random(7)
    whole = batch_of([b"x" * chance.randrange(40) for _ in range(8)], codec=codec, headers=[[("name", b"v")]] * 8)
    for _ in range(400):
        broken = bytearray(whole)
        for _ in range(chance.randrange(1, 4)):
            broken[chance.randrange(23, len(broken))] = chance.randrange(256)
        mended = checked(bytes(broken)) if chance.random() < 0.8 else bytes(broken)
        found = parsed(mended, at_offset(batch_of([b"after"]), 1 << 33))
        assert offsets(found) == sorted(set(offsets(found)))
        assert found[-1].offset == 1 << 33
        assert found[-1].value == b"after"


def test_a_last_batch_that_is_cut_off_is_left_for_the_next_fetch() -> None:
    whole = batch_of(VALUES)
    assert offsets(parsed(whole, at_offset(whole, 3)[:-1])) == [0, 1, 2]
