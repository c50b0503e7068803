"""Released schemas: a lock of what readers of earlier versions rely on. It only grows, and only compatibly.

Schemas by name (KIND/TYPE.VERSION). All pure.
"""

from collections.abc import Iterator, Mapping, Set

from pydantic import JsonValue

from tarsy_contracts.wire.upcasting import UPCASTERS
from tarsy_docgen.breaks import breaks
from tarsy_docgen.messages import MESSAGES
from tarsy_docgen.schema import Schema

WORDS = frozenset({"title", "description", "examples", "$comment", "$id", "$schema"})
UPCAST = frozenset(
    f"{kind}/{type}.{version}" for kind, messages in MESSAGES.items() for type, version in UPCASTERS if type in messages
)
"""Versions that an upcaster turns into the next one."""

REMEDY = (
    "Records of this version are kept for ever, and older code reads what newer code writes: within a version only new"
    " optional fields may come. Give the message a new version, and write an upcaster that turns the old one into it."
    " (schemas/README.md; it also says what to do about a message that nobody has written yet.)"
)
PUBLIC_REMEDY = (
    "Programs of other teams read what this version describes: only new optional fields and new types may come, and no"
    " version goes. Put what is new into a field or a type of its own. (schemas/README.md)"
)


def find_breaking_changes(released: Mapping[str, Schema], current: Mapping[str, Schema], upcast: Set[str]) -> list[str]:
    """A sentence for each change that breaks somebody."""
    found = []
    for name, schema in sorted(released.items()):
        if name in current:
            found += [f"{name}: {problem}" for problem in breaks(schema, current[name])]
        elif name not in upcast:
            found.append(f"{name}: {_gone(name, current)}")
    return found


def extend_lock(released: Mapping[str, Schema], current: Mapping[str, Schema]) -> dict[str, Schema]:
    """The lock afterwards. Schemas that the code no longer names stay in it."""
    return {**released, **{name: strip_words(schema) for name, schema in current.items()}}


def strip_words(schema: Schema) -> Schema:
    """Without the words for people, which may be written better at any time."""
    return {key: _without_words(value, key) for key, value in schema.items() if key not in WORDS}


def _without_words(value: JsonValue, keyword: str) -> JsonValue:
    match value:
        case dict() if keyword in ("properties", "$defs"):
            return {name: _without_words(each, "") for name, each in value.items()}
        case dict() if keyword != "default":
            return {key: _without_words(each, key) for key, each in value.items() if key not in WORDS}
        case list() if keyword not in ("default", "enum", "required"):
            return [_without_words(each, "") for each in value]
        case _:
            return value


def _gone(name: str, current: Mapping[str, Schema]) -> str:
    newer = list(_newer(name, current))
    if newer:
        return f"the code writes version {newer[-1]}, and no upcaster turns the records of this one into it"
    return "no message has this name any longer: nobody could read its records"


def _newer(name: str, current: Mapping[str, Schema]) -> Iterator[int]:
    type, _, version = name.rpartition(".")
    for other in sorted(current):
        kind, _, number = other.rpartition(".")
        if kind == type and int(number) > int(version):
            yield int(number)
