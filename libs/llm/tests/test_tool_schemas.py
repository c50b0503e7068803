"""Schemas of tools as providers take them, and keys of arguments on their way back."""

import json

import pytest
from asking import PODS, answer_of, asked, failure_of, request
from pydantic import JsonValue
from wire import Reply, sse

from tarsy_contracts.conversation import ToolDefinition
from tarsy_llm.openai.adapter import MOST_TOOLS, OpenAiLlm
from tarsy_llm.tool_schemas import KEY, portable_schema, schema_for_provider

SCHEMAS: dict[str, tuple[dict[str, JsonValue], dict[str, JsonValue]]] = {
    "bare": ({"type": "object"}, {"type": "object", "properties": {}}),
    "empty": ({}, {"type": "object", "properties": {}}),
    "anyOf at the top": (
        {
            "type": "object",
            "properties": {"id": {"type": "string"}, "name": {"type": "string"}},
            "anyOf": [{"required": ["id"]}, {"required": ["name"]}],
        },
        {"type": "object", "properties": {"id": {"type": "string"}, "name": {"type": "string"}}},
    ),
    "oneOf with properties of their own": (
        {"oneOf": [{"properties": {"a": {"type": "string"}}}, {"properties": {"b": {"type": "integer"}}}]},
        {"properties": {"a": {"type": "string"}, "b": {"type": "integer"}}, "type": "object"},
    ),
    "a reference at the top": (
        {"$ref": "#/$defs/Q", "$defs": {"Q": {"type": "object", "properties": {"a": {"type": "string"}}}}},
        {
            "type": "object",
            "properties": {"a": {"type": "string"}},
            "$defs": {"Q": {"type": "object", "properties": {"a": {"type": "string"}}}},
        },
    ),
    "an array without items": (
        {"type": "object", "properties": {"ids": {"type": "array"}}},
        {"type": "object", "properties": {"ids": {"type": "array", "items": {}}}},
    ),
    "a required name that is no property": (
        {"type": "object", "properties": {"a": {}}, "required": ["a", "b"]},
        {"type": "object", "properties": {"a": {}}, "required": ["a"]},
    ),
    "nulls": (
        {"type": "object", "properties": None, "required": None},
        {"type": "object", "properties": {}, "required": []},
    ),
}


@pytest.mark.parametrize(("schema", "sent"), SCHEMAS.values(), ids=SCHEMAS.keys())
def test_a_schema_is_sent_in_a_form_that_is_taken(schema: dict[str, JsonValue], sent: dict[str, JsonValue]) -> None:
    assert portable_schema(schema) == sent


def test_the_schema_of_a_tool_is_made_once_and_never_taken_for_that_of_another() -> None:
    tools = [
        ToolDefinition(name="a", description="", input_schema={"type": "object", "properties": {name: {}}})
        for name in ("one", "two")
    ]

    made = [schema_for_provider(tool) for tool in tools]

    assert made == [portable_schema(tool.input_schema) for tool in tools]
    assert all(schema_for_provider(tool) is schema for tool, schema in zip(tools, made, strict=True))


def test_a_schema_that_is_taken_stays_as_it_is() -> None:
    assert portable_schema(PODS.input_schema) == PODS.input_schema


async def test_keys_are_mapped_there_and_back() -> None:
    schema: dict[str, JsonValue] = {
        "type": "object",
        "properties": {"@timestamp": {"type": "string"}, "filter": {"properties": {"a b": {}}}},
        "required": ["@timestamp"],
    }
    sent = portable_schema(schema)["properties"]
    assert isinstance(sent, dict)
    first, second = sent
    assert KEY.fullmatch(first)
    inner = sent["filter"]
    assert isinstance(inner, dict)
    assert isinstance(inner["properties"], dict)
    (nested,) = inner["properties"]
    arguments = json.dumps({first: "now", second: {nested: 1}})
    call: JsonValue = {"index": 0, "id": "c", "function": {"name": "search", "arguments": arguments}}
    reply = Reply(sse({"choices": [{"delta": {"tool_calls": [call]}, "finish_reason": "tool_calls"}]}, done=True))
    tool = ToolDefinition(name="search", description="", input_schema=schema)
    async with asked(OpenAiLlm, reply) as (llm, _):
        answer = await answer_of(llm, request(tools=(tool,)))
    assert answer.tool_calls[0].arguments == {"@timestamp": "now", "filter": {"a b": 1}}


async def test_more_tools_than_are_taken_are_told_before_anybody_is_asked() -> None:
    many = tuple(PODS.model_copy(update={"name": f"t{n}"}) for n in range(MOST_TOOLS + 1))
    async with asked(OpenAiLlm) as (llm, server):
        problem = await failure_of(llm, request(tools=many))
    assert (problem.kind, problem.most_tools, server.asked) == ("tools_refused", MOST_TOOLS, [])
