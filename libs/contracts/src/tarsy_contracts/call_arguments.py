"""Arguments of a tool call as models write them, where they can be meant in one way only. Pure."""

import re

from pydantic import JsonValue

from tarsy_contracts.near_json import TooDeepError, object_at, value_of

LONGEST = 256 * 1024
MOST_OBJECTS = 128
"""More than an answer has calls are no parallel calls."""
NESTED = 3
"""JSON in a JSON string, in a string, and no deeper."""
CLOSERS = re.compile(r"[\s}\],;`]*(?:</?[\w|:.=-]{1,40}>[\s}\],;`]*)*")
"""Leftovers of models behind an object: a bracket too many, the end of a fence or of a tag."""

type Arguments = dict[str, JsonValue]


def read_arguments(text: str) -> list[Arguments] | None:
    """Returns one object a call: servers glue the arguments of parallel calls together. None for what is unclear.

    No text, and null, are no arguments. An empty object before another one is a server's placeholder.
    """
    bare = text.strip()
    if len(bare) > LONGEST:
        return None
    try:
        found = _read_objects(bare, 0)
    except (TooDeepError, ValueError):
        return None
    if found is None or len(found) < 2:
        return found
    # Some servers send the whole arguments again when they are complete.
    return [one for index, one in enumerate(found) if one and one not in found[:index]] or [{}]


def _read_objects(text: str, depth: int) -> list[Arguments] | None:
    if not text:
        return [{}]
    if text.startswith("{"):
        return _read_objects_in_a_row(text)
    whole = value_of(text)
    return None if whole is None or depth >= NESTED else _objects_of_value(whole[0], depth)


def _objects_of_value(value: JsonValue, depth: int) -> list[Arguments] | None:
    match value:
        case None:
            return [{}]
        case str():
            return _read_objects(value.strip(), depth + 1)
        case [dict(only)]:
            return [only]
        case _:
            return None


def _read_objects_in_a_row(text: str) -> list[Arguments] | None:
    found: list[Arguments] = []
    position = 0
    while position < len(text) and len(found) <= MOST_OBJECTS:
        if (one := object_at(text, position)) is not None:
            found.append(one[0])
            position = one[1]
        elif found and (rest := CLOSERS.match(text, position)) and rest.end() > position:
            position = rest.end()
        elif found and _is_repeated(text[position:], found):
            return found
        else:
            return None
    return found if position >= len(text) else None


def _is_repeated(rest: str, found: list[Arguments]) -> bool:
    """Some servers tell the whole arguments again at the end, as JSON in a string."""
    whole = value_of(rest)
    return whole is not None and isinstance(whole[0], str) and _read_objects(whole[0].strip(), NESTED) == found[-1:]
