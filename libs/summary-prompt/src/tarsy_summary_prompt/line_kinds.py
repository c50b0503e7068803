"""Classification of lines: which lines are alike, and which look like trouble. Pure.

Whole blocks go through each step, and lines of one shape are classified once: a regex for each line takes ten times as
long.
"""

import re
from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

import re2

from tarsy_summary_prompt.varying_values import ID, replace_values

# RE2 takes linear time. It knows the letters of ASCII only, as far as the ends of words are concerned.
GRAVE = (
    rb"(?i)fatal|panic|\boom|out of memory|killed|segfault|core dumped|traceback|exception|denied|forbidden"
    rb"|unauthori[sz]ed|x509|no space left|crash|corrupt|deadlock"
)
TROUBLE = (
    rb"(?i)error|fail|warn|refused|timed? ?out|unreachable|unavailable|not found|no such|cannot|can't|invalid|abort"
    rb"|backoff|evicted|unhealthy|exit code|\bE\d{4}\b"
)

MOST_SHAPES = 4_096
"""That are remembered. Each has as many bytes as a line."""
HEX_DIGITS = b"0123456789abcdefABCDEF"
LEAST_HEX = 8
"""This many hexadecimal digits in a row are an id, whatever they are."""
HEX_CLASS = bytes(ord("h") if byte in HEX_DIGITS else byte if byte == ord("-") else ord(".") for byte in range(256))
HEX_RUN = re.compile(b"h" * LEAST_HEX + b"h*(?:-h{4}-h{4}-h{4}-h{12})?")
"""The groups of a UUID are one id: those of four digits would be too short alone."""
OTHER_DIGITS = re.compile(r"[^\D0-9]+")
ZEROS = bytes.maketrans(b"123456789", b"000000000")
UNCERTAIN = re.compile(rb"x000|[A-Za-z]\xff|\xff[A-Za-z]", re.IGNORECASE)
"""Shapes of lines that may differ in weight: "x509" is a word of trouble, and an id may have swallowed half of one."""


VALUES = re.compile(
    rb"""(?<![\w.])(?!"(?:msg|message|event|reason)")("[\w.@-]+":)\s*"[^"]*"|/[^\s",]*"""
    rb"""|=(?<!msg=)(?<!message=)(?<!event=)(?<!reason=)(?:"[^"]*"|[^\s",;]+)"""
)
"""Values of fields, but for those that hold the message itself, and paths."""
MESSAGE = re.compile(rb"""(?:^|(?<=[\s"'{}\[\](),;=:]))[A-Za-z][A-Za-z_./-]+(?=[\s"'{}\[\](),;=:]|$)""")
"""Words without digits, which are no part of a name with digits."""
MOST_FAMILIES = 65_536
"""Kinds whose family is remembered."""
FAMILY_WORDS = 24
FAMILY_BYTES = 400


class Weight(IntEnum):
    NONE = 0
    TROUBLE = 1
    GRAVE = 2


class LineKind(NamedTuple):
    """Lines with the same `key` are alike: they differ in numbers, ids and times only.

    Kinds of one `family` have the same message, with other words in its values: `user=ana` and `user=bob`.
    """

    key: int
    weight: Weight
    family: int


class LineKinds:
    """Classifies the lines of one text. Not shared by threads."""

    def __init__(self) -> None:
        self._words = re2.Set.SearchSet(re2.Options())
        self._grave: int = self._words.Add(GRAVE)
        self._words.Add(TROUBLE)
        self._words.Compile()
        self._known: dict[bytes, LineKind] = {}
        self._families: dict[int, int] = {}

    def of(self, lines: Sequence[str]) -> list[LineKind]:
        """The kind of each line. None of them holds a line break."""
        known = self._known.get
        return [
            known(shape) or self._classify_line(shape, line)
            for shape, line in zip(_shapes_of_lines(lines), lines, strict=True)
        ]

    def _classify_line(self, shape: bytes, line: str) -> LineKind:
        key, weight = replace_values(shape), self._weight_of(line)
        kind = LineKind(hash((key, weight)), weight, self._family_of(key))
        if not UNCERTAIN.search(shape):
            if len(self._known) >= MOST_SHAPES:
                self._known.clear()
            self._known[shape] = kind
        return kind

    def _family_of(self, key: bytes) -> int:
        known = self._families.get(hash(key))
        if known is None:
            if len(self._families) >= MOST_FAMILIES:
                self._families.clear()
            known = self._families[hash(key)] = hash(_without_values(key))
        return known

    def _weight_of(self, line: str) -> Weight:
        found: list[int] = self._words.Match(line.encode())
        if not found:
            return Weight.NONE
        return Weight.GRAVE if self._grave in found else Weight.TROUBLE


def _shapes_of_lines(lines: Sequence[str]) -> list[bytes]:
    """Each line with its ids replaced, and each of its digits by a zero."""
    text = "\n".join(lines)
    if not text.isascii():
        text = OTHER_DIGITS.sub("0", text)
    return _without_ids(text.encode()).translate(ZEROS).split(b"\n")


def _without_ids(text: bytes) -> bytes:
    # In the text itself each letter from a to f would be tried as the begin of an id.
    classes = text.translate(HEX_CLASS)
    if classes.find(b"h" * LEAST_HEX) < 0:
        return text
    between: list[bytes] = []
    start = 0
    for run in HEX_RUN.finditer(classes):
        begin, end = run.span()
        between.append(text[start:begin])
        start = end
    between.append(text[start:])
    return ID.join(between)


def _without_values(key: bytes) -> bytes:
    """The message: its first words and the names of its fields."""
    return b" ".join(MESSAGE.findall(VALUES.sub(b"", key[:FAMILY_BYTES]))[:FAMILY_WORDS])
