"""Whole batches of a fetch: what is read in one piece, what is parsed one by one, and where reading goes on."""

from itertools import pairwise

import pytest
from aiokafka import TopicPartition

from tarsy_bus.client.record_parsing import Batches, KafkaRecord, UnparsableRecord
from tarsy_bus.client.whole_batches import GATHERED_BYTES, BatchRecords, WholeBatches
from tarsy_testing.servers.foreign_batches import CODECS, at_offset, batch_of, with_a_broken_name

PLACE = TopicPartition("heads", 3)


def fetched(*batches: bytes, fetch_offset: int = 0) -> tuple[list[KafkaRecord], int]:
    """What a consumer is given, and the offset that it reads next."""
    records = BatchRecords(PLACE, Batches(b"".join(batches)), [], fetch_offset, None, None, True, 0)
    return list(records), records.next_fetch_offset


def damaged(batch: bytes) -> bytes:
    return batch[:-1] + bytes([batch[-1] ^ 1])


def values(found: WholeBatches) -> list[bytes | None]:
    return [record.value for number in range(len(found.plain)) for record in found.records(number)]


@pytest.mark.parametrize("codec", CODECS)
def test_batches_of_every_codec_come_in_one_piece(codec: str) -> None:
    first, second = batch_of([b"a", b"b"], codec=codec), at_offset(batch_of([b"c"], codec=codec), 2)
    (found,), behind = fetched(first, second)
    assert isinstance(found, WholeBatches)
    assert (found.topic, found.partition, found.offset, behind) == ("heads", 3, 2, 3)
    assert values(found) == [b"a", b"b", b"c"]
    assert found.plain == [batch_of([b"a", b"b"]), at_offset(batch_of([b"c"]), 2)] or codec != "none"


def test_a_damaged_batch_stands_alone_between_those_around_it() -> None:
    three = [at_offset(batch_of([b"a", b"b"]), 2 * number) for number in range(3)]
    found, behind = fetched(three[0], damaged(three[1]), three[2])
    assert [type(one).__name__ for one in found] == ["WholeBatches", "UnparsableRecord", "WholeBatches"]
    assert [one.offset for one in found] == [1, 3, 5]
    assert [one.first_offset for one in found] == [0, 2, 4]
    assert behind == 6


def test_a_record_that_no_client_parses_is_met_by_who_looks_at_the_records() -> None:
    (found,), _ = fetched(with_a_broken_name([b"a", b"b"], broken=0))
    assert isinstance(found, WholeBatches)
    first, second = found.records(0)
    assert isinstance(first, UnparsableRecord)
    assert second.value == b"b"


def test_a_batch_that_is_cut_off_is_fetched_again() -> None:
    whole = batch_of([b"a"])
    found, behind = fetched(whole, at_offset(batch_of([b"b"]), 1)[:-5])
    assert [one.offset for one in found] == [0]
    assert behind == 1


def test_a_long_fetch_comes_in_pieces_with_nothing_left_out() -> None:
    body = b"x" * (GATHERED_BYTES // 4)
    found, behind = fetched(*(at_offset(batch_of([body]), number) for number in range(10)))
    assert behind == 10
    assert [one.offset for one in found][-1] == 9
    assert all(sooner.offset < later.offset for sooner, later in pairwise(found))
    assert sum(len(one.plain) for one in found if isinstance(one, WholeBatches)) == 10
    assert len(found) > 1
