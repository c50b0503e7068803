"""How much of what was planted a masker finds, and how much of what is harmless it leaves alone."""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from corpus_filling import Document, Value, pieces

SHORT = 8


@dataclass(slots=True)
class Share:
    right: int = 0
    of: int = 0

    def add(self, right: bool) -> None:
        self.of += 1
        self.right += right

    @property
    def part(self) -> float:
        return self.right / self.of if self.of else 1.0


@dataclass(frozen=True, slots=True)
class Miss:
    document: Document
    value: Value


@dataclass(slots=True)
class Measured:
    secrets: dict[str, Share] = field(default_factory=dict)
    lookalikes: dict[str, Share] = field(default_factory=dict)
    lines: Share = field(default_factory=Share)
    survived: list[Miss] = field(default_factory=list, repr=False)
    touched: list[Miss] = field(default_factory=list, repr=False)
    changed_lines: list[tuple[Document, str]] = field(default_factory=list, repr=False)

    @property
    def recall(self) -> float:
        return together(self.secrets.values()).part

    @property
    def left_alone(self) -> float:
        return together(self.lookalikes.values()).part


def together(shares: Iterable[Share]) -> Share:
    found = list(shares)
    return Share(sum(share.right for share in found), sum(share.of for share in found))


def measured(mask: Callable[[str], str], documents: Iterable[Document]) -> Measured:
    result = Measured()
    for document in documents:
        _measure(result, document, mask(document.text))
    return result


def _measure(result: Measured, document: Document, masked: str) -> None:
    for value in document.secrets:
        gone = not any(piece in masked for piece in pieces(value.text))
        result.secrets.setdefault(value.kind, Share()).add(gone)
        if not gone:
            result.survived.append(Miss(document, value))
    for value in document.lookalikes:
        intact = _left(value.text, document.text, masked)
        result.lookalikes.setdefault(value.kind, Share()).add(intact)
        if not intact:
            result.touched.append(Miss(document, value))
    left = Counter(masked.splitlines())
    for line in document.harmless_lines:
        result.lines.add(left[line] > 0)
        if left[line] <= 0:
            result.changed_lines.append((document, line))
        left[line] -= 1


def _left(value: str, before: str, after: str) -> bool:
    """A short value may stand inside of a secret by chance: there it does not count."""
    word = re.compile(rf"\b{re.escape(value)}\b")
    if len(value) <= SHORT and word.search(before):
        return len(word.findall(after)) >= len(word.findall(before))
    return after.count(value) >= before.count(value)
