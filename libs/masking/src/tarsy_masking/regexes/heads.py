"""Heads of regexes: what stands before the secret, and its first character, as another regex.

Wherever a regex finds something, its head does too, with the same beginning. Before the secret a head does not count:
RE2 has states for every count, and they multiply with those of all names that come meanwhile.
"""

from collections.abc import Iterable

from tarsy_masking.regexes.beginnings import captures
from tarsy_masking.regexes.tree import (
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
from tarsy_masking.regexes.union import union

# A secret that is at least so long is told by its length from most words: of it the head has so many characters.
_LONG = 16


def head(regex: str) -> str:
    """The regex itself where it has no head: no group captures, not in all its choices, or one may be empty. Raises
    UnknownSyntaxError."""
    found = _head_of_node(parse(regex))
    return regex if found is None else write(found)


def any_of(heads: Iterable[str]) -> str:
    """One regex that finds what any of the heads does. A prefix that several share is written once. With all names in
    each, RE2 runs out of memory for its states and takes a hundred times as long.
    """
    return write(union(parse(head) for head in heads))


def _head_of_node(node: Node) -> Node | None:
    match node:
        case Capture(part):
            return _first_characters(part)
        case Sequence(parts):
            number = next((number for number, part in enumerate(parts) if captures(part)), None)
            inner = None if number is None else _head_of_node(parts[number])
            return None if inner is None else Sequence((*map(_without_counts, parts[:number]), inner))
        case Alternatives(options):
            heads = [_head_of_node(option) for option in options]
            found = [each for each in heads if each is not None]
            return Alternatives(tuple(found)) if len(found) == len(heads) else None
        case Flagged(flags, part):
            inner = _head_of_node(part)
            return None if inner is None else Flagged(flags, inner)
        case _:
            return None


def _without_counts(node: Node) -> Node:
    match node:
        case Repeat(part, least, most):
            return Repeat(_without_counts(part), least, most if most == 1 else None)
        case Sequence(parts):
            return Sequence(tuple(map(_without_counts, parts)))
        case Alternatives(options):
            return Alternatives(tuple(map(_without_counts, options)))
        case Flagged(flags, part):
            return Flagged(flags, _without_counts(part))
        case _:
            return node


def _first_characters(node: Node) -> Node | None:
    """The first characters; None where there may be none."""
    match node:
        case One():
            return node
        case Assertion():
            return None
        case Sequence(parts):
            return _first_of_sequence(parts)
        case Alternatives(options):
            firsts = [_first_characters(option) for option in options]
            known = [each for each in firsts if each is not None]
            return Alternatives(tuple(known)) if len(known) == len(firsts) else None
        case Repeat(One(), least, _) if least >= _LONG:
            return Repeat(node.part, least, least)
        case Repeat(part, least, _):
            return _first_characters(part) if least > 0 else None
        case Capture(part):
            return _first_characters(part)
        case Flagged(flags, part):
            first = _first_characters(part)
            return None if first is None else Flagged(flags, first)


def _first_of_sequence(parts: Iterable[Node]) -> Node | None:
    before: list[Node] = []
    for part in parts:
        if (first := _first_characters(part)) is not None:
            return Alternatives((*before, first)) if before else first
        if (begin := _first_of_optional(part)) is not None:
            before.append(begin)
    return None


def _first_of_optional(node: Node) -> Node | None:
    """The first characters of a part that may be empty."""
    match node:
        case Repeat(part, _, _):
            return _first_characters(part)
        case _:
            return None
