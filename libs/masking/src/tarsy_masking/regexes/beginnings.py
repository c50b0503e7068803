r"""Beginnings of what a regex finds, as another regex: whether a match may go on after the end of a text.

`find_beginnings(R)` finds all texts that R finds, and their not empty beginnings. If `begun(R)\z` finds nothing in a
text, no match of R can span its end, however the text continues. Where the exact answer would have to
count, the regex made here finds more.
"""

from collections.abc import Iterable, Iterator
from functools import cache

from tarsy_masking.regexes.tree import (
    Alternatives,
    Assertion,
    Capture,
    Flagged,
    Node,
    One,
    Repeat,
    Sequence,
    forget_trees,
    parse,
    write,
)
from tarsy_masking.regexes.union import forget_unions, union

_NOTHING = r"[^\x00-\xff]"


def find_beginnings(*regexes: str) -> str:
    """The beginnings of what any of the regexes finds. Raises UnknownSyntaxError."""
    return _write_union(_beginnings_of_node(parse(regex)) for regex in regexes)


def find_secret_beginnings(*regexes: str) -> str:
    """The same, of those beginnings only that hold a part of the secret: of the group that captures, or of the whole
    where none does. Raises UnknownSyntaxError."""
    return _write_union(_with_secret(option) for regex in regexes for option in _split_by_capture(parse(regex)))


def _write_union(nodes: Iterable[Node | None]) -> str:
    found = [node for node in nodes if node is not None]
    return write(union(found)) if found else _NOTHING


@cache
def _beginnings_of_node(node: Node) -> Node | None:
    """None for what takes no character."""
    match node:
        case One():
            return node
        case Assertion():
            return None
        case Sequence(parts):
            found: Node | None = None
            for part in reversed(parts):
                found = _union_or_none((_beginnings_of_node(part), _put_before(part, found)))
            return found
        case Alternatives(options):
            return _union_or_none(map(_beginnings_of_node, options))
        case Repeat(part, _, most):
            before = part if most == 1 else Repeat(part, 0, None)
            first = _beginnings_of_node(part)
            return first if most == 1 else _put_before(before, first)
        case Capture(part):
            return _beginnings_of_node(part)
        case Flagged(flags, part):
            return _with_flags(flags, _beginnings_of_node(part))


def forget_beginnings() -> None:
    """With the trees that they were made of."""
    for known in (_beginnings_of_node, captures):
        known.cache_clear()
    forget_unions()
    forget_trees()


def _with_secret(node: Node) -> Node | None:
    """`node` has no choice between parts that capture and parts that do not."""
    if not captures(node):
        return _beginnings_of_node(node)
    match node:
        case Sequence(parts):
            number = next(number for number, part in enumerate(parts) if captures(part))
            rest = _put_before(parts[number], _beginnings_of_node(Sequence(parts[number + 1 :])))
            return _put_before(Sequence(parts[:number]), _union_or_none((_with_secret(parts[number]), rest)))
        case Alternatives(options):
            return _union_or_none(map(_with_secret, options))
        case Flagged(flags, part):
            return _with_flags(flags, _with_secret(part))
        case _:
            # A group, or one that is repeated: the secret begins with it, or later.
            return _beginnings_of_node(node)


def _split_by_capture(node: Node) -> Iterator[Node]:
    """The same regex as several: in each the secret is that of a group, or none captures."""
    match node:
        case Sequence(parts) if captures(node):
            number = next(number for number, part in enumerate(parts) if captures(part))
            for option in _split_by_capture(parts[number]):
                yield Sequence((*parts[:number], option, *parts[number + 1 :]))
        case Alternatives(options) if captures(node):
            found = [option for each in options for option in _split_by_capture(each)]
            # Those that capture stay one: what follows them would be written once for each.
            if capturing := tuple(option for option in found if captures(option)):
                yield capturing[0] if len(capturing) == 1 else Alternatives(capturing)
            yield from (option for option in found if not captures(option))
        case Flagged(flags, part):
            yield from (Flagged(flags, option) for option in _split_by_capture(part))
        case _:
            yield node


@cache
def captures(node: Node) -> bool:
    match node:
        case Capture():
            return True
        case Sequence(parts) | Alternatives(parts):
            return any(map(captures, parts))
        case Repeat(part, _, _) | Flagged(_, part):
            return captures(part)
        case _:
            return False


def _put_before(before: Node, node: Node | None) -> Node | None:
    if node is None or before == Sequence(()):
        return node
    return Sequence((before, node))


def _with_flags(flags: str, node: Node | None) -> Node | None:
    return None if node is None else Flagged(flags, node)


def _union_or_none(nodes: Iterable[Node | None]) -> Node | None:
    found = [node for node in nodes if node is not None]
    return found[0] if len(found) == 1 else Alternatives(tuple(found)) if found else None
