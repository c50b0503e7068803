"""Values as PostgreSQL can hold them."""

import math

from pydantic import JsonValue


def storable(text: str) -> str:
    """PostgreSQL holds neither NUL nor half a surrogate pair, and a tool may have said both."""
    return text.encode(errors="replace").decode().replace("\x00", "\ufffd")


INDEXED_CHARACTERS = 500
"""Of text in an index, whose rows PostgreSQL bounds at 2,704 bytes."""


def indexable(text: str) -> str:
    """Storable text, as much of it as an index can hold."""
    return storable(text)[:INDEXED_CHARACTERS]


def storable_json(value: JsonValue) -> JsonValue:
    match value:
        case str():
            return storable(value)
        case float() if not math.isfinite(value):
            return str(value)  # JSON has no such number
        case list():
            return [storable_json(item) for item in value]
        case dict():
            return {storable(name): storable_json(item) for name, item in value.items()}
        case _:
            return value
