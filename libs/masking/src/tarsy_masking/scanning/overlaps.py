"""Overlaps of what several patterns find, each with the place of its pattern in their order."""

from collections.abc import Iterable, Iterator

from tarsy_masking.edits import Edit
from tarsy_masking.errors import MaskingError

MOST_FINDINGS = 200_000
"""Each costs 100 us and a kilobyte at most: this many take 20 s. A log of 32 MB has one in 160 bytes then."""


class TooManyFindingsError(MaskingError):
    """A text has more secrets than one text may have. The caller redacts the whole text, or what is left of it."""


def at_most(count: int, claims: Iterable[tuple[int, Edit]]) -> Iterator[tuple[int, Edit]]:
    """Raises TooManyFindingsError."""
    for number, claim in enumerate(claims):
        if number == count:
            raise TooManyFindingsError
        yield claim


def merge(claims: Iterable[tuple[int, Edit]]) -> list[Edit]:
    """Claims that overlap become one: of the same place the first pattern's, else the widest one's label."""
    edits: list[Edit] = []
    for _, claim in sorted(claims, key=lambda ranked: (ranked[1].start, -ranked[1].stop, ranked[0])):
        last = edits[-1] if edits else None
        if last is None or claim.start >= last.stop:
            edits.append(claim)
        elif claim.stop > last.stop:
            secret = last.secret + claim.secret[last.stop - claim.start :]
            edits[-1] = Edit(last.start, claim.stop, last.label, secret, last.rule)
    return edits
