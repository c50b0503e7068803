"""Every message of ours, through its bytes and back; and what a reader does with bytes that it cannot read."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from tarsy_contracts.conversation import Conversation
from tarsy_contracts.events import ENDINGS, EVENTS, OPENERS, StageStarted
from tarsy_contracts.events.heads import SessionHead, head_key, session_of_head_key
from tarsy_contracts.events.recorded import RecordedEvent, UnknownTypeError, UnreadableValueError, decode
from tarsy_contracts.messages.chunks import CHUNKS
from tarsy_contracts.messages.control import CONTROLS, CallCancelled, ClaimGranted
from tarsy_contracts.messages.inputs import INPUTS, AlertReceived
from tarsy_contracts.messages.requests import REQUESTS
from tarsy_contracts.messages.workers import ServerCatalogued, WorkerAnnounced
from tarsy_contracts.wire import upcasting
from tarsy_contracts.wire.envelope import Envelope, envelope_of
from tarsy_contracts.wire.message import Message
from tarsy_testing.any_message import any_of, values

TIME = datetime(2026, 11, 22, 3, 0, tzinfo=UTC)
OTHERS: dict[str, type[Message]] = {kind.type: kind for kind in (SessionHead, WorkerAnnounced, ServerCatalogued)}
TABLES: tuple[Mapping[str, type[Message]], ...] = (EVENTS, INPUTS, REQUESTS, CONTROLS, CHUNKS, OTHERS)
MESSAGES = [kind for table in TABLES for kind in table.values()]


def envelope(message: Message) -> Envelope:
    return envelope_of(message, id="1", source="test", subject="s", time=TIME)


@pytest.mark.parametrize("kind", MESSAGES, ids=lambda kind: kind.type)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_a_message_is_the_same_after_its_way_over_the_wire(kind: type[Message], data: st.DataObject) -> None:
    message = data.draw(any_of(kind))
    assert decode({kind.type: kind}, envelope(message), message.to_bytes()) == message


@given(values(Conversation))
@settings(max_examples=50, deadline=None)
def test_a_conversation_is_the_same_after_its_way_through_json(conversation: Conversation) -> None:
    assert Conversation.model_validate_json(conversation.model_dump_json()) == conversation


def test_no_two_messages_have_the_same_name() -> None:
    names = [kind.type for kind in MESSAGES]
    assert sorted(names) == sorted(set(names))


@pytest.mark.parametrize("kind", MESSAGES, ids=lambda kind: kind.type)
def test_a_name_fits_the_wire(kind: type[Message]) -> None:
    assert re.fullmatch(r"[a-z_.]+", kind.type)
    assert kind.dataschema() == f"urn:tarsy:{kind.type}:{kind.version}"
    assert kind.__doc__ is None or kind.__doc__.strip()


def test_every_table_names_its_messages_by_their_own_names() -> None:
    for table in TABLES:
        assert all(name == kind.type for name, kind in table.items())


def test_openers_and_endings_are_events() -> None:
    assert set(EVENTS) >= OPENERS | ENDINGS


def test_a_message_cannot_be_changed() -> None:
    message = CallCancelled(call_id="c")
    with pytest.raises(ValidationError):
        message.call_id = "d"  # type: ignore[misc]


def test_fields_of_a_newer_writer_are_ignored() -> None:
    cancelled = CallCancelled(call_id="c")
    assert decode(CONTROLS, envelope(cancelled), b'{"call_id":"c","because":{"new":true}}') == cancelled


def test_fields_of_a_newer_writer_are_ignored_in_the_depth_too() -> None:
    body = b'{"alert":{"alert_type":"a","data":"d","source":"api","author":"ann","mood":"bad"}}'
    message = AlertReceived.model_validate_json(body)
    assert b"mood" not in message.to_bytes()


def test_a_message_of_an_unknown_type_is_said_to_be_one() -> None:
    with pytest.raises(UnknownTypeError, match=r"^claim\.granted version 1$"):
        decode(EVENTS, envelope(ClaimGranted(call_id="c", claim_id="x")), b"{}")


def test_a_message_of_a_newer_version_is_not_guessed_at() -> None:
    class Newer(CallCancelled):
        version = 2

    newer = Newer(call_id="c")
    with pytest.raises(UnknownTypeError, match=r"^call\.cancelled version 2$"):
        decode(CONTROLS, envelope(newer), newer.to_bytes())


def test_a_message_of_an_older_version_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    class Newer(CallCancelled):
        version = 2

    monkeypatch.setattr(upcasting, "UPCASTERS", {("call.cancelled", 1): lambda body: body})
    older = CallCancelled(call_id="c")
    assert decode({"call.cancelled": Newer}, envelope(older), older.to_bytes()) == Newer(call_id="c")


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (b'{"stage_id":"s","index":"no","name":"n"}', "stage.started: Input should be a valid integer, unable to"),
        (b'{"stage_id":"s","index":1}', "stage.started: Field required at /name"),
        (b"[]", "stage.started: Input should be an object at /"),
        (b"", "stage.started: Invalid JSON: EOF while parsing a value at line 1 column 0 at /"),
        (None, "stage.started: Invalid JSON: EOF while parsing a value at line 1 column 0 at /"),
        (b"[" * 100_000, "stage.started: Invalid JSON: recursion limit exceeded"),
    ],
)
def test_a_body_that_does_not_fit_is_refused_with_the_place(body: bytes | None, sentence: str) -> None:
    started = StageStarted(stage_id="s", index=1, name="n")
    with pytest.raises(UnreadableValueError, match=re.escape(sentence)):
        decode(EVENTS, envelope(started), body)


def test_the_place_in_a_body_is_a_pointer_into_it_and_the_text_of_strangers_is_not_repeated() -> None:
    alert = b'{"alert_type":"a","data":"d","source":"api","author":"ann","priority":"s3cret"}'
    body = b'{"input_id":"i","alert":%b,"chain":{}}' % alert
    start = Envelope(id="1", type="session.started", version=2, source="test", subject="s", time=TIME)
    with pytest.raises(UnreadableValueError) as refused:
        decode(EVENTS, start, body)
    assert str(refused.value).endswith(" at /alert/priority")
    assert "s3cret" not in str(refused.value)


def test_a_record_knows_its_session_and_number() -> None:
    one = Envelope(id="1", type="x", version=1, source="t", subject="s", time=TIME, sequence=3)
    record = RecordedEvent(envelope=one, event=None, partition=0, offset=9, appended_at=TIME)
    assert (record.session_id, record.number) == ("s", 3)


@given(st.text(), st.integers(1))
def test_the_key_of_a_head_names_its_session(session_id: str, number: int) -> None:
    assert session_of_head_key(head_key(session_id, number)) == session_id
