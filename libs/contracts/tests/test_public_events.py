"""The public contract: what other teams are shown of each event of the log."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarsy_contracts import events as e
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_contracts.public.duplicates import LastSequences
from tarsy_contracts.public.envelope import PublicEnvelope
from tarsy_contracts.public.events import PUBLIC_EVENTS
from tarsy_contracts.public.mapping import NOT_PUBLIC, public_envelope, public_event
from tarsy_contracts.public.model import PublicEvent
from tarsy_contracts.public.stage_events import PublicExecutionStarted
from tarsy_contracts.wire.envelope import Envelope, EnvelopeError
from tarsy_contracts.wire.message import Message
from tarsy_testing.any_message import any_of

TIME = datetime(2026, 11, 24, 10, 0, tzinfo=UTC)


@given(st.data())
def test_every_event_of_the_log_is_public_or_is_not_for_a_reason(data: st.DataObject) -> None:
    shown = set()
    for kind in e.EVENTS.values():
        event = data.draw(any_of(kind))
        found = public_event(event)
        assert (found is None) == (kind.type in NOT_PUBLIC), kind.type
        if found is not None:
            assert type(found).model_validate_json(found.to_bytes()) == found
            shown.add(found.type)
    assert shown == PUBLIC_EVENTS.keys()


def test_reasons_are_of_events_that_there_are_and_say_something() -> None:
    assert NOT_PUBLIC.keys() < e.EVENTS.keys()
    assert all(len(reason) > 20 for reason in NOT_PUBLIC.values())


@pytest.mark.parametrize("kind", PUBLIC_EVENTS.values(), ids=lambda kind: kind.type)
def test_public_events_share_no_class_with_the_log_and_have_names_of_their_own(kind: type[PublicEvent]) -> None:
    assert not issubclass(kind, Message)
    assert kind.type.startswith("tarsy.")
    assert kind.dataschema() == f"urn:tarsy:public:{kind.type}:{kind.version}"
    definitions = kind.model_json_schema().get("$defs", {})
    assert definitions.keys() <= {
        "InvestigatedAlert",
        "TokenUsage",
        "CountedAction",
        "CountedCall",
        "PublicNativeCall",
        "PublicWebSource",
        "JsonValue",
    }


def test_internals_stay_inside() -> None:
    event = e.ToolCallStarted(call_id="c", claim_id="secret-claim", worker_id="secret-worker")
    found = public_event(event)
    assert found is not None
    assert b"secret" not in found.to_bytes()


def test_who_sent_an_agent_and_for_what_is_public() -> None:
    spec = {"execution_id": "x", "stage_id": "s", "agent": "Logs", "index": 2, "system": "", "prompt": "", "tools": []}
    sent = {"parent_execution_id": "lead", "task": "errors in shop"}
    found = public_event(e.ExecutionStarted.model_validate(spec | sent))
    assert isinstance(found, PublicExecutionStarted)
    assert (found.parent_execution_id, found.task) == ("lead", "errors in shop")


def recorded() -> RecordedEvent:
    envelope = Envelope(
        id="ab", type="session.failed", version=1, source="tarsy/orchestrator/7", subject="s", time=TIME, sequence=5
    )
    return RecordedEvent(envelope=envelope, event=e.SessionFailed(error="e"), partition=0, offset=70, appended_at=TIME)


def test_a_repeat_has_the_same_headers_whichever_process_wrote_it() -> None:
    event = public_event(e.SessionFailed(error="e"))
    assert event is not None
    envelope = public_envelope(recorded(), event, "tarsy.events")
    assert dict(envelope.headers()) == {
        "ce_specversion": b"1.0",
        "ce_id": b"ab",
        "ce_type": b"tarsy.session.failed",
        "ce_source": b"tarsy.events",
        "ce_subject": b"s",
        "ce_time": b"2026-11-24T10:00:00.000Z",
        "ce_dataschema": b"urn:tarsy:public:tarsy.session.failed:1",
        "ce_sequence": b"5",
        "tarsy_offset": b"70",
        "content-type": b"application/json",
    }
    assert PublicEnvelope.from_headers(envelope.headers()) == envelope


def test_an_event_is_one_json_object_for_who_wants_one() -> None:
    event = public_event(e.SessionFailed(error="e"))
    assert event is not None
    found = public_envelope(recorded(), event, "tarsy.events").to_structured(event.to_bytes())
    assert (found["specversion"], found["subject"], found["sequence"]) == ("1.0", "s", "5")
    assert (found["datacontenttype"], found["data"]) == ("application/json", {"error": "e"})


@pytest.mark.parametrize(
    ("name", "value"),
    [("ce_sequence", b"five"), ("ce_id", b""), ("ce_dataschema", b"urn:tarsy:session.failed:1"), ("ce_time", b"\xff")],
)
def test_records_of_strangers_are_refused(name: str, value: bytes) -> None:
    event = public_event(e.SessionFailed(error="e"))
    assert event is not None
    headers = dict(public_envelope(recorded(), event, "tarsy.events").headers())
    with pytest.raises(EnvelopeError):
        PublicEnvelope.from_headers([*(headers | {name: value}).items()])


def test_a_consumer_drops_repeats_and_late_old_records_of_each_session() -> None:
    last = LastSequences()
    came = [("a", 1), ("a", 3), ("b", 1), ("a", 1), ("a", 3), ("a", 4), ("b", 1)]
    assert [one for one in came if last.take(*one)] == [("a", 1), ("a", 3), ("b", 1), ("a", 4)]


def test_a_consumer_forgets_the_sessions_that_came_longest_ago() -> None:
    last = LastSequences(most=2)
    assert all(last.take(session, 1) for session in ("a", "b", "c"))
    assert not last.take("b", 1)
    assert last.take("a", 1)
