"""Verification reads the session log as every reader does: records that lie in another partition are not there."""

import pytest
from aiokafka import ConsumerRecord

from tarsy_bus.client.connection import Bus
from tarsy_bus.readers.records import Delivery
from tarsy_contracts import events as e
from tarsy_contracts.wire.topics import Topics
from tarsy_testing.story.session_logs import SESSION, answer, log_of
from tarsy_verification.session_log import create_log_reading

BUS = Bus("nowhere:1", Topics(), client="test")
OWN = BUS.partition_of_session(SESSION)
BESIDE = (OWN + 1) % BUS.layout.log_partitions
LOG = log_of(answer("l1"), e.SessionCompleted(final_analysis="the tax table"))


def record(one: Delivery, partition: int) -> "ConsumerRecord[bytes, bytes]":
    at = int(one.appended_at.timestamp() * 1000)
    headers = one.envelope.headers()
    key = SESSION.encode()
    return ConsumerRecord(BUS.topics.sessions, partition, one.offset, at, 1, key, one.value, None, 0, 0, headers)


@pytest.mark.parametrize("places", [(BESIDE, OWN), (OWN, BESIDE)])
def test_a_copy_of_a_session_in_another_partition_is_left_out(places: tuple[int, int]) -> None:
    reading = create_log_reading(BUS)
    for place in places:
        for one in LOG.written:
            reading.take(record(one, place))
    assert [one.partition for one in reading.sessions[SESSION].written] == [OWN] * len(LOG.written)
