"""Each letter is listed once, however often it was buried, and says whether it was re-driven."""

import itertools
from datetime import UTC, datetime

import pytest
from aiokafka import ConsumerRecord

from tarsy_bus.dead_letters.burial import origin_of
from tarsy_bus.dead_letters.letter_index import DeadLetterIndex
from tarsy_bus.readers.partition_reader import Record
from tarsy_contracts.messages.dead_letters import DeadLetterRedriven, RedriveOrigin
from tarsy_contracts.wire.envelope import Headers, envelope_of
from tarsy_contracts.wire.ids import dead_letter_id

NOON = datetime(2026, 11, 24, 12, 0, tzinfo=UTC)
CLUSTER = "c1"
ALERTS = "t.alerts"
ID = dead_letter_id(cluster=CLUSTER, topic=ALERTS, partition=1, offset=7)
OLD: Headers = [
    ("dead-letter-topic", ALERTS.encode()),
    ("dead-letter-partition", b"1"),
    ("dead-letter-offset", b"7"),
    ("dead-letter-reason", b"no alert"),
]
_offsets = itertools.count()


def record(headers: Headers, *, topic: str = "t.dead-letters", partition: int = 0, offset: int | None = None) -> Record:
    at = next(_offsets) if offset is None else offset
    return ConsumerRecord(topic, partition, at, 1_000 + at, 0, b"k", b"v", None, 1, 1, tuple(headers))


def burial(attempt: int, *, partition: int = 0, offset: int | None = None) -> Record:
    headers = [*OLD, ("dead-letter-service", b"ingest"), ("dead-letter-attempt", str(attempt).encode())]
    return record(headers, partition=partition, offset=offset)


def marker(attempt: int) -> Record:
    message = DeadLetterRedriven(letter_id=ID, attempt=attempt, author="ann", topic=ALERTS, partition=1, offset=9)
    envelope = envelope_of(message, id="m", source="timeline", subject=ID, time=NOON)
    found = record(envelope.headers())
    found.value = message.to_bytes()
    return found


def index(*records: Record, most: int = 10) -> DeadLetterIndex:
    made = DeadLetterIndex(CLUSTER, most)
    for one in records:
        made.take(one)
    return made


def test_a_letter_from_before_the_new_headers_has_the_same_id() -> None:
    (letter,) = index(record(OLD)).newest_first()
    assert (letter.id, letter.last.attempt, letter.last.service, letter.waits) == (ID, 1, "", True)


def test_a_record_that_was_buried_twice_before_its_commit_is_one_letter() -> None:
    (letter,) = index(burial(1), burial(1)).newest_first()
    assert (letter.id, letter.last.attempt) == (ID, 1)


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))), ids=str)
def test_a_letter_that_failed_again_waits_in_whatever_order_the_partitions_are_read(order: tuple[int, ...]) -> None:
    """The ingest may bury it again before its marker is written, and in another partition."""
    records = [burial(1, offset=100), marker(1), burial(2, partition=3, offset=5)]
    (letter,) = index(*(records[one] for one in order)).newest_first()
    assert (letter.waits, letter.first.offset, letter.last.attempt) == (True, 100, 2)


def test_a_letter_that_was_re_driven_no_longer_waits_and_says_who_did_it() -> None:
    letter = index(burial(1), burial(2), marker(2)).get(ID)
    assert letter is not None
    assert letter.redriven is not None
    assert (letter.waits, letter.redriven.by) == (False, "ann")


def test_a_stranger_s_headers_with_our_names_say_nothing() -> None:
    strange = [("dead-letter-topic", b"x"), ("dead-letter-cut", b"true"), ("ce_type", b"dead_letter.redriven")]
    (letter,) = index(record([*strange, *OLD])).newest_first()
    assert (letter.id, letter.first.cut) == (ID, False)


def test_poison_among_the_letters_is_passed_over() -> None:
    made = index(record([]), record([("ce_type", b"\xff")]), record([("dead-letter-topic", b"\xff")]), burial(1))
    assert sorted(letter.last.topic for letter in made.newest_first()) == [ALERTS, "\N{REPLACEMENT CHARACTER}"]


def test_a_time_that_no_broker_has_is_not_known() -> None:
    (letter,) = index(record([*OLD, ("dead-letter-appended", str(NEVER_MS).encode())])).newest_first()
    assert letter.last.appended_ms is None


def test_the_oldest_letters_are_forgotten_above_the_bound() -> None:
    letters = [record([*OLD[:2], ("dead-letter-offset", str(number).encode()), OLD[3]]) for number in range(12)]
    made = index(*letters)
    assert [letter.last.source_offset for letter in made.newest_first()] == list(range(11, 1, -1))
    assert made.forgotten == 2


NEVER_MS = 999_999_999_999_999_999
"""Beyond the last year that a date has."""
ORIGIN = RedriveOrigin(CLUSTER, ALERTS, 1, 7, 500, 2)


def redriven(origin: RedriveOrigin, *, partition: int = 1, offset: int = 9) -> Record:
    return record(origin.headers(), topic=ALERTS, partition=partition, offset=offset)


def test_a_re_driven_record_has_the_origin_that_it_was_given() -> None:
    assert origin_of(redriven(ORIGIN)) == ORIGIN


@pytest.mark.parametrize(
    "forged",
    [
        redriven(ORIGIN, offset=7),
        redriven(ORIGIN, offset=3),
        redriven(ORIGIN, partition=2),
        redriven(RedriveOrigin(CLUSTER, "t.inbox", 1, 7, 500, 2)),
        redriven(RedriveOrigin(CLUSTER, ALERTS, 1, 7, 500, 0)),
        redriven(RedriveOrigin(CLUSTER, ALERTS, 1, 7, NEVER_MS, 2)),
        record([(name, b"\xff") for name, _ in ORIGIN.headers()], topic=ALERTS, partition=1, offset=9),
        record(ORIGIN.headers()[:4], topic=ALERTS, partition=1, offset=9),
    ],
    ids=[
        "its own place",
        "one to come",
        "another partition",
        "another topic",
        "no attempt",
        "no time",
        "bytes",
        "a part",
    ],
)
def test_headers_that_cannot_be_a_re_drive_s_are_a_stranger_s(forged: Record) -> None:
    assert origin_of(forged) is None
