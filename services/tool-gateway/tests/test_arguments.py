from typing import Any

import pytest
from mcp_types import Tool
from pydantic import JsonValue

from tarsy_tool_gateway.mcp.arguments import ArgumentChecks


def checks(properties: dict[str, Any], **more: Any) -> ArgumentChecks:
    schema = {"type": "object", "properties": properties, **more}
    return ArgumentChecks({"list": Tool(name="list", input_schema=schema)})


BOOLEAN = {"type": "boolean"}
OR_NULL = {"anyOf": [{"type": "string"}, {"type": "null"}]}
REFERRED = {"$ref": "#/$defs/name"}


@pytest.mark.parametrize(
    ("schema", "more", "sent"),
    [
        (BOOLEAN, {}, {}),
        ({"type": "string", "enum": ["a"]}, {}, {}),
        (REFERRED, {"$defs": {"name": {"type": "string"}}}, {}),
        (REFERRED, {"$defs": {"name": OR_NULL}}, {"one": None}),
        (OR_NULL, {}, {"one": None}),
        ({"type": ["string", "null"]}, {}, {"one": None}),
        ({}, {}, {"one": None}),
        (True, {}, {"one": None}),
        (BOOLEAN, {"required": ["one"]}, {"one": None}),
        ({"$ref": "#/nowhere"}, {}, {"one": None}),
        ({"type": "nonsense"}, {}, {"one": None}),
    ],
)
def test_a_null_is_left_out_where_it_need_not_be_and_must_not_be(
    schema: object, more: dict[str, Any], sent: dict[str, JsonValue]
) -> None:
    given: dict[str, JsonValue] = {"one": None, "two": "kept"}
    fitted = checks({"one": schema, "two": {"type": "string"}}, **more).without_idle_nulls("list", given)
    assert fitted == sent | {"two": "kept"}


def test_a_null_that_nobody_listed_and_one_further_in_stay() -> None:
    given: dict[str, JsonValue] = {"unlisted": None, "filter": {"name": None}}
    assert checks({"filter": {"type": "object"}}).without_idle_nulls("list", given) == given


def test_without_a_word_of_the_arguments_they_are_sent_as_they_are() -> None:
    bare = ArgumentChecks({"list": Tool(name="list", input_schema={"type": "object"})})
    assert bare.without_idle_nulls("list", {"one": None}) == {"one": None}


def test_what_is_left_then_fits() -> None:
    one = checks({"verbose": BOOLEAN})
    assert "None is not of type 'boolean' (at /verbose)" in (one.wrong("list", {"verbose": None}) or "")
    assert one.wrong("list", one.without_idle_nulls("list", {"verbose": None})) is None
