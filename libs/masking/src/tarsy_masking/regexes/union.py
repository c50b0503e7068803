"""Unions of regexes: the beginning that several share is written once, as compiling takes time for each character."""

from collections.abc import Iterable, Iterator
from functools import cache

from tarsy_masking.regexes.tree import EMPTY, Alternatives, Flagged, Node, Sequence


def union(nodes: Iterable[Node]) -> Node:
    """Finds the texts that any of the nodes finds. There must be one node at least."""
    return _union_of_distinct(tuple(dict.fromkeys(_flatten_alternatives(nodes))))


@cache  # many regexes have the same names in them
def _union_of_distinct(distinct: tuple[Node, ...]) -> Node:
    if len(distinct) == 1:
        return distinct[0]
    rests: dict[Node | str, list[Node]] = {}
    for option in distinct:
        first, rest = _split_first(option)
        rests.setdefault(first, []).append(rest)
    options = tuple(_join_first(first, rest) for first, rest in rests.items())
    return options[0] if len(options) == 1 else Alternatives(options)


def forget_unions() -> None:
    """They hold trees."""
    _union_of_distinct.cache_clear()


def _flatten_alternatives(nodes: Iterable[Node]) -> Iterator[Node]:
    for node in nodes:
        if isinstance(node, Alternatives):
            yield from _flatten_alternatives(node.options)
        else:
            yield node


def _split_first(node: Node) -> tuple[Node | str, Node]:
    """The first part of the node, which may be flags for the rest, and the rest."""
    match node:
        case Flagged(flags, part):
            return flags, part
        case Sequence((Sequence(inner), *after)):
            return _split_first(Sequence((*inner, *after)))
        case Sequence((first, *after)):
            return first, after[0] if len(after) == 1 else Sequence(tuple(after))
        case _:
            return node, EMPTY


def _join_first(first: Node | str, rests: list[Node]) -> Node:
    # Mostly there is one, and nothing to look for in it.
    rest = rests[0] if len(rests) == 1 and not isinstance(rests[0], Alternatives) else union(rests)
    if isinstance(first, str):
        return Flagged(first, rest)
    if rest == EMPTY:
        return first
    return Sequence((first, *rest.parts)) if isinstance(rest, Sequence) else Sequence((first, rest))
