"""The public API's models: what is sent has the fields that it had, and what is not known yet is read all the same."""

import json

import pytest
from pydantic import ValidationError

from tarsy_contracts.api.problems import ProblemDetails
from tarsy_contracts.api.timeline import TimelineEvent
from tarsy_contracts.api.websocket import (
    SERVER_MESSAGES,
    ExecutionStatusChanged,
    StageStatusChanged,
    StreamedText,
    TimelineEventCompleted,
    read_message,
)

TIME = "2026-11-22T10:00:00.000Z"
STAGE = StageStatusChanged(
    type="stage.status", stage_id="st", stage_name="look", stage_index=1, status="started", error_message=None,
    session_id="s", timestamp=TIME, number=2,
)  # fmt: skip


def test_a_message_has_the_facts_that_it_tells_and_no_others() -> None:
    assert "stage_type" not in json.loads(STAGE.to_text())
    told = json.loads(STAGE.with_facts({"stage_type": "synthesis", "chain_stage": None}).to_text())
    assert (told["stage_type"], told["chain_stage"]) == ("synthesis", None)
    assert "parallel_type" not in told


def test_a_null_that_was_said_is_sent() -> None:
    text = StreamedText(
        type="stream.chunk", event_id="e", session_id="s", delta="a", run=1, index=0, timestamp=TIME, number=None
    ).to_text()
    assert json.loads(text) == {
        "type": "stream.chunk", "event_id": "e", "session_id": "s", "delta": "a", "run": 1, "index": 0,
        "timestamp": TIME, "number": None,
    }  # fmt: skip


def test_a_message_is_read_as_what_it_was_sent_as() -> None:
    assert read_message(STAGE.to_text()) == STAGE
    assert SERVER_MESSAGES["stage.status"] is StageStatusChanged


def test_a_message_of_a_later_type_is_skipped_and_a_broken_one_is_not() -> None:
    assert read_message('{"type": "stage.debated", "session_id": "s"}') is None
    for broken in ("{", "[]", '{"type": "stage.status"}', "{}"):
        with pytest.raises(ValidationError):
            read_message(broken)


def test_words_that_grow_are_read_whatever_they_are() -> None:
    stage = json.loads(STAGE.to_text()) | {"stage_type": "debate", "later_field": 1}
    execution = {
        "type": "execution.status", "stage_id": "st", "execution_id": "e", "agent_name": "a", "agent_index": 1,
        "status": "active", "error_message": None, "controller": "oracle", "session_id": "s", "timestamp": TIME,
        "number": 3,
    }  # fmt: skip
    read = [read_message(json.dumps(one)) for one in (stage, execution)]
    assert isinstance(read[0], StageStatusChanged)
    assert isinstance(read[1], ExecutionStatusChanged)
    assert (read[0].stage_type, read[1].controller) == ("debate", "oracle")


@pytest.mark.parametrize(("said", "sent"), [(float("nan"), None), (10**40, 10**40), ({"a": ["\u2028"]}, None)])
def test_what_a_tool_was_asked_goes_out_as_json(said: object, sent: object) -> None:
    """Browsers refuse NaN; and numbers of any size come from models."""
    message = TimelineEventCompleted(
        type="timeline_event.completed", event_id="e", event_type="llm_tool_call", status="completed", content="",
        metadata={"arguments": said}, session_id="s", timestamp=TIME, number=2,
    )  # fmt: skip
    assert json.loads(message.to_text())["metadata"]["arguments"] == (said if isinstance(said, dict) else sent)


def test_answers_say_in_their_schema_that_they_always_have_all_fields() -> None:
    schema = TimelineEvent.model_json_schema(mode="serialization")
    assert set(schema["required"]) == set(TimelineEvent.model_fields)
    assert schema["properties"]["created_at"]["format"] == "date-time"


def test_a_problem_is_read_with_and_without_its_mistakes() -> None:
    body = {"type": "about:blank", "title": "Not Found", "status": 404, "detail": "There is no session s."}
    assert ProblemDetails.model_validate(body).errors == ()
    mistakes = [{"detail": "is missing", "pointer": "/data"}]
    assert ProblemDetails.model_validate({**body, "errors": mistakes}).errors[0].pointer == "/data"
