"""The schemas of strangers: what they say is held against jsonschema, and how much work they may make."""

import json
import socket
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # it has no types of its own
from mcp_types import Tool
from pydantic import JsonValue
from referencing import Registry

from tarsy_tool_gateway.mcp.arguments import ArgumentChecks
from tarsy_tool_gateway.mcp.json_schema.evaluation import MOST_STEPS, Evaluation
from tarsy_tool_gateway.mcp.json_schema.patterns import Patterns
from tarsy_tool_gateway.mcp.json_schema.verdicts import CheckAbortedError, Judgement, Misfit, Verdict

SCALARS = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "a", "ab", "b1", 1.0, 2.5])
NAMES = st.sampled_from(["a", "b", "ab"])
LISTS, OBJECTS = st.lists(SCALARS, max_size=4), st.dictionaries(NAMES, SCALARS, max_size=3)
VALUES = SCALARS | LISTS | OBJECTS | st.lists(LISTS | OBJECTS, max_size=3) | st.dictionaries(NAMES, OBJECTS, max_size=3)
SMALL = st.integers(0, 3)
TYPES = st.sampled_from(["object", "array", "string", "number", "integer", "boolean", "null"])
REFERENCES = st.sampled_from(["#/$defs/one", "#/$defs/two"])
PATTERNS = st.sampled_from(["^a", "b$", "[0-9]", "^(a|b)+$"])
ONE = (
    st.booleans()
    | REFERENCES.map(lambda reference: {"$ref": reference})
    | TYPES.map(lambda name: {"type": name})
    | VALUES.map(lambda value: {"const": value})
    | NAMES.map(lambda name: {"required": [name]})
)
SCHEMA = ONE | ONE.map(lambda one: {"not": one}) | st.lists(ONE, min_size=1, max_size=3).map(lambda all: {"anyOf": all})
SCHEMAS = st.lists(SCHEMA, min_size=1, max_size=3)
NAMED = st.dictionaries(NAMES, SCHEMA, max_size=2)
NEEDED = st.lists(NAMES, max_size=2, unique=True)
KEYWORDS: dict[str, st.SearchStrategy[Any]] = {
    "type": TYPES | st.lists(TYPES, min_size=1, max_size=2, unique=True),
    "enum": st.lists(VALUES, min_size=1, max_size=3),
    "const": VALUES,
    "multipleOf": st.integers(1, 3),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), SMALL),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"), SMALL),
    "pattern": PATTERNS,
    **dict.fromkeys(("allOf", "anyOf", "oneOf", "prefixItems"), SCHEMAS),
    **dict.fromkeys(("not", "if", "items", "contains", "additionalProperties", "propertyNames"), SCHEMA),
    "uniqueItems": st.booleans(),
    "properties": NAMED,
    "patternProperties": st.dictionaries(PATTERNS, SCHEMA, max_size=2),
    "dependentSchemas": NAMED,
    "required": NEEDED,
    "dependentRequired": st.dictionaries(NAMES, NEEDED, max_size=2),
}
TOGETHER: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "if": {"then": SCHEMA, "else": SCHEMA},
    "contains": {"minContains": SMALL, "maxContains": SMALL},
    "items": {"prefixItems": SCHEMAS},
    "additionalProperties": {"properties": NAMED, "patternProperties": KEYWORDS["patternProperties"]},
}
OF_LISTS = frozenset({"items", "prefixItems", "contains", "uniqueItems", "minItems", "maxItems"})
OF_OBJECTS = frozenset(word for word in KEYWORDS if "ropert" in word or "dependent" in word or word == "required")


@pytest.mark.parametrize("word", sorted(KEYWORDS))
def test_it_judges_as_jsonschema_does(word: str) -> None:
    values = LISTS if word in OF_LISTS else OBJECTS if word in OF_OBJECTS else VALUES

    @settings(max_examples=80, deadline=None, database=None)
    @given(schema=st.fixed_dictionaries({word: KEYWORDS[word]}, optional=TOGETHER.get(word, {})), value=values)
    def judges(schema: dict[str, Any], value: Any) -> None:
        whole = {**schema, "$defs": {"one": {"type": "integer"}, "two": {"minLength": 2, "not": {"type": "array"}}}}
        fits = Draft202012Validator(whole, registry=Registry()).is_valid(value)
        verdict = judged(whole, value)
        assert (verdict is Judgement.FITS, isinstance(verdict, Misfit)) == (fits, not fits)

    judges()


def judged(schema: object, value: object, steps: int = MOST_STEPS) -> Verdict:
    return Evaluation(schema, Patterns(), steps=steps).check(schema, value)


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"$ref": "http://127.0.0.1:9/x"}, 1),
        ({"$ref": "file:///etc/passwd"}, 1),
        ({"$ref": "#/nowhere"}, 1),
        ({"$dynamicRef": "#node"}, 1),
        ({"unevaluatedProperties": False}, {"a": 1}),
        ({"type": "nonsense"}, 1),
        ({"pattern": "(?!x)"}, "x"),
        ({"pattern": "(" * 5}, "x"),
        ({"exclusiveMinimum": True, "minimum": 5}, 7),
        ({"items": [{"type": "string"}]}, [1]),
        ({"allOf": [{"$id": "http://elsewhere", "$ref": "#/type"}]}, 1),
        ({"allOf": [{"$schema": "http://json-schema.org/draft-07/schema#", "pattern": "^(a+)+$"}]}, "a" * 50 + "!"),
        ({"not": {"$ref": "http://127.0.0.1:9/x"}}, 1),
        ({"oneOf": [{"$ref": "http://127.0.0.1:9/x"}, True]}, 1),
        ({"if": {"$ref": "http://127.0.0.1:9/x"}, "then": False, "else": False}, 1),
        ({"contains": {"pattern": "(?!x)"}}, ["x"]),
        ({"properties": 7}, {}),
        ({"required": 7}, {}),
        ({"enum": 7}, {}),
        ("nonsense", 1),
    ],
)
def test_what_only_the_server_can_judge_is_unknown_and_nothing_is_fetched(
    schema: object, value: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "socket", None)
    monkeypatch.setattr("builtins.open", None)
    assert judged(schema, value) is Judgement.UNKNOWN


def test_a_misfit_is_certain_whatever_else_is_unknown() -> None:
    schema = {"properties": {"a": {"pattern": "(?!x)"}, "b": {"type": "integer"}}}
    verdict = judged(schema, {"a": "x", "b": "y"})
    assert isinstance(verdict, Misfit)
    assert verdict.message == "'y' is not of type 'integer' (at /b)"


def test_of_several_choices_the_one_that_fits_the_most_is_told() -> None:
    schema = {"anyOf": [{"type": "string"}, {"type": "object", "properties": {"a": {"type": "integer"}}}]}
    nearest, none = judged(schema, {"a": "x"}), judged({"anyOf": [{"type": "string"}, {"type": "null"}]}, 5)
    assert isinstance(nearest, Misfit)
    assert isinstance(none, Misfit)
    assert nearest.message == "'x' is not of type 'integer' (at /a)"
    assert none.message == "5 is not valid under any of the given schemas"


def test_a_long_value_is_shown_in_part() -> None:
    verdict = judged({"type": "integer"}, "x" * 100_000)
    assert isinstance(verdict, Misfit)
    assert len(verdict.message) < 600


# How much work it is


def doubled(depth: int) -> dict[str, Any]:
    references = {f"d{at}": {"anyOf": [{"$ref": f"#/$defs/d{at - 1}"}] * 2} for at in range(1, depth + 1)}
    return {"$ref": f"#/$defs/d{depth}", "$defs": {"d0": {"type": "integer"}, **references}}


def nested(depth: int) -> JsonValue:
    value: JsonValue = 1
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (doubled(16), "x"),
        (doubled(40), "x"),
        ({"$ref": "#"}, 1),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"allOf": [{"$ref": "#/$defs/a"}]}}}, 1),
        ({"items": {"$ref": "#"}}, nested(200)),
        ({"uniqueItems": True}, nested(5_000)),
        ({"uniqueItems": True}, [{"a": number, "b": [number]} for number in range(40_000)]),
        ({"items": {"enum": list(range(1_000))}}, [999] * 1_000),
        ({"pattern": "a" * 5_000}, "a" * 100_000),
        ({"patternProperties": {f"^{number}$": True for number in range(1_000)}}, {str(n): n for n in range(1_000)}),
        ({"enum": ["x" * 1_000_000] * 20}, "y"),
    ],
)
def test_what_would_take_too_long_is_given_up(schema: object, value: object) -> None:
    with pytest.raises((CheckAbortedError, RecursionError)):
        judged(schema, value)


@pytest.mark.parametrize("expression", ["^(a+)+$", "^(a|a)*$", "(x+x+)+y", "^(([a-z])+.)+[A-Z]([a-z])+$"])
def test_a_pattern_that_others_go_back_in_for_hours_is_a_few_steps(expression: str) -> None:
    assert isinstance(judged({"pattern": expression}, "a" * 40 + "!", steps=1_000), Misfit)


def test_three_thousand_unique_objects_are_told_apart_within_the_steps() -> None:
    rows = [{"a": number, "b": str(number)} for number in range(3_000)]
    assert judged({"uniqueItems": True}, rows) is Judgement.FITS
    assert isinstance(judged({"uniqueItems": True}, [*rows, rows[0]]), Misfit)


def test_a_large_call_of_an_ordinary_tool_is_checked() -> None:
    row = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "string"}}, "required": ["a"]}
    schema = {"type": "object", "properties": {"rows": {"type": "array", "items": row}}}
    rows = [{"a": number, "b": "x"} for number in range(2_000)]
    assert judged(schema, {"rows": rows}) is Judgement.FITS
    assert isinstance(judged(schema, {"rows": [*rows, {"b": "y"}]}), Misfit)


def test_that_a_tool_is_not_checked_is_said_once_and_its_arguments_are_let_pass() -> None:
    unchecked: list[str] = []
    tools = {name: Tool(name=name, input_schema={"type": "object", **doubled(20)}) for name in ("one", "two")}
    checks = ArgumentChecks(tools, unchecked=unchecked.append)
    for _ in range(3):
        assert checks.wrong("one", {"q": None}) is None
        assert checks.without_idle_nulls("one", {"q": None}) == {"q": None}
    assert checks.wrong("two", json.loads('{"q": 1}')) is None
    assert unchecked == ["one", "two"]
