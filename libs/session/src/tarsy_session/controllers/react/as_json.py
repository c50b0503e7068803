"""Actions written as one JSON object with the tool's name in it. Pure."""

from collections.abc import Mapping

from pydantic import JsonValue

from tarsy_session.controllers.react.arguments import parse_arguments

NAMES = ("action", "tool", "tool_name", "name", "function")
INPUTS = ("action_input", "actioninput", "arguments", "args", "parameters", "params", "input")
ANSWERS = ("final_answer", "finalanswer")


def read_call(found: Mapping[str, JsonValue]) -> tuple[str, dict[str, JsonValue]] | None:
    """Returns the tool's name and the arguments."""
    fields = _normalize_keys(found)
    name = next((value for key in NAMES if isinstance(value := fields.get(key), str) and value.strip()), None)
    if name is None:
        return None
    return name, _to_arguments(next((fields[key] for key in INPUTS if key in fields), None))


def read_final_answer(found: Mapping[str, JsonValue]) -> str:
    fields = _normalize_keys(found)
    return next((value.strip() for key in ANSWERS if isinstance(value := fields.get(key), str)), "")


def _normalize_keys(found: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    return {key.lower().replace(" ", "_").replace("-", "_"): value for key, value in found.items()}


def _to_arguments(given: JsonValue) -> dict[str, JsonValue]:
    match given:
        case dict():
            return given
        case str():
            return parse_arguments(given)
        case None:
            return {}
        case _:
            return {"input": given}
