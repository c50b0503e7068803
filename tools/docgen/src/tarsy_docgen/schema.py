"""Reading JSON Schemas as pydantic writes them: pure."""

import json
from collections.abc import Iterator, Mapping

from pydantic import JsonValue

type Schema = Mapping[str, JsonValue]

ANYTHING: Schema = {}
NOTHING: Schema = {"not": {}}
DEFINITIONS = "#/$defs/"


def alternatives(schema: JsonValue | Schema, document: Schema) -> Iterator[Schema]:
    """The schemas that a value may have, without references: one, or each member of a union."""
    if isinstance(schema, bool):
        yield ANYTHING if schema else NOTHING
        return
    assert isinstance(schema, Mapping), "a schema is an object or a truth value"
    if "$ref" in schema:
        rest = {key: value for key, value in schema.items() if key != "$ref"}
        yield from alternatives({**definition(schema, document), **rest}, document)
        return
    for keyword in ("anyOf", "oneOf"):
        if keyword in schema:
            for member in elements(schema, keyword):
                yield from alternatives(member, document)
            return
    types = schema.get("type")
    if isinstance(types, list):
        for one in types:
            yield {**schema, "type": one}
        return
    yield schema


def definition(reference: Schema, document: Schema) -> Schema:
    """Resolves a reference. Raises KeyError for one that leads nowhere."""
    return as_object(fields(document, "$defs")[str(reference["$ref"]).removeprefix(DEFINITIONS)])


def words(schema: Schema) -> str:
    """A kind of value, in a word or two."""
    if schema == NOTHING:
        return "nothing"
    values = list_allowed(schema)
    if values is not None:
        return " or ".join(map(json.dumps, values))
    name = schema.get("title") if schema.get("type") == "object" else None
    return str(name or schema.get("type") or "anything")


def default(schema: JsonValue | Schema, document: Schema) -> str:
    """As JSON. An object leaves out what stands at its own default: then it says the same when it has grown."""
    if not isinstance(schema, dict) or "default" not in schema:
        return "nothing"
    return _as_json(_without_defaults(schema["default"], schema, document))


def _without_defaults(value: JsonValue, schema: JsonValue, document: Schema) -> JsonValue:
    kinds = list(alternatives(schema, document))
    if not isinstance(value, dict) or len(kinds) != 1:
        return value
    known = fields(kinds[0])
    short = {name: _without_defaults(each, known.get(name, True), document) for name, each in value.items()}
    return {name: each for name, each in short.items() if default(known.get(name), document) != _as_json(each)}


def _as_json(value: JsonValue) -> str:
    return json.dumps(value, sort_keys=True)


def list_allowed(schema: Schema) -> list[JsonValue] | None:
    """None when it is not a list of values."""
    if "const" in schema:
        return [schema["const"]]
    return elements(schema, "enum") if "enum" in schema else None


def fields(schema: Schema, keyword: str = "properties") -> dict[str, JsonValue]:
    return as_object(schema.get(keyword, {}))


def list_required(schema: Schema) -> frozenset[str]:
    return frozenset(map(str, elements(schema, "required")))


def elements(schema: Schema, keyword: str) -> list[JsonValue]:
    value = schema.get(keyword, [])
    assert isinstance(value, list), f"{keyword} is a list"
    return value


def as_object(value: JsonValue | Schema) -> dict[str, JsonValue]:
    assert isinstance(value, dict), "a JSON object"
    return value
