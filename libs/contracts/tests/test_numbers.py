import json
from collections.abc import Iterator
from typing import get_args

import pytest
from pydantic import AfterValidator
from pydantic.fields import FieldInfo

from tarsy_contracts import events as e
from tarsy_contracts.conversation import Usage
from tarsy_contracts.messages.control import CONTROLS
from tarsy_contracts.messages.inputs import INPUTS
from tarsy_contracts.wire.message import Value
from tarsy_contracts.wire.numbers import LARGEST_COUNT, LARGEST_INDEX, LONGEST_SECONDS

OF_KAFKA = {"offset", "first", "last", "partition"}
"""Where a record lies: clamped, it would name another one."""


@pytest.mark.parametrize(
    ("reported", "kept"), [(10**20, LARGEST_COUNT), (-1, 0), (0, 0), (LARGEST_COUNT, LARGEST_COUNT), (None, None)]
)
def test_a_count_out_of_bounds_is_clamped_where_it_is_recorded(reported: int | None, kept: int | None) -> None:
    assert Usage(input_tokens=reported).input_tokens == kept


def test_an_old_event_out_of_bounds_is_read_and_clamped() -> None:
    body = {
        "llm_call_id": "l", "execution_id": "e", "thinking": "", "text": "hi", "tool_calls": [], "model": "m",
        "usage": {"input_tokens": 99999999999999999999}, "duration_ms": -5,
    }  # fmt: skip

    event = e.LlmCallCompleted.model_validate_json(json.dumps(body))

    assert event.usage.input_tokens == LARGEST_COUNT
    assert event.duration_ms == 0
    assert event.text == "hi"


@pytest.mark.parametrize(
    ("reported", "kept"), [(float("inf"), LONGEST_SECONDS), (float("nan"), 0.0), (-1.0, 0.0), (2.5, 2.5)]
)
def test_a_wait_can_be_written_and_read_again_whatever_was_reported(reported: float, kept: float) -> None:
    asked = e.LlmCallRequested(
        llm_call_id="l", execution_id="e", iteration=0, attempt=10**12, purpose="iteration", wait_seconds=reported
    )

    assert asked.wait_seconds == kept
    assert asked.attempt == LARGEST_INDEX
    assert e.LlmCallRequested.model_validate_json(asked.to_bytes()) == asked


def test_the_schemas_accept_what_they_accepted_before() -> None:
    assert Usage.model_json_schema()["properties"]["input_tokens"]["anyOf"][0] == {"type": "integer"}


@pytest.mark.parametrize("message", [*e.EVENTS.values(), *INPUTS.values(), *CONTROLS.values()])
def test_every_number_of_a_message_has_bounds(message: type[Value]) -> None:
    unbounded = [place for place, field in _fields(message) if _is_unbounded(field) and not _is_of_kafka(place)]

    assert unbounded == []


def _fields(model: type[Value]) -> Iterator[tuple[str, FieldInfo]]:
    for name, field in model.model_fields.items():
        yield f"{model.__name__}.{name}", field
        for inner in _models(field.annotation):
            yield from _fields(inner)


def _models(annotation: object) -> Iterator[type[Value]]:
    if isinstance(annotation, type) and issubclass(annotation, Value):
        yield annotation
    for part in get_args(annotation):
        yield from _models(part)


def _is_unbounded(field: FieldInfo) -> bool:
    kinds = {int, float} & {field.annotation, *get_args(field.annotation)}
    return bool(kinds) and not any(isinstance(one, AfterValidator) for one in field.metadata)


def _is_of_kafka(place: str) -> bool:
    return place.rpartition(".")[2] in OF_KAFKA
