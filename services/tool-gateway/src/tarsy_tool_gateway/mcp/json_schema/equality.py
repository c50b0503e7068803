"""Equality of JSON values: 1 is 1.0, and true is not 1. Pure."""

import json
from collections.abc import Callable

CHARACTERS_PER_STEP = 256


def canonical(value: object, spend: Callable[[int], None]) -> str:
    """The same text for the same values. A text, as hostile numbers could all have the same hash."""
    match value:
        case str():
            text = json.dumps(value)
        case dict():
            members = sorted((str(key), canonical(item, spend)) for key, item in value.items())
            text = "{" + ",".join(f"{json.dumps(key)}:{item}" for key, item in members) + "}"
        case list():
            text = "[" + ",".join(canonical(item, spend) for item in value) + "]"
        case float() if value.is_integer():
            text = str(int(value))
        case _:
            text = repr(value)
    spend(1 + len(text) // CHARACTERS_PER_STEP)
    return text
