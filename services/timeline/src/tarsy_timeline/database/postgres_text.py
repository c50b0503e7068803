"""Text and JSON as PostgreSQL can hold them."""

import math

from pydantic import JsonValue


def to_postgres_text(text: str) -> str:
    """PostgreSQL holds neither NUL nor half a surrogate pair, and a tool may have returned both."""
    if text.isascii():
        return text.replace("\x00", "\ufffd")
    return text.encode(errors="replace").decode().replace("\x00", "\ufffd")


INDEXED_CHARACTERS = 500
"""Limit for text in an index, whose rows PostgreSQL bounds at 2,704 bytes."""


def to_index_text(text: str) -> str:
    """Storable text, as much of it as an index can hold."""
    return to_postgres_text(text)[:INDEXED_CHARACTERS]


def to_postgres_json(value: JsonValue) -> JsonValue:
    match value:
        case str():
            return to_postgres_text(value)
        case float() if not math.isfinite(value):
            return str(value)  # JSON has no such number
        case list():
            return [to_postgres_json(item) for item in value]
        case dict():
            return {to_postgres_text(name): to_postgres_json(item) for name, item in value.items()}
        case _:
            return value
