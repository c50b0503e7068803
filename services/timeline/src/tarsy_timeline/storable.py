"""Text as PostgreSQL can hold it."""

from pydantic import JsonValue


def storable(text: str) -> str:
    """PostgreSQL holds neither NUL nor half a surrogate pair, and a tool may have said both."""
    return text.encode(errors="replace").decode().replace("\x00", "\ufffd")


def storable_json(value: JsonValue) -> JsonValue:
    match value:
        case str():
            return storable(value)
        case list():
            return [storable_json(item) for item in value]
        case dict():
            return {storable(name): storable_json(item) for name, item in value.items()}
        case _:
            return value
