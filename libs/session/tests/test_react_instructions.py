"""What an agent is told that calls its tools in plain text."""

import pytest
from pydantic import JsonValue

from tarsy_contracts.conversation import ToolDefinition
from tarsy_contracts.events import OfferedTool
from tarsy_session.controllers.react.instructions import (
    ACTION_IS_A_SENTENCE,
    ACTION_WITHOUT_NAME,
    ANSWER,
    CONCLUDE,
    EMPTY_FINAL_ANSWER,
    FORMAT,
    INPUT_WITHOUT_ACTION,
    NEITHER,
    NO_ACTION_AND_NO_ANSWER,
    NO_TOOLS,
    NOTHING,
    ONLY_THOUGHTS,
    compose_format,
    describe_tools,
    render_observation,
)
from tarsy_session.controllers.react.parsing import parse_answer
from tarsy_session.controllers.react.schema import parameter_lines

REMINDERS = (
    NOTHING,
    NEITHER,
    ONLY_THOUGHTS,
    INPUT_WITHOUT_ACTION,
    ACTION_WITHOUT_NAME,
    ACTION_IS_A_SENTENCE,
    NO_ACTION_AND_NO_ANSWER,
    EMPTY_FINAL_ANSWER,
)


def tool(server: str, name: str, description: str, schema: dict[str, JsonValue]) -> OfferedTool:
    definition = ToolDefinition(name=f"{server}__{name}", description=description, input_schema=schema)
    return OfferedTool(server=server, tool=name, repeatable=True, definition=definition)


PODS = tool(
    "kubernetes",
    "pods_list",
    "Lists the pods of a namespace.",
    {
        "type": "object",
        "required": ["namespace"],
        "properties": {
            "namespace": {"type": "string", "description": "Where to look.\n  One name."},
            "phase": {"type": "string", "enum": ["Running", "Pending"]},
            "order": {"type": "string", "enum": ["name", "age"], "description": "By what."},
            "limit": {"type": ["integer", "null"]},
            "names": {"type": "array", "items": {"type": "string"}},
            "since": {"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "null"}]},
            "selector": {"$ref": "#/$defs/Selector"},
        },
        "$defs": {
            "Selector": {
                "type": "object",
                "description": "Which of them.",
                "required": ["key"],
                "properties": {"key": {"type": "string"}, "values": {"type": "array", "items": {"type": "string"}}},
            }
        },
    },
)
TIME = tool("clock", "now", "", {"type": "object", "properties": {}})

TOLD = """\
## How you answer

You call tools in plain text. Each of your answers has one of two forms. To call a tool:

Thought: what you know, and what you want to find out next
Action: the name of one tool, and nothing else on the line
Action Input: its arguments as one JSON object, {} when it needs none

Stop right after the input. The next message, which begins with "Observation:", is what the tool returned. You never
write an observation yourself: one that did not come from the tool is cut off, with all that follows it.

When you know enough:

Thought: why you know enough
Final Answer: your analysis, as long as it has to be

One call in an answer, never a call and a final answer together. Every header begins a line and ends with a colon. What
stands under none of these headers is lost.

## Your tools

### kubernetes__pods_list

Lists the pods of a namespace.

Parameters:
- namespace (string, required): Where to look. One name.
- phase (string, optional). One of: Running, Pending.
- order (string, optional): By what. One of: name, age.
- limit (integer or null, optional)
- names (array of string, optional)
- since (string or number or null, optional)
- selector (object, optional): Which of them.
  - key (string, required)
  - values (array of string, optional)

### clock__now

No parameters."""


def test_the_instructions_say_how_to_answer_and_what_each_tool_takes() -> None:
    assert f"{compose_format(has_tools=True)}\n\n{describe_tools((PODS, TIME))}" == TOLD


def test_who_has_no_tools_is_told_so() -> None:
    assert compose_format(has_tools=False).endswith(NO_TOOLS)


def test_what_is_asked_for_is_what_is_read() -> None:
    call = parse_answer(
        FORMAT.replace("the name of one tool, and nothing else on the line", "clock__now"), (PODS, TIME)
    ).call
    assert call is not None
    assert call.name == "clock__now"
    assert parse_answer(ANSWER, ()).final_answer == "your analysis, as long as it has to be"


def test_each_reminder_says_something_of_its_own() -> None:
    assert len(set(REMINDERS)) == len(REMINDERS)
    assert all("Action:" in reminder or "Final Answer:" in reminder for reminder in (*REMINDERS, CONCLUDE))


def test_an_observation_is_the_result_under_its_header() -> None:
    assert (
        render_observation("<<<TOOL RESULT\nok\nTOOL RESULT>>>") == "Observation:\n<<<TOOL RESULT\nok\nTOOL RESULT>>>"
    )


ROUND: dict[str, JsonValue] = {
    "properties": {"child": {"$ref": "#/properties/child"}, "tree": {"$ref": "#"}, "gone": {"$ref": "#/x/y"}}
}
STRANGE: list[dict[str, JsonValue]] = [
    {},
    {"properties": None},
    {"properties": []},
    {"properties": {"a": True}, "required": "a"},
    {"properties": {"a": {"type": 1, "enum": "x", "description": 5, "anyOf": {}}}},
    {"properties": {"a": {"type": "array", "items": [{}]}}},
    {"properties": {"a": {"anyOf": [1, {"anyOf": [{"anyOf": [{"type": "string"}]}]}]}}},
    ROUND,
]


@pytest.mark.parametrize("schema", STRANGE)
def test_a_strange_schema_is_shown_as_far_as_it_goes(schema: dict[str, JsonValue]) -> None:
    properties = schema.get("properties")
    shown = [line for line in parameter_lines(schema) if line.startswith("- ")]
    assert len(shown) == (len(properties) if isinstance(properties, dict) else 0)


def test_a_schema_without_end_is_shown_three_levels_deep() -> None:
    node: JsonValue = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}
    lines = parameter_lines({"properties": {"first": {"$ref": "#/$defs/Node"}}, "$defs": {"Node": node}})
    assert lines == [
        f"{'  ' * depth}- {name} (object, optional)" for depth, name in enumerate(["first", "next", "next"])
    ]


def test_a_list_of_objects_shows_what_is_in_them_and_many_values_are_cut() -> None:
    items: JsonValue = {"type": "object", "properties": {"day": {"enum": list(range(40))}}}
    first, second = parameter_lines({"properties": {"days": {"type": "array", "items": items}}})
    assert first == "- days (array of object, optional)"
    assert second.startswith("  - day (any, optional). One of: 0, 1,")
    assert second.endswith("28, 29 and more.")
