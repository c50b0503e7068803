"""Source maps: which line of which file a line of a bundle was, for developer tools (ECMA-426)."""

import json
from collections.abc import Iterator, Sequence

DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def source_map(file: str, sources: Sequence[str], lines: Sequence[tuple[int, int] | None]) -> str:
    """`lines`: of each line of the bundle, the number of its source and of the line there; both from 0."""
    mappings = ";".join(_mappings(lines))
    return json.dumps({"version": 3, "file": file, "sources": list(sources), "names": [], "mappings": mappings})


def _mappings(lines: Sequence[tuple[int, int] | None]) -> Iterator[str]:
    """Each number is written as the difference from the one before."""
    before = (0, 0)
    for place in lines:
        if place is None:
            yield ""
            continue
        yield f"A{_quantity(place[0] - before[0])}{_quantity(place[1] - before[1])}A"
        before = place


def _quantity(number: int) -> str:
    """A signed number in digits of 5 bits, the lowest first; a sixth bit says that more follow."""
    left = -number * 2 + 1 if number < 0 else number * 2
    digits = ""
    while True:
        digit, left = left & 31, left >> 5
        digits += DIGITS[digit | (32 if left else 0)]
        if not left:
            return digits
