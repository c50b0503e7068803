"""How texts that are too long together get shorter. Pure."""

from collections.abc import Sequence

MARK_ROOM = 50
"""A shortened text may be this long, however little room it was given: it says how much was left out."""


def shares(needs: Sequence[int], total: int) -> list[int]:
    """Who needs less than an equal share gets what it needs; the others share the rest equally."""
    given = [0] * len(needs)
    left = max(total, 0)
    for done, index in enumerate(sorted(range(len(needs)), key=lambda each: needs[each])):
        given[index] = min(needs[index], left // (len(needs) - done))
        left -= given[index]
    return given


def shortened(text: str, limit: int) -> str:
    """Its head and its tail, with a mark between them."""
    if len(text) <= limit:
        return text
    kept = max(limit - MARK_ROOM, 0)
    tail = kept // 3
    return f"{text[: kept - tail]}\n[... {len(text) - kept} characters left out ...]\n{text[len(text) - tail :]}"
