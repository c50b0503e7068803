"""Templates of arguments: how the arguments of a call become those of another call of the same tool. Pure."""

from collections.abc import Mapping

from pydantic import JsonValue

VALUE = "{value}"


def apply_template(arguments: Mapping[str, JsonValue], template: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Each key of the template sets the argument of its name.

    A list is appended to a list that is there. `{value}` in a text stands for the text that is there.
    """
    return {**arguments, **{key: _fill(arguments.get(key), value) for key, value in template.items()}}


def _fill(before: JsonValue, value: JsonValue) -> JsonValue:
    if isinstance(value, list) and isinstance(before, list):
        return [*before, *value]
    if isinstance(value, str):
        return value.replace(VALUE, before if isinstance(before, str) else "")
    return value
