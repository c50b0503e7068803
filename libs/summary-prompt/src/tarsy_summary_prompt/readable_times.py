"""Readable times beside numbers that count since 1970: a model is bad at this division. Pure."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import islice, pairwise

from tarsy_summary_prompt.rows import Rows
from tarsy_timestamps.epoch_numbers import EpochNumber, find_epochs

SHARE_OF_TIMES = 16
TIME_BYTES = len(" [= 2026-11-23 10:05:00.000 UTC]")
MOST_KINDS = 200
"""That are asked for such a number, by their first line."""


def has_epochs(rows: Rows, near: datetime) -> bool:
    kinds = islice((kind for kind in rows.kinds if kind.rows), MOST_KINDS)
    return any(True for kind in kinds for _ in find_epochs(rows.text(kind.rows[0]), near))


def with_readable_times(text: str, near: datetime, budget: int) -> str:
    """The text with at most `budget` bytes more. If they are too few, the times are evenly spaced."""
    most, found = budget // TIME_BYTES, list(find_epochs(text, near))
    if not found or most < 1:
        return text
    return "".join(_parts_with_times(text, found[:: -(-len(found) // most)]))


def _parts_with_times(text: str, found: Sequence[EpochNumber]) -> Iterator[str]:
    ends = [one.end for one in found]
    yield text[: ends[0]]
    for one, (begin, end) in zip(found, pairwise([*ends, len(text)]), strict=True):
        yield f" [= {one.moment:%Y-%m-%d %H:%M:%S}.{one.moment.microsecond // 1000:03} UTC]"
        yield text[begin:end]
