"""The fields of a schema as rows of a table, their types in plain words: pure."""

import json
from collections.abc import Iterator

from pydantic import JsonValue

from tarsy_docgen.schema import DEFINITIONS, Schema, as_object, elements, fields, list_allowed, list_required

PLAIN = {
    "string": "text",
    "integer": "integer",
    "number": "number",
    "boolean": "true or false",
    "object": "object",
    "null": "null",
}


def rows(schema: Schema) -> Iterator[str]:
    """Required fields first, else in the order of the model."""
    for name, value in sorted(fields(schema).items(), key=lambda one: one[0] not in list_required(schema)):
        field = as_object(value)
        meaning = f": {field['description']}" if "description" in field else ""
        must = "yes" if name in list_required(schema) else f"no, {_default(field)}"
        yield "| " + " | ".join(_cell(text) for text in (f"`{name}`{meaning}", kind_of(field), must)) + " |"


def kind_of(schema: JsonValue | Schema) -> str:
    if not isinstance(schema, dict) or not schema.keys() - {"title", "description", "default"}:
        return "any JSON"
    if "$ref" in schema:
        name = str(schema["$ref"]).removeprefix(DEFINITIONS)
        return f"[{name}](#{name.lower()})"
    for union in ("anyOf", "oneOf"):
        if union in schema:
            return " or ".join(kind_of(member) for member in elements(schema, union))
    values = list_allowed(schema)
    if values is not None:
        return " or ".join(f"`{json.dumps(value)}`" for value in values)
    return _plain(schema)


def _plain(schema: Schema) -> str:
    match schema.get("type"):
        case "array":
            return f"list of {kind_of(schema.get('items', {}))}"
        case "object" if isinstance(schema.get("additionalProperties"), dict):
            return f"object of {kind_of(schema['additionalProperties'])}"
        case "string" if schema.get("format") == "date-time":
            return "time (RFC 3339)"
        case "string" if "examples" in schema:
            return f"text, such as {', '.join(f'`{json.dumps(value)}`' for value in elements(schema, 'examples'))}"
        case str(name):
            return PLAIN[name]
        case _:
            return "any JSON"


def _default(field: Schema) -> str:
    if "default" not in field:
        return "may be absent"
    default = field["default"]
    return "as its own defaults say" if isinstance(default, dict) else f"`{json.dumps(default)}`"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
