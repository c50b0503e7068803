"""Arguments from the text that a model wrote as the input of a tool. Pure; never raises, in linear time."""

import re

from pydantic import JsonValue

from tarsy_contracts.near_json import make_readable, object_at, value_of
from tarsy_session.controllers.react.pairs import parse_pairs
from tarsy_session.controllers.react.yaml_input import parse_yaml

OPENING = re.compile(r"`{3,}+[ \t]*+(?:[a-z_0-9]{1,12}(?=\s|\{))?\s*+", re.IGNORECASE)
CLOSING = re.compile(r"(?:^[ \t]*+`{3,}|(?<!`)`{3,}+\s*+\Z)", re.MULTILINE)
LANGUAGE = re.compile(r"(?:json|yaml)\s++(?=[{\[])", re.IGNORECASE)


def parse_arguments(text: str) -> dict[str, JsonValue]:
    """Returns the first that fits: a JSON object, other JSON, YAML with structure, pairs; else the text, as `input`."""
    bare = _without_fence(text)
    if not bare:
        return {}
    for parse in (_parse_json, parse_yaml, parse_pairs):
        found = parse(bare)
        if found is not None:
            return found
    return {"input": make_readable(bare)}


def _parse_json(text: str) -> dict[str, JsonValue] | None:
    """Text after a complete object is not part of it."""
    found = object_at(text, 0)
    if found is not None:
        return found[0]
    other = value_of(text)
    return {"input": other[0]} if other is not None else None


def _without_fence(text: str) -> str:
    bare = text.strip()
    opening = OPENING.match(bare)
    if opening is not None:
        bare = bare[opening.end() :]
        if not bare.startswith("{"):
            closing = CLOSING.search(bare)
            bare = bare[: closing.start()] if closing else bare
    elif len(bare) > 1 and bare[0] == bare[-1] == "`":
        bare = bare[1:-1]
    bare = bare.strip()
    language = LANGUAGE.match(bare)
    return bare[language.end() :] if language else bare
