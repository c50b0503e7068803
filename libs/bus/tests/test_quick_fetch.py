"""Fetches on the wire are, byte for byte, those of aiokafka."""

from io import BytesIO

import pytest
from aiokafka.protocol.fetch import FetchRequest, FetchRequest_v4, FetchRequest_v11, FetchResponse_v11

from tarsy_bus.quick_fetch import QuickFetchRequest, QuickFetchResponse

ASKED: list[list[tuple[str, list[tuple[int, int, int]]]]] = [
    [],
    [("tarsy.sessions", [(0, 0, 1)])],
    [("tarsy.sessions", [(number, 2**40 + number, 8 * 1024 * 1024) for number in range(48)]), ("täglich", [(7, 1, 2)])],
    [("empty", [])],
]
ANSWERED: list[tuple[object, ...]] = [
    (0, 0, 0, []),
    (100, 70, 2**31 - 1, [("tarsy.sessions", [])]),
    (0, 0, 0, [("tarsy.sessions", [(3, 0, 2**40, 2**40, 5, [], -1, b"records" * 1000)])]),
    (0, 0, 0, [("one", [(0, 1, -1, -1, -1, None, -1, None), (1, 0, 7, 7, 0, [(9, 4), (10, 5)], 2, b"")])]),
    (0, 0, 0, [(name, [(n, n, n, n, n, None, n, b"x" * n) for n in range(36)]) for name in ("one", "täglich")]),
]


@pytest.mark.parametrize("rack", ["", "zone-1"])
@pytest.mark.parametrize("topics", ASKED)
def test_a_request_is_the_same(topics: list[tuple[str, list[tuple[int, int, int]]]], rack: str) -> None:
    arguments = (500, 1, 52_428_800, 1, topics)
    quick = QuickFetchRequest(*arguments, rack_id=rack)
    assert quick.topics == topics
    expected = FetchRequest(*arguments, rack_id=rack).build(FetchRequest_v11).encode()
    assert quick.build(FetchRequest_v11).encode() == expected


def test_the_version_is_the_one_that_is_chosen_for_brokers_of_today() -> None:
    chosen = QuickFetchRequest(500, 1, 1, 0, ASKED[1]).prepare({1: (4, 18)})
    assert chosen.API_VERSION == 11
    assert chosen.RESPONSE_TYPE is QuickFetchResponse


def test_to_an_older_broker_it_is_aiokafka_that_speaks() -> None:
    chosen = QuickFetchRequest(500, 1, 1, 0, ASKED[1]).prepare({1: (0, 4)})
    assert chosen.encode() == FetchRequest(500, 1, 1, 0, ASKED[1]).build(FetchRequest_v4).encode()


@pytest.mark.parametrize("answered", ANSWERED)
def test_a_response_is_read_the_same(answered: tuple[object, ...]) -> None:
    encoded = FetchResponse_v11(*answered).encode()
    header = b"correlation"
    data = BytesIO(header + encoded)
    data.seek(len(header))
    expected = FetchResponse_v11.decode(BytesIO(encoded))
    found = QuickFetchResponse.decode(data)
    assert vars(found) == vars(expected)
    assert found.API_VERSION == 11
    assert vars(QuickFetchResponse.decode(encoded)) == vars(expected)


def test_a_response_that_ends_anywhere_too_early_is_a_value_error() -> None:
    encoded = FetchResponse_v11(*ANSWERED[3]).encode()
    for end in range(len(encoded)):
        with pytest.raises(ValueError, match="ends"):
            QuickFetchResponse.decode(encoded[:end])
