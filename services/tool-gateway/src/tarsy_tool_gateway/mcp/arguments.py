"""Validation of arguments and results against a tool's schemas. A check that would take too long is skipped."""

from collections.abc import Callable, Mapping

from mcp_types import CallToolResult, Tool
from pydantic import JsonValue

from tarsy_tool_gateway.mcp.json_schema.evaluation import Evaluation
from tarsy_tool_gateway.mcp.json_schema.patterns import Patterns
from tarsy_tool_gateway.mcp.json_schema.verdicts import CheckAbortedError, Judgement, Misfit, Verdict
from tarsy_tool_gateway.mcp.quoted_values import without_quotes


class ArgumentChecks:
    """Checks for the tools of one listing. `unchecked` is called once for each tool whose check was given up."""

    def __init__(self, tools: Mapping[str, Tool], *, unchecked: Callable[[str], None] = lambda _: None) -> None:
        self._tools = tools
        self._unchecked = unchecked
        self._patterns: dict[str, Patterns] = {}
        self._logged: set[str] = set()

    def without_idle_nulls(self, name: str, arguments: dict[str, JsonValue]) -> dict[str, JsonValue]:
        """Drops a null that the schema does not allow if the property is optional: models send null for 'not set'."""
        if None not in arguments.values():
            return arguments
        return {key: value for key, value in arguments.items() if value is not None or not self._is_idle(name, key)}

    def wrong(self, name: str, arguments: dict[str, JsonValue]) -> str | None:
        """Why the arguments do not fit a listed tool, in words that an agent can act on. None when they do."""
        schema = self._tools[name].input_schema
        verdict = self._check_value(name, schema, schema, arguments)
        return f"The arguments do not fit {name}: {verdict.message}" if isinstance(verdict, Misfit) else None

    def remark_on(self, name: str, result: CallToolResult) -> str | None:
        """Says why structured content does not fit the tool's own schema. The result is passed on all the same."""
        schema = self._tools[name].output_schema if name in self._tools else None
        if schema is None or result.is_error or result.structured_content is None:
            return None
        verdict = self._check_value(name, schema, schema, result.structured_content)
        return f"This does not fit the tool's own schema: {verdict.message}" if isinstance(verdict, Misfit) else None

    def coerce(self, name: str, arguments: dict[str, JsonValue]) -> dict[str, JsonValue]:
        """Numbers and booleans out of their quotes where the schema wants them and takes no text."""
        schema = self._tools[name].input_schema
        return without_quotes(arguments, lambda value: self._check_value(name, schema, schema, value))

    def _is_idle(self, name: str, key: str) -> bool:
        """Whether the argument need not be there, and must not be null."""
        schema = self._tools[name].input_schema
        properties, required = schema.get("properties"), schema.get("required", [])
        if not isinstance(properties, dict) or key not in properties:
            return False
        if not isinstance(required, list) or key in required:
            return False
        return isinstance(self._check_value(name, schema, properties[key], None), Misfit)

    def _check_value(self, name: str, root: object, schema: object, value: object) -> Verdict:
        patterns = self._patterns.setdefault(name, Patterns())
        try:
            return Evaluation(root, patterns).check(schema, value)
        except (CheckAbortedError, RecursionError):
            if name not in self._logged:
                self._logged.add(name)
                self._unchecked(name)
            return Judgement.UNKNOWN
