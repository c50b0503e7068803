from typing import Any

import pytest
from mcp_types import ElicitRequestFormParams, ElicitRequestURLParams, ElicitResult

from tarsy_tool_gateway.mcp.elicitation import answer_to

DECLINED = ElicitResult(action="decline")


def form(fields: dict[str, Any] | None, **more: Any) -> ElicitRequestFormParams:
    properties = {} if fields is None else {"properties": fields}
    return ElicitRequestFormParams(message="?", requested_schema={"type": "object", **properties, **more})


@pytest.mark.parametrize(
    ("fields", "content"),
    [
        ({"name": {"type": "string", "default": "Jane"}}, {"name": "Jane"}),
        ({"name": {"type": "string", "default": ""}}, {"name": ""}),
        (
            {"age": {"type": "integer", "default": 0}, "rate": {"type": "number", "default": 1.5}},
            {"age": 0, "rate": 1.5},
        ),
        ({"sure": {"type": "boolean", "default": False}}, {"sure": False}),
        ({"state": {"type": "string", "enum": ["on", "off"], "default": "off"}}, {"state": "off"}),
        ({"colours": {"type": "array", "items": {"enum": ["a", "b"]}, "default": ["a"]}}, {"colours": ["a"]}),
    ],
)
def test_a_form_whose_every_field_has_a_default_is_sent_back_with_exactly_these(
    fields: dict[str, Any], content: dict[str, Any]
) -> None:
    answer = answer_to(form(fields, required=list(fields)), "accept_defaults")
    assert answer == ElicitResult(action="accept", content=content)
    assert {name: type(value) for name, value in (answer.content or {}).items()} == {
        name: type(value) for name, value in content.items()
    }


@pytest.mark.parametrize(
    "asked",
    [
        form(None),
        form({}),
        form({"name": {"type": "string"}}),
        form({"name": {"type": "string", "default": None}}),
        form({"a": {"type": "string", "default": "a"}, "b": {"type": "string"}}),
        form({"a": {"type": "string", "default": "a"}}, required=["a", "b"]),
        form({"a": {"type": "object", "default": {"b": 1}}}),
        form({"a": True}),
        ElicitRequestURLParams(message="?", url="https://pay.example.com", elicitation_id="1"),
    ],
)
def test_everything_else_is_declined_also_then(asked: ElicitRequestFormParams | ElicitRequestURLParams) -> None:
    assert answer_to(asked, "accept_defaults") == DECLINED


def test_without_a_word_of_the_operator_every_form_is_declined() -> None:
    """A yes that the server has filled in itself is nobody's yes."""
    assert answer_to(form({"confirm": {"type": "boolean", "default": True}}), "decline") == DECLINED
    assert answer_to(form({"name": {"type": "string", "default": "Jane"}})) == DECLINED
