"""Schemas of tools in a form that providers take. Arguments are checked by the whole schema where the tool runs.

Providers refuse an object without properties, a combinator at the top, an array without items, and keys with other
signs than letters, digits, `_`, `.` and `-`: one such tool costs the whole request.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256

from pydantic import JsonValue

from tarsy_contracts.conversation import ToolDefinition
from tarsy_llm.protocol import Answer
from tarsy_llm.recent_values import RecentValues

type Schema = dict[str, JsonValue]

KEY = re.compile(r"[A-Za-z0-9_.-]{1,64}")
NOT_TAKEN = re.compile(r"[^A-Za-z0-9_.-]")
COMBINATORS = ("anyOf", "oneOf", "allOf")
NOT_AT_THE_TOP = frozenset({*COMBINATORS, "not", "enum", "const", "if", "then", "else", "$ref", "items", "nullable"})
MAPS = ("properties", "$defs", "definitions", "patternProperties", "dependentSchemas")
LISTS = (*COMBINATORS, "prefixItems")
SINGLE = ("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames")
MOST_CHARACTERS = 8 * 1024 * 1024
"""Limit of the portable schemas that are kept: an agent offers the same tools with every question."""
DEEPEST = 24
"""Deeper than this a schema says nothing to a model."""


_kept: RecentValues[int, tuple[ToolDefinition, Schema]] = RecentValues(MOST_CHARACTERS)


def schema_for_provider(tool: ToolDefinition) -> Schema:
    """Returns the portable schema of the tool, which is made once for each. Callers must not change it."""
    kept = _kept.get(id(tool))
    if kept is None or kept[0] is not tool:
        kept = (tool, portable_schema(tool.input_schema))
        _kept.put(id(tool), kept, size=len(repr(kept[1])))
    return kept[1]


def portable_schema(schema: Mapping[str, JsonValue]) -> Schema:
    """Returns the schema of an object. It has the properties of all branches of a combinator at the top."""
    properties: Schema = {}
    for part in reversed(list(_parts(schema, schema, 0))):
        given = part.get("properties")
        properties |= given if isinstance(given, dict) else {}
    top = {key: value for key, value in schema.items() if key not in NOT_AT_THE_TOP}
    adapted = _adapted({**top, "type": "object", "properties": properties}, 0)
    return adapted if isinstance(adapted, dict) else {"type": "object", "properties": {}}


def with_original_names(answer: Answer, tools: Sequence[ToolDefinition]) -> Answer:
    """Returns the answer with the keys of arguments that the tools know."""
    if not answer.tool_calls:
        return answer
    called = {call.name for call in answer.tool_calls}
    of_called = (tool for tool in tools if tool.name in called)
    renamed = {tool.name: names for tool in of_called if (names := dict(_renamed(tool.input_schema, 0)))}
    if not renamed:
        return answer
    calls = tuple(
        call.model_copy(update={"arguments": _restored(call.arguments, renamed.get(call.name, {}))})
        for call in answer.tool_calls
    )
    return answer.model_copy(update={"tool_calls": calls})


def portable_key(key: str) -> str:
    if KEY.fullmatch(key):
        return key
    digest = sha256(key.encode(errors="surrogatepass")).hexdigest()[:8]
    return f"{NOT_TAKEN.sub('_', key)[:50]}_{digest}"


def _parts(
    schema: Mapping[str, JsonValue], root: Mapping[str, JsonValue], depth: int
) -> Iterator[Mapping[str, JsonValue]]:
    yield schema
    if depth > DEEPEST // 4:
        return
    reference = schema.get("$ref")
    inner = [_found(reference, root)] if isinstance(reference, str) else []
    for key in COMBINATORS:
        branches = schema.get(key)
        inner += branches if isinstance(branches, list) else []
    for one in inner:
        if isinstance(one, dict):
            yield from _parts(one, root, depth + 1)


def _found(reference: str, root: Mapping[str, JsonValue]) -> JsonValue:
    found: JsonValue = dict(root)
    for step in reference.removeprefix("#/").split("/"):
        found = found.get(step) if isinstance(found, dict) else None
    return found


def _adapted(schema: JsonValue, depth: int) -> JsonValue:
    if not isinstance(schema, dict):
        return schema
    if depth > DEEPEST:
        return {}
    found = dict(schema)
    for key in MAPS:
        inner = found.get(key)
        if isinstance(inner, dict):
            name = portable_key if key == "properties" else str
            found[key] = {name(one): _adapted(value, depth + 1) for one, value in inner.items()}
    for key in LISTS:
        several = found.get(key)
        if isinstance(several, list):
            found[key] = [_adapted(value, depth + 1) for value in several]
    for key in SINGLE:
        if isinstance(found.get(key), dict):
            found[key] = _adapted(found[key], depth + 1)
    return _with_required(_with_items(found))


def _with_items(schema: Schema) -> Schema:
    kind = schema.get("type")
    is_array = kind == "array" or (isinstance(kind, list) and "array" in kind)
    return {**schema, "items": {}} if is_array and not isinstance(schema.get("items"), dict) else schema


def _with_required(schema: Schema) -> Schema:
    """A required name that is no property is refused by some."""
    required, properties = schema.get("required"), schema.get("properties")
    if "required" not in schema or not isinstance(properties, dict):
        return schema
    names = required if isinstance(required, list) else []
    kept = [key for name in names if isinstance(name, str) and (key := portable_key(name)) in properties]
    return {**schema, "required": list[JsonValue](dict.fromkeys(kept))}


def _renamed(schema: JsonValue, depth: int) -> Iterator[tuple[str, str]]:
    if depth > DEEPEST:
        return
    if isinstance(schema, list):
        for one in schema:
            yield from _renamed(one, depth + 1)
    if not isinstance(schema, dict):
        return
    properties = schema.get("properties")
    for key in properties if isinstance(properties, dict) else ():
        if (sent := portable_key(key)) != key:
            yield sent, key
    for value in schema.values():
        if isinstance(value, dict | list):
            yield from _renamed(value, depth + 1)


def _restored[T: JsonValue](value: T, names: Mapping[str, str]) -> T:
    match value:
        case dict():
            return {names.get(key, key): _restored(inner, names) for key, inner in value.items()}  # type: ignore[return-value]
        case list():
            return [_restored(inner, names) for inner in value]  # type: ignore[return-value]
        case _:
            return value
