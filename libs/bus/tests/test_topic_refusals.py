"""A broker that does not make a topic is quoted."""

import pytest

from tarsy_bus.topics.topic_refusals import describe_refusals

POLICY, CONFIG, REPLICATION = 44, 40, 38
HINT = "`tarsy topics apply --without NAME` leaves a setting out: segment.ms, "


def test_the_sentence_of_the_broker_is_told_of_each_topic() -> None:
    told = describe_refusals([("t.a", REPLICATION, "Unable to replicate the partition 3 time(s)."), ("t.b", 41, None)])
    assert told == (
        "topic t.a: InvalidReplicationFactorError: Unable to replicate the partition 3 time(s); "
        "topic t.b: NotControllerError"
    )


@pytest.mark.parametrize("code", [POLICY, CONFIG])
def test_a_refused_setting_may_be_left_out(code: int) -> None:
    told = describe_refusals([("t.a", code, "segment.ms may not be set on this cluster")])
    assert "segment.ms may not be set on this cluster. " in told
    assert HINT in told
