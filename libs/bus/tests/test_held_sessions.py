"""What the records of `tarsy.held` add up to."""

from datetime import UTC, datetime

from aiokafka import ConsumerRecord

from tarsy_bus.readers.held_sessions import UNTOLD, HeldInput, HeldSessions
from tarsy_bus.readers.partition_reader import Record
from tarsy_contracts.messages.held import (
    SessionSetAside,
    input_key,
    marker_key,
    own_headers,
    position_headers,
    session_and_offset,
)
from tarsy_contracts.wire.envelope import Headers, envelope_of

BEGAN = datetime(2026, 11, 22, 10, 0, tzinfo=UTC)
WHY = SessionSetAside(reason="decision", detail="KeyError at alert.received")
HOSTILE = "input/9/a/b"
"""Somebody's session may be called so."""


def record(key: str, value: bytes | None, headers: Headers | None = None, *, offset: int = 0) -> Record:
    return ConsumerRecord(
        topic="tarsy.held", partition=3, offset=offset, timestamp=int(BEGAN.timestamp() * 1000), timestamp_type=1,
        key=key.encode(), value=value, checksum=None, serialized_key_size=0, serialized_value_size=0,
        headers=tuple(headers or ()),
    )  # fmt: skip


def marker(session_id: str) -> Record:
    envelope = envelope_of(WHY, id="m", source="t", subject=session_id, time=BEGAN)
    return record(marker_key(session_id), WHY.to_bytes(), envelope.headers())


def waiting(session_id: str, offset: int, *, at: int = 0) -> Record:
    return record(input_key(session_id, offset), b"{}", [("x", b"1"), *position_headers(offset, BEGAN)], offset=at)


def held(*records: Record) -> HeldSessions:
    found = HeldSessions(lambda session_id, record: record.partition == 3)
    for one in records:
        found.take(one)
    return found


def test_a_session_waits_while_its_marker_or_any_input_is_there() -> None:
    found = held(marker("a"), waiting("a", 7, at=1), waiting("a", 9, at=2))
    assert found.all()["a"].why == WHY
    assert found.all()["a"].inputs == {7: HeldInput(BEGAN, 1), 9: HeldInput(BEGAN, 2)}
    found.take(record(input_key("a", 7), None))
    found.take(record(marker_key("a"), None))
    assert (found.all()["a"].why, list(found.all()["a"].inputs)) == (UNTOLD, [9])
    found.take(record(input_key("a", 9), None))
    assert found.all() == {}


def test_an_input_that_was_written_twice_lies_where_it_was_written_last() -> None:
    assert held(waiting("a", 7, at=1), waiting("a", 7, at=5)).all()["a"].inputs == {7: HeldInput(BEGAN, 5)}


def test_numbers_that_are_none_of_ours_change_nothing() -> None:
    endless, late = "9" * 5_000, b"9" * 18
    dated = record(input_key("a", 4), b"{}", [("held-time", late)])
    assert session_and_offset(f"input/{endless}/a") is None
    assert held(record(f"input/{endless}/a", b"{}"), dated).all()["a"].inputs == {4: HeldInput(BEGAN, 0)}


def test_names_of_sessions_are_no_keys() -> None:
    found = held(marker(HOSTILE), waiting(HOSTILE, 4))
    assert list(found.all()) == [HOSTILE]
    assert list(found.all()[HOSTILE].inputs) == [4]


def test_what_cannot_be_read_changes_nothing_but_for_a_marker_that_still_counts() -> None:
    assert held(record("nonsense", b"{}"), record("input/x/a", b"{}")).all() == {}
    assert held(record(marker_key("a"), b"{")).all()["a"].why == UNTOLD


def test_an_input_has_its_own_headers_back() -> None:
    assert own_headers(list(waiting("a", 7).headers)) == [("x", b"1")]
