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

    def wrong(self, name: str, arguments: dict[str, JsonValue]) -> str | None:
        """What is wrong with the arguments for a listed tool, in words that an agent can act on."""
        if name not in self._compiled:
            self._compiled[name] = _compiled(self._tools[name])
        validator = self._compiled[name]
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


def _compiled(tool: Tool) -> Draft202012Validator | None:
    """None where the server has to judge the arguments itself."""
    try:
        Draft202012Validator.check_schema(tool.input_schema)
    except (SchemaError, Unresolvable, RecursionError):
        return None
    # With a registry of its own, no reference of a stranger's schema is fetched from anywhere.
    return Draft202012Validator(tool.input_schema, registry=Registry())
