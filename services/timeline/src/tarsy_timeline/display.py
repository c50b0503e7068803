"""Text as PostgreSQL can hold it and as a page wants it."""

from pydantic import JsonValue

LIMIT_BYTES = 32_000


def display_cut(text: str) -> tuple[str, bool]:
    """At most LIMIT_BYTES of UTF-8, cut after the last line that fits; and whether something was cut."""
    data = text.encode()
    if len(data) <= LIMIT_BYTES:
        return text, False
    kept = data[:LIMIT_BYTES].decode(errors="ignore")
    end = kept.rfind("\n") + 1
    return kept[: end or len(kept)], True


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
