"""Ends of action inputs, where the text itself marks them. Pure."""

import re

from tarsy_contracts.near_json import object_at

OPENING = re.compile(r"\s*+(?:(?P<fence>`{3,}+)[ \t]*+\w*+\s*+|`?(?:json\s++)?)(?P<object>\{)?", re.IGNORECASE)
CLOSING_AFTER_OBJECT = re.compile(r"`(?!`)|\s*+`{3,}+(?=[ \t]*+(?:\n|\Z))")
CLOSING = re.compile(r"`{3,}")
PLAIN_END = re.compile(r"\n(?:[ \t\r]*\n|[ \t]*(?P<fence>`{3,}))")


def input_end(text: str, begin: int) -> int | None:
    """Returns the position after a complete object or a closed fence; None for anything else."""
    opening = OPENING.match(text, begin)
    if opening is None:
        return None
    found = object_at(text, opening.start("object")) if opening["object"] else None
    if found is not None:
        closing = CLOSING_AFTER_OBJECT.match(text, found[1])
        return closing.end() if closing else found[1]
    if opening["fence"]:
        closing = CLOSING.search(text, opening.end())
        return closing.end() if closing else None
    return None


def without_last_fence(text: str) -> str:
    """Removes the marks of a fence that ends with the text. No expression: it would begin anew at each mark."""
    end = text.rstrip()
    bare = end.rstrip("`")
    return bare.rstrip() if len(end) - len(bare) >= 3 else text


def paragraph_end(text: str, begin: int, end: int) -> int:
    """Returns the limit of a plain input: models add remarks, or a guess at the tool's answer.

    A fence that ends there began before it.
    """
    while begin < end and text[begin].isspace():
        begin += 1
    found = PLAIN_END.search(text, begin, end)
    if found is None:
        return end
    return found.end() if found["fence"] else found.start()
