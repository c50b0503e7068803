"""Messages of earlier versions, as they lie on logs, read by the code of today."""

import json
from datetime import UTC, datetime

import pytest

from tarsy_contracts.events import EVENTS, SessionStarted
from tarsy_contracts.events.recorded import UnknownTypeError, UnreadableValueError, decode
from tarsy_contracts.messages.inputs import INPUTS, AlertReceived
from tarsy_contracts.wire.envelope import Envelope
from tarsy_contracts.wire.message import Message
from tarsy_contracts.wire.upcasting import UPCASTERS
from tarsy_testing.old_messages import old_message

KINDS: dict[str, type[Message]] = {**EVENTS, **INPUTS}
NATIVE = {"google_search": True, "url_context": False}


def envelope(type: str, version: int) -> Envelope:
    time = datetime(2026, 11, 22, tzinfo=UTC)
    return Envelope(id="1", type=type, version=version, source="test", subject="s", time=time)


def read(type: str, version: int, body: object) -> Message:
    return decode(KINDS, envelope(type, version), json.dumps(body).encode())


@pytest.mark.parametrize(("type", "version"), UPCASTERS)
def test_a_message_of_an_earlier_version_is_read_as_one_of_today(type: str, version: int) -> None:
    message = decode(KINDS, envelope(type, version), old_message(type, version))
    assert isinstance(message, SessionStarted | AlertReceived)
    assert message.alert.mcp is not None
    assert message.alert.mcp.native_tools == NATIVE
    assert decode(KINDS, envelope(type, message.version), message.to_bytes()) == message


@pytest.mark.parametrize(
    ("mcp", "native"),
    [
        ({"servers": [], "native_tools": None}, None),
        ({"servers": []}, None),
        ({"native_tools": {"google_search": None, "code_execution": None, "url_context": None}}, {}),
        ({"native_tools": {}}, {}),
    ],
)
def test_what_was_not_chosen_is_not_named(mcp: object, native: object) -> None:
    body = json.loads(old_message("alert.received", 1))
    body["alert"]["mcp"] = mcp
    message = read("alert.received", 1, body)
    assert isinstance(message, AlertReceived)
    assert message.alert.mcp is not None
    assert message.alert.mcp.native_tools == native


def test_an_alert_without_a_choice_stays_as_it_was() -> None:
    body = json.loads(old_message("alert.received", 1))
    for alert in ({**body["alert"], "mcp": None}, {k: v for k, v in body["alert"].items() if k != "mcp"}):
        message = read("alert.received", 1, {"alert": alert})
        assert isinstance(message, AlertReceived)
        assert message.alert.mcp is None


@pytest.mark.parametrize("body", [[], "text", {}, {"alert": []}, {"alert": {"mcp": {"native_tools": {"x": "y"}}}}])
def test_what_is_broken_in_an_earlier_version_is_unreadable_as_in_any(body: object) -> None:
    with pytest.raises(UnreadableValueError):
        read("alert.received", 1, body)
    with pytest.raises(UnreadableValueError):
        decode(KINDS, envelope("alert.received", 1), b"{")


def test_a_version_that_nothing_upcasts_is_not_known() -> None:
    with pytest.raises(UnknownTypeError, match=r"alert\.received version 0"):
        read("alert.received", 0, {})


def test_a_version_of_a_later_writer_is_not_known() -> None:
    with pytest.raises(UnknownTypeError):
        read("alert.received", AlertReceived.version + 1, {})
