"""Syntax trees of regexes: the part of RE2's syntax that patterns.yaml uses, parsed and written again."""

from dataclasses import dataclass
from functools import cache, cached_property

from tarsy_masking.errors import MaskingError

_ASSERTIONS = frozenset({"^", "$", r"\b", r"\B", r"\A", r"\z"})


class UnknownSyntaxError(MaskingError, ValueError):
    """The regex uses syntax that this parser does not read. The caller writes it otherwise."""


class _Nested:
    """Keeps its hash: trees are deep, and dictionaries ask each level of one for it."""

    @cached_property
    def _hash(self) -> int:
        return hash((type(self), *vars(self).values()))

    def __hash__(self) -> int:
        return self._hash


@dataclass(frozen=True, slots=True)
class One:
    """Exactly one character: a literal, an escape or a class, as it is written."""

    text: str


@dataclass(frozen=True, slots=True)
class Assertion:
    """No character: an anchor or a word boundary."""

    text: str


@dataclass(frozen=True)
class Sequence(_Nested):
    parts: tuple["Node", ...]
    __hash__ = _Nested.__hash__


@dataclass(frozen=True)
class Alternatives(_Nested):
    options: tuple["Node", ...]
    __hash__ = _Nested.__hash__


@dataclass(frozen=True)
class Repeat(_Nested):
    """`most` is None where there is no limit. Lazy or greedy finds the same texts."""

    part: "Node"
    least: int
    most: int | None
    __hash__ = _Nested.__hash__


@dataclass(frozen=True)
class Capture(_Nested):
    part: "Node"
    __hash__ = _Nested.__hash__


@dataclass(frozen=True)
class Flagged(_Nested):
    flags: str
    part: "Node"
    __hash__ = _Nested.__hash__


type Node = One | Assertion | Sequence | Alternatives | Repeat | Capture | Flagged

EMPTY = Sequence(())


@cache
def parse(regex: str) -> Node:
    """Groups that are the same, in one regex or in two, are one object. Raises UnknownSyntaxError."""
    parser = _Parser(regex)
    tree = parser.choice()
    if not parser.at_end:
        raise UnknownSyntaxError(f"unexpected {parser.following}")
    return tree


@cache
def _share_equal(node: Node) -> Node:
    return node


@cache
def write(node: Node) -> str:
    """A regex that finds what the tree finds. No group of it captures."""
    match node:
        case One(text) | Assertion(text):
            return text
        case Sequence(parts):
            return "".join(write(part) for part in parts)
        case Alternatives(options):
            return f"(?:{'|'.join(write(option) for option in options)})"
        case Repeat(part, least, most):
            return f"(?:{write(part)}){_write_count(least, most)}"
        case Capture(part):
            return f"(?:{write(part)})"
        case Flagged(flags, part):
            return f"(?{flags}:{write(part)})"


def forget_trees() -> None:
    """Trees of all regexes take 15 MB, and are needed no more once these are compiled."""
    for known in (parse, _share_equal, write):
        known.cache_clear()


def _write_count(least: int, most: int | None) -> str:
    if most is None:
        return {0: "*", 1: "+"}.get(least, f"{{{least},}}")
    return "?" if (least, most) == (0, 1) else f"{{{least},{most}}}"


class _Parser:
    def __init__(self, regex: str) -> None:
        self._regex = regex
        self._at = 0

    @property
    def at_end(self) -> bool:
        return self._at == len(self._regex)

    @property
    def following(self) -> str:
        """The next characters, for the message of an error."""
        return repr(self._regex[self._at : self._at + 10])

    def choice(self) -> Node:
        options = [self._parse_sequence()]
        while self._skip_text("|"):
            options.append(self._parse_sequence())
        return options[0] if len(options) == 1 else Alternatives(tuple(options))

    def _parse_sequence(self) -> Node:
        parts: list[Node] = []
        while not self.at_end and self._regex[self._at] not in "|)":
            if (flags := self._read_flags_of_rest()) is not None:
                parts.append(Flagged(flags, self.choice()))
                break
            parts.append(self._parse_repeat(self._parse_atom()))
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def _read_flags_of_rest(self) -> str | None:
        if not self._regex.startswith("(?", self._at):
            return None
        end = self._regex.find(")", self._at)
        flags = self._regex[self._at + 2 : end]
        if end < 0 or not flags.isalpha():
            return None
        self._at = end + 1
        return flags

    def _parse_atom(self) -> Node:
        if self._skip_text("("):
            return self._parse_group()
        first = self._regex[self._at]
        text = self._parse_class() if first == "[" else self._regex[self._at : self._at + (2 if first == "\\" else 1)]
        if text in {"*", "+", "?"} or text in {r"\Q", r"\p", r"\P", r"\x", r"\C"}:
            raise UnknownSyntaxError(f"unexpected {self.following}")
        self._at += len(text)
        return Assertion(text) if text in _ASSERTIONS else One(text)

    def _parse_group(self) -> Node:
        flags, captures = "", not self._skip_text("?")
        if not captures:
            flags = self._read_until(":")
            if flags and not flags.isalpha():
                raise UnknownSyntaxError(f"unexpected group {flags[:10]!r}")
        inner = self.choice()
        if not self._skip_text(")"):
            raise UnknownSyntaxError("a group has no end")
        if captures:
            return _share_equal(Capture(inner))
        return _share_equal(Flagged(flags, inner) if flags else inner)

    def _parse_class(self) -> str:
        start = self._at
        end = start + (2 if self._regex.startswith("[^", start) else 1)
        end += self._regex.startswith("]", end)
        while end < len(self._regex) and self._regex[end] != "]":
            end += 2 if self._regex[end] == "\\" else 1
        if end >= len(self._regex) or "[:" in self._regex[start + 1 : end]:
            raise UnknownSyntaxError(f"unexpected class {self.following}")
        return self._regex[start : end + 1]

    def _parse_repeat(self, part: Node) -> Node:
        least: int
        most: int | None
        if self._skip_text("*"):
            least, most = 0, None
        elif self._skip_text("+"):
            least, most = 1, None
        elif self._skip_text("?"):
            least, most = 0, 1
        elif self._regex.startswith("{", self._at) and self._regex[self._at + 1 : self._at + 2].isdigit():
            self._at += 1
            low, comma, high = self._read_until("}").partition(",")
            least, most = int(low), int(high) if high else None if comma else int(low)
        else:
            return part
        self._skip_text("?")
        return Repeat(part, least, most)

    def _skip_text(self, text: str) -> bool:
        if not self._regex.startswith(text, self._at):
            return False
        self._at += len(text)
        return True

    def _read_until(self, mark: str) -> str:
        """Text before the mark. Reading goes on behind the mark."""
        end = self._regex.find(mark, self._at)
        if end < 0:
            raise UnknownSyntaxError(f"{mark!r} is missing after {self.following}")
        text = self._regex[self._at : end]
        self._at = end + 1
        return text
