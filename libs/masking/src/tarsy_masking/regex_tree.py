"""Syntax trees of regexes: the part of RE2's syntax that patterns.yaml uses, parsed and written again."""

from dataclasses import dataclass

from tarsy_masking.errors import MaskingError

_ASSERTIONS = frozenset({"^", "$", r"\b", r"\B", r"\A", r"\z"})


class UnknownSyntaxError(MaskingError, ValueError):
    """The regex uses syntax that this parser does not read. The caller writes it otherwise."""


@dataclass(frozen=True, slots=True)
class One:
    """Exactly one character: a literal, an escape or a class, as it is written."""

    text: str


@dataclass(frozen=True, slots=True)
class Assertion:
    """No character: an anchor or a word boundary."""

    text: str


@dataclass(frozen=True, slots=True)
class Sequence:
    parts: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Alternatives:
    options: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """`most` is None where there is no limit. Lazy or greedy finds the same texts."""

    part: "Node"
    least: int
    most: int | None


@dataclass(frozen=True, slots=True)
class Capture:
    part: "Node"


@dataclass(frozen=True, slots=True)
class Flagged:
    flags: str
    part: "Node"


type Node = One | Assertion | Sequence | Alternatives | Repeat | Capture | Flagged

EMPTY = Sequence(())


def parse(regex: str) -> Node:
    """Raises UnknownSyntaxError."""
    parser = _Parser(regex)
    tree = parser.choice()
    if not parser.at_end:
        raise UnknownSyntaxError(f"unexpected {parser.rest[:10]!r}")
    return tree


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
            return f"(?:{write(part)}){_count(least, most)}"
        case Capture(part):
            return f"(?:{write(part)})"
        case Flagged(flags, part):
            return f"(?{flags}:{write(part)})"


def _count(least: int, most: int | None) -> str:
    if most is None:
        return {0: "*", 1: "+"}.get(least, f"{{{least},}}")
    return "?" if (least, most) == (0, 1) else f"{{{least},{most}}}"


class _Parser:
    def __init__(self, regex: str) -> None:
        self.rest = regex

    @property
    def at_end(self) -> bool:
        return not self.rest

    def choice(self) -> Node:
        options = [self._sequence()]
        while self._skip("|"):
            options.append(self._sequence())
        return options[0] if len(options) == 1 else Alternatives(tuple(options))

    def _sequence(self) -> Node:
        parts: list[Node] = []
        while self.rest and self.rest[0] not in "|)":
            if (flags := self._flags_of_the_rest()) is not None:
                parts.append(Flagged(flags, self.choice()))
                break
            parts.append(self._repeated(self._atom()))
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def _flags_of_the_rest(self) -> str | None:
        flags, closed, _ = self.rest.removeprefix("(?").partition(")")
        if not self.rest.startswith("(?") or not closed or not flags.isalpha():
            return None
        self.rest = self.rest[len(flags) + 3 :]
        return flags

    def _atom(self) -> Node:
        if self._skip("("):
            return self._group()
        text = self._class() if self.rest[0] == "[" else self.rest[: 2 if self.rest[0] == "\\" else 1]
        if text in {"*", "+", "?"} or text in {r"\Q", r"\p", r"\P", r"\x", r"\C"}:
            raise UnknownSyntaxError(f"unexpected {self.rest[:10]!r}")
        self.rest = self.rest[len(text) :]
        return Assertion(text) if text in _ASSERTIONS else One(text)

    def _group(self) -> Node:
        flags, captures = "", not self._skip("?")
        if not captures:
            flags, colon, self.rest = self.rest.partition(":")
            if not colon or (flags and not flags.isalpha()):
                raise UnknownSyntaxError(f"unexpected group {flags[:10]!r}")
        inner = self.choice()
        if not self._skip(")"):
            raise UnknownSyntaxError("a group has no end")
        if captures:
            return Capture(inner)
        return Flagged(flags, inner) if flags else inner

    def _class(self) -> str:
        end = 2 if self.rest.startswith("[^") else 1
        end += self.rest.startswith("]", end)
        while end < len(self.rest) and self.rest[end] != "]":
            end += 2 if self.rest[end] == "\\" else 1
        if "[:" in self.rest[1:end] or end >= len(self.rest):
            raise UnknownSyntaxError(f"unexpected class {self.rest[:10]!r}")
        return self.rest[: end + 1]

    def _repeated(self, part: Node) -> Node:
        least: int
        most: int | None
        if self._skip("*"):
            least, most = 0, None
        elif self._skip("+"):
            least, most = 1, None
        elif self._skip("?"):
            least, most = 0, 1
        elif self.rest.startswith("{") and self.rest[1:2].isdigit():
            counts, _, self.rest = self.rest[1:].partition("}")
            low, comma, high = counts.partition(",")
            least, most = int(low), int(high) if high else None if comma else int(low)
        else:
            return part
        self._skip("?")
        return Repeat(part, least, most)

    def _skip(self, text: str) -> bool:
        if not self.rest.startswith(text):
            return False
        self.rest = self.rest[len(text) :]
        return True
