"""Whether the arguments of a call fit what the tool's server says of them, before the call is sent."""

from collections.abc import Mapping

from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # it has no types of its own
from jsonschema.exceptions import SchemaError, best_match  # type: ignore[import-untyped]
from mcp_types import Tool
from pydantic import JsonValue
from referencing import Registry
from referencing.exceptions import Unresolvable


class ArgumentChecks:
    """Of the tools of one listing. To compile a schema costs fifty times what it costs to check with it."""

    def __init__(self, tools: Mapping[str, Tool]) -> None:
        self._tools = tools
        self._compiled: dict[str, Draft202012Validator | None] = {}

    def without_idle_nulls(self, name: str, arguments: dict[str, JsonValue]) -> dict[str, JsonValue]:
        """Models send null for what they do not want to say: it is left out where it may be, and does not fit."""
        if None not in arguments.values():
            return arguments
        validator = self._validator(name)
        if validator is None:
            return arguments
        return {key: value for key, value in arguments.items() if value is not None or not _is_idle(validator, key)}

    def wrong(self, name: str, arguments: dict[str, JsonValue]) -> str | None:
        """What is wrong with the arguments for a listed tool, in words that an agent can act on."""
        validator = self._validator(name)
        if validator is None:
            return None
        try:
            error = best_match(validator.iter_errors(arguments))
        except (Unresolvable, RecursionError):
            return None
        if error is None:
            return None
        place = "/".join(str(part) for part in error.absolute_path)
        return f"The arguments do not fit {name}: {error.message}" + (f" (at /{place})" if place else "")

    def _validator(self, name: str) -> Draft202012Validator | None:
        if name not in self._compiled:
            self._compiled[name] = _compiled(self._tools[name])
        return self._compiled[name]


def _is_idle(validator: Draft202012Validator, key: str) -> bool:
    """Whether the argument need not be there, and must not be null."""
    schema = validator.schema
    if key not in schema.get("properties", {}) or key in schema.get("required", []):
        return False
    try:
        return any(True for _ in validator.descend(None, schema["properties"][key]))
    except (Unresolvable, RecursionError):
        return False


def _compiled(tool: Tool) -> Draft202012Validator | None:
    """None where the server has to judge the arguments itself."""
    try:
        Draft202012Validator.check_schema(tool.input_schema)
    except (SchemaError, Unresolvable, RecursionError):
        return None
    # With a registry of its own, no reference of a stranger's schema is fetched from anywhere.
    return Draft202012Validator(tool.input_schema, registry=Registry())
