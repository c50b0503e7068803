"""The headers of our messages: written and read back, and every reason to refuse them, as a sentence."""

import contextlib
import string
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarsy_contracts.alert import Alert
from tarsy_contracts.messages.inputs import AlertReceived
from tarsy_contracts.wire.envelope import Envelope, EnvelopeError, envelope_of, event_id, wire_time

TIME = datetime(2026, 11, 22, 3, 0, 0, 123_000, UTC)
PLAIN = Envelope(
    id="1",
    type="stage.started",
    version=2,
    source="test",
    subject="s",
    time=TIME,
    sequence=7,
    previous="0",
    decided=41,
    traceparent="00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
)

words = st.text(min_size=1)
milliseconds = st.datetimes(
    min_value=datetime(1, 1, 2),  # noqa: DTZ001 - hypothesis adds the time zone itself
    max_value=datetime(9999, 12, 30),  # noqa: DTZ001
    timezones=st.just(UTC),
).map(lambda time: time.replace(microsecond=time.microsecond // 1000 * 1000))
envelopes = st.builds(
    Envelope,
    id=words,
    type=st.text(string.ascii_lowercase + "_.", min_size=1),
    version=st.integers(1, 999_999_999),
    source=words,
    subject=words,
    time=milliseconds,
    sequence=st.none() | st.integers(1, 10**17),
    previous=st.none() | words,
    decided=st.none() | st.integers(-1, 10**17),
    traceparent=st.none() | words,
)


@given(envelopes)
def test_what_is_written_is_read_back(envelope: Envelope) -> None:
    assert Envelope.from_headers(envelope.headers()) == envelope


def test_the_headers_are_those_of_a_cloud_event_in_binary_mode() -> None:
    assert dict(PLAIN.headers()) == {
        "ce_specversion": b"1.0",
        "ce_id": b"1",
        "ce_type": b"stage.started",
        "ce_source": b"test",
        "ce_subject": b"s",
        "ce_time": b"2026-11-22T03:00:00.123Z",
        "ce_dataschema": b"urn:tarsy:stage.started:2",
        "content-type": b"application/json",
        "ce_sequence": b"7",
        "ce_previous": b"0",
        "ce_decided": b"41",
        "traceparent": b"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    }


def test_what_an_envelope_does_not_have_is_no_header() -> None:
    message = AlertReceived(alert=Alert(alert_type="a", data="d", source="api", author="ann"))
    headers = envelope_of(message, id="1", source="test", subject="s", time=TIME).headers()
    assert {"ce_sequence", "ce_previous", "ce_decided", "traceparent"}.isdisjoint(name for name, _ in headers)
    assert Envelope.from_headers(headers).type == "alert.received"
    assert Envelope.from_headers(headers).version == AlertReceived.version == 2


def without(name: str) -> list[tuple[str, bytes]]:
    return [(one, value) for one, value in PLAIN.headers() if one != name]


def with_(name: str, value: bytes) -> list[tuple[str, bytes]]:
    return [*without(name), (name, value)]


def refusal(headers: list[tuple[str, bytes]]) -> str:
    with pytest.raises(EnvelopeError) as refused:
        Envelope.from_headers(headers)
    return str(refused.value)


@pytest.mark.parametrize(
    "name", ["ce_specversion", "ce_id", "ce_type", "ce_source", "ce_subject", "ce_time", "ce_dataschema"]
)
def test_a_header_that_is_missing_or_empty_is_named(name: str) -> None:
    assert refusal(without(name)) == f"header {name} is missing"
    assert refusal(with_(name, b"")) == f"header {name} is missing"


@pytest.mark.parametrize("name", ["ce_sequence", "ce_previous", "ce_decided", "traceparent"])
def test_an_optional_header_may_be_missing(name: str) -> None:
    Envelope.from_headers(without(name))


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("ce_specversion", b"0.3", "header ce_specversion is not 1.0"),
        ("ce_subject", b"\xff", "header ce_subject is not UTF-8 text"),
        ("ce_type", b"stage.completed", "header ce_dataschema does not name the type and a version"),
        ("ce_dataschema", b"stage.started:2", "header ce_dataschema does not name the type and a version"),
        ("ce_dataschema", b"urn:tarsy:stage.started:0", "header ce_dataschema does not name the type and a version"),
        (
            "ce_dataschema",
            b"urn:tarsy:stage.started:" + b"1" * 5000,
            "header ce_dataschema does not name the type and a version",
        ),
        ("ce_time", b"yesterday", "header ce_time is not an RFC 3339 time"),
        ("ce_time", b"2026-11-22T03:00:00", "header ce_time is not an RFC 3339 time"),
        ("ce_time", b"0001-01-01T00:00:00+14:00", "header ce_time is not an RFC 3339 time"),
        ("ce_sequence", b"0", "header ce_sequence is below 1"),
        ("ce_sequence", b"seven", "header ce_sequence is not a decimal number"),
        ("ce_sequence", b"1_000", "header ce_sequence is not a decimal number"),
        ("ce_sequence", b" 7", "header ce_sequence is not a decimal number"),
        ("ce_sequence", b"", "header ce_sequence is not a decimal number"),
        ("ce_sequence", b"1" * 5000, "header ce_sequence is not a decimal number"),
        ("ce_decided", b"-2", "header ce_decided is below -1"),
        ("ce_decided", "७".encode(), "header ce_decided is not a decimal number"),
    ],
)
def test_a_header_that_cannot_be_read_is_refused_with_a_sentence(name: str, value: bytes, sentence: str) -> None:
    assert refusal(with_(name, value)) == sentence


def test_a_header_without_a_value_is_not_text() -> None:
    """Kafka knows such headers; aiokafka hands them on as None."""
    assert refusal(with_("ce_id", None)) == "header ce_id is not UTF-8 text"  # type: ignore[arg-type]


def test_headers_that_are_not_ours_are_left_alone_whatever_they_hold() -> None:
    assert Envelope.from_headers([("b3", b"\xff\xfe"), *PLAIN.headers(), ("ce_new", b"\xff")]) == PLAIN


@given(st.lists(st.tuples(st.sampled_from([name for name, _ in PLAIN.headers()]), st.binary()), min_size=1))
def test_whatever_the_headers_hold_they_are_read_or_refused(replaced: list[tuple[str, bytes]]) -> None:
    with contextlib.suppress(EnvelopeError):
        Envelope.from_headers([*PLAIN.headers(), *replaced])


def test_times_are_written_in_utc_with_milliseconds() -> None:
    india = timezone(timedelta(hours=5, minutes=30))
    assert wire_time(datetime(2026, 11, 22, 8, 30, 0, 999_999, india)) == "2026-11-22T03:00:00.999Z"
    assert wire_time(datetime(2026, 11, 22, tzinfo=UTC)) == "2026-11-22T00:00:00.000Z"


# Computed once, and never changed: the ids of every log that was ever written are such digests, and readers and
# writers of two versions compare them. Who changes the rule changes the wire.
FIRST: dict[str, Any] = {
    "previous": None,
    "type": "session.started",
    "subject": "s",
    "sequence": 1,
    "time": TIME,
    "value": b'{"a":1}',
}
VECTORS = [
    (FIRST, "e458b87625bb26635ddf1cac5c07c9ce"),
    (FIRST | {"previous": "ab" * 16, "sequence": 2, "type": "stage.started"}, "fc81fa2d0c9c6e336ac26ce1a36a2f6b"),
    (FIRST | {"subject": "ß", "value": b""}, "2d9d2acd49f59eb8de1290f253e003de"),
]


@pytest.mark.parametrize(("parts", "id"), VECTORS)
def test_the_id_of_an_event_never_changes(parts: dict[str, Any], id: str) -> None:
    assert event_id(**parts) == id


@pytest.mark.parametrize(
    "changed",
    [
        {"previous": "ab" * 16},
        {"type": "stage.started"},
        {"subject": "t"},
        {"sequence": 2},
        {"time": TIME + timedelta(milliseconds=1)},
        {"value": b'{"a":2}'},
    ],
    ids=lambda changed: "".join(changed),
)
def test_an_id_depends_on_each_of_its_parts(changed: dict[str, Any]) -> None:
    assert event_id(**(FIRST | changed)) != event_id(**FIRST)


def test_the_id_that_a_reader_computes_is_the_writers() -> None:
    """Less than a millisecond does not travel, so it must not count; nor does the zone that a time was written in."""
    precise = (TIME + timedelta(microseconds=999)).astimezone(timezone(timedelta(hours=-3)))
    assert event_id(**(FIRST | {"time": precise})) == event_id(**FIRST)
