"""Heads of regexes: what stands before the secret, and its first character, as another regex.

Wherever a regex finds something, its head does too, with the same beginning, and after fewer characters.
"""

from collections.abc import Iterable

from tarsy_masking.regex_beginnings import captures
from tarsy_masking.regex_tree import (
    Alternatives,
    Assertion,
    Capture,
    Flagged,
    Node,
    One,
    Repeat,
    Sequence,
    parse,
    write,
)


def head(regex: str) -> str:
    """The regex itself where it has no head: no group captures, not in all its choices, or one may be empty. Raises
    UnknownSyntaxError."""
    found = _head(parse(regex))
    return regex if found is None else write(found)


def _head(node: Node) -> Node | None:
    match node:
        case Capture(part):
            return _first(part)
        case Sequence(parts):
            for number, part in enumerate(parts):
                if captures(part):
                    inner = _head(part)
                    return None if inner is None else Sequence((*parts[:number], inner))
            return None
        case Alternatives(options):
            heads = [_head(option) for option in options]
            found = [each for each in heads if each is not None]
            return Alternatives(tuple(found)) if len(found) == len(heads) else None
        case Flagged(flags, part):
            inner = _head(part)
            return None if inner is None else Flagged(flags, inner)
        case _:
            return None


def _first(node: Node) -> Node | None:
    """The first characters; None where there may be none."""
    match node:
        case One():
            return node
        case Assertion():
            return None
        case Sequence(parts):
            return _first_of(parts)
        case Alternatives(options):
            firsts = [_first(option) for option in options]
            known = [each for each in firsts if each is not None]
            return Alternatives(tuple(known)) if len(known) == len(firsts) else None
        case Repeat(part, least, _):
            return _first(part) if least > 0 else None
        case Capture(part):
            return _first(part)
        case Flagged(flags, part):
            first = _first(part)
            return None if first is None else Flagged(flags, first)


def _first_of(parts: Iterable[Node]) -> Node | None:
    before: list[Node] = []
    for part in parts:
        if (first := _first(part)) is not None:
            return Alternatives((*before, first)) if before else first
        if (begin := _may_begin(part)) is not None:
            before.append(begin)
    return None


def _may_begin(node: Node) -> Node | None:
    """The first characters of a part that may be empty."""
    match node:
        case Repeat(part, _, _):
            return _first(part)
        case _:
            return None
