"""Arguments in quotes that a schema wants without: `"100"` where only an integer fits. Pure."""

import re
from collections.abc import Callable
from copy import deepcopy

from pydantic import JsonValue

from tarsy_tool_gateway.mcp.json_schema.verdicts import Misfit, Path, Verdict

MOST_CHANGED = 50
INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,17})")
NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,14})\.[0-9]{1,15}")
BOOLEANS = {"true": True, "True": True, "false": False, "False": False}

type Judge = Callable[[JsonValue], Verdict]


def without_quotes(arguments: dict[str, JsonValue], judge: Judge) -> dict[str, JsonValue]:
    """Each text that does not fit, and that is exactly one number or boolean which does."""
    changed = arguments
    for _ in range(MOST_CHANGED):
        verdict = judge(changed)
        if not isinstance(verdict, Misfit):
            return changed
        value = unquote_value(_value_at(changed, verdict.path))
        if value is None:
            return changed
        following = _with_value_at(changed, verdict.path, value)
        still = judge(following)
        if isinstance(still, Misfit) and still.path == verdict.path:
            return changed
        changed = following
    return changed


def unquote_value(text: object) -> int | float | bool | None:
    """The one value that the text writes; None where it is a text."""
    if not isinstance(text, str):
        return None
    if text in BOOLEANS:
        return BOOLEANS[text]
    if INTEGER.fullmatch(text):
        return int(text)
    return float(text) if NUMBER.fullmatch(text) else None


def _value_at(value: object, path: Path) -> object:
    for part in path:
        match value:
            case dict() if part in value:
                value = value[part]
            case list() if isinstance(part, int) and part < len(value):
                value = value[part]
            case _:
                return None
    return value


def _with_value_at(arguments: dict[str, JsonValue], path: Path, new: JsonValue) -> dict[str, JsonValue]:
    copy = deepcopy(arguments)
    parent: object = copy
    for part in path[:-1]:
        parent = parent[part]  # type: ignore[index]
    parent[path[-1]] = new  # type: ignore[index]
    return copy
