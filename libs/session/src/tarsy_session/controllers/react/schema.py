"""Parameters of a tool as lines for a reader instead of a JSON schema. Pure."""

from collections.abc import Iterator, Mapping

from pydantic import JsonValue

DEEPEST = 3
MOST_VALUES = 30


def parameter_lines(schema: Mapping[str, JsonValue]) -> list[str]:
    return list(_describe_properties(schema, schema, 0))


def _describe_properties(schema: Mapping[str, JsonValue], root: Mapping[str, JsonValue], depth: int) -> Iterator[str]:
    properties = schema.get("properties")
    required = schema.get("required")
    if not isinstance(properties, dict) or depth == DEEPEST:
        return
    for name, given in properties.items():
        parameter = _resolve_reference(given, root)
        needed = isinstance(required, list) and name in required
        yield "  " * depth + _describe_parameter(name, parameter, root, "required" if needed else "optional")
        yield from _describe_properties(_schema_inside(parameter, root), root, depth + 1)


def _describe_parameter(name: str, parameter: Mapping[str, JsonValue], root: Mapping[str, JsonValue], need: str) -> str:
    description = parameter.get("description")
    values = parameter.get("enum")
    words = f": {' '.join(description.split())}" if isinstance(description, str) and description.strip() else ""
    one_of = f" One of: {_join_values(values)}." if isinstance(values, list) and values else ""
    return f"- {name} ({_name_type(parameter, root)}, {need}){words or ('.' if one_of else '')}{one_of}"


def _join_values(values: list[JsonValue]) -> str:
    more = " and more" if len(values) > MOST_VALUES else ""
    return ", ".join(str(value) for value in values[:MOST_VALUES]) + more


def _name_type(schema: Mapping[str, JsonValue], root: Mapping[str, JsonValue], depth: int = 0) -> str:
    written = schema.get("type")
    choices = schema.get("anyOf", schema.get("oneOf"))
    if depth == DEEPEST:
        return "any"
    if isinstance(written, list):
        return " or ".join(str(kind) for kind in written)
    if written == "array" and "items" in schema:
        return f"array of {_name_type(_resolve_reference(schema['items'], root), root, depth + 1)}"
    if isinstance(written, str):
        return written
    if isinstance(choices, list) and choices:
        return " or ".join(
            dict.fromkeys(_name_type(_resolve_reference(choice, root), root, depth + 1) for choice in choices)
        )
    return "any"


def _schema_inside(parameter: Mapping[str, JsonValue], root: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    return parameter if "properties" in parameter else _resolve_reference(parameter.get("items"), root)


def _resolve_reference(given: JsonValue, root: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    """A reference within the schema; only one step, so that it cannot go round."""
    if not isinstance(given, dict):
        return {}
    reference = given.get("$ref")
    if not isinstance(reference, str) or not reference.startswith("#/"):
        return given
    found: JsonValue = dict(root)
    for step in reference[2:].split("/"):
        found = found.get(step) if isinstance(found, dict) else None
    return {**found, **given} if isinstance(found, dict) else given
