"""Edits of a text: the places at which a placeholder stands for a secret."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from tarsy_masking.placeholders import Placeholder

_PLACEHOLDER = b"[MASKED_"
_AROUND = 512


class Edit(NamedTuple):
    """The label goes where the text from start to stop was; the secret is what its digits are made from."""

    start: int
    stop: int
    label: bytes
    secret: bytes
    rule: str

    def move(self, by: int) -> "Edit":
        return self._replace(start=self.start + by, stop=self.stop + by)


class AppliedEdit(NamedTuple):
    """An edit as it was made: what it wrote."""

    start: int
    stop: int
    text: bytes
    rule: str


def apply_labels(edits: Iterable[Edit], placeholder: Placeholder) -> list[AppliedEdit]:
    return [AppliedEdit(edit.start, edit.stop, placeholder(edit.label, edit.secret), edit.rule) for edit in edits]


def rewrite(text: bytes, edits: Sequence[AppliedEdit]) -> bytes:
    """The edits lie in order, none over another."""
    pieces: list[bytes] = []
    end = 0
    for edit in edits:
        pieces += (text[end : edit.start], edit.text)
        end = edit.stop
    return b"".join((*pieces, text[end:]))


def split_into_parts(text: bytes, least: int) -> Iterator[tuple[int, int]]:
    """Parts that are as long at least, but the last. Each ends where a line does."""
    start = 0
    while start < len(text):
        end = text.find(b"\n", start + least)
        stop = len(text) if end < 0 else end + 1
        yield start, stop
        start = stop


class LineExtract:
    """Some lines of a text as a text of their own. An edit of it lies within one line, and has a place in the whole."""

    def __init__(self, text: bytes, lines: Sequence[tuple[int, int]]) -> None:
        self.text = b"\n".join(text[start:stop] for start, stop in lines)
        self._originals = [start for start, _ in lines]
        lengths = accumulate((stop - start + 1 for start, stop in lines), initial=0)
        self._starts = list(lengths)[:-1]

    def in_whole(self, edits: Iterable[Edit]) -> list[Edit]:
        return [self._to_whole_text(edit) for edit in edits]

    def _to_whole_text(self, edit: Edit) -> Edit:
        line = bisect_right(self._starts, edit.start) - 1
        return edit.move(self._originals[line] - self._starts[line])


def extract_changed_lines(text: bytes, edits: Sequence[AppliedEdit]) -> LineExtract:
    """The lines of the rewritten text on which something changed."""
    lines: list[tuple[int, int]] = []
    shift = end = 0
    for edit in edits:
        start, stop = edit.start + shift, edit.start + shift + len(edit.text)
        shift += len(edit.text) - (edit.stop - edit.start)
        if lines and stop <= end:
            continue
        begin = text.rfind(b"\n", end, start) + 1 or end
        end = text.find(b"\n", stop)
        end = len(text) if end < 0 else end
        lines.append((begin, end))
    return LineExtract(text, lines)


def surroundings(text: bytes) -> list[tuple[int, int]]:
    """The lines around all placeholders; those that are near go together."""
    found: list[tuple[int, int]] = []
    position = text.find(_PLACEHOLDER)
    while position >= 0:
        start = text.rfind(b"\n", 0, max(0, position - _AROUND)) + 1
        stop = text.find(b"\n", position + _AROUND)
        stop = len(text) if stop < 0 else stop + 1
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], stop)
        else:
            found.append((start, stop))
        position = text.find(_PLACEHOLDER, max(position + 1, stop - _AROUND))
    return found


@dataclass(slots=True)
class _Place:
    """`start` and `stop` in the original text, `now` in the present one."""

    start: int
    stop: int
    now: int
    text: bytes
    rule: str

    @property
    def now_stop(self) -> int:
        return self.now + len(self.text)


class EditHistory:
    """Edits on edited text, told as edits of the original."""

    def __init__(self) -> None:
        self.segments: list[_Place] = []

    def add(self, edits: Sequence[AppliedEdit]) -> None:
        starts = [segment.now for segment in self.segments]
        made = [self._to_original_place(edit, starts) for edit in self._join_in_segments(edits, starts)]
        kept = [old for old in self.segments if not _lies_within(old, made)]
        self.segments = sorted((*kept, *made), key=lambda place: place.start)
        shift = 0
        for segment in self.segments:
            segment.now = segment.start + shift
            shift += len(segment.text) - (segment.stop - segment.start)

    def move(self, start: Callable[[int], int], stop: Callable[[int], int]) -> None:
        """Tells the places in another original."""
        for segment in self.segments:
            segment.start, segment.stop = start(segment.start), stop(segment.stop)

    def list_applied(self) -> list[AppliedEdit]:
        return [AppliedEdit(segment.start, segment.stop, segment.text, segment.rule) for segment in self.segments]

    def _join_in_segments(self, edits: Sequence[AppliedEdit], starts: Sequence[int]) -> list[AppliedEdit]:
        """Edits that cut the same placeholder are one: their places in the original would lie over each other."""
        joined: list[AppliedEdit] = []
        for edit in edits:
            cut = self._segment_at(edit.start, starts)
            if joined and cut is not None and joined[-1].stop > cut.now:
                first = joined.pop()
                between = cut.text[first.stop - cut.now : edit.start - cut.now]
                edit = AppliedEdit(first.start, edit.stop, first.text + between + edit.text, first.rule)
            joined.append(edit)
        return joined

    def _segment_at(self, now: int, starts: Sequence[int]) -> _Place | None:
        index = bisect_right(starts, now) - 1
        return self.segments[index] if index >= 0 and now < self.segments[index].now_stop else None

    def _to_original_place(self, edit: AppliedEdit, starts: Sequence[int]) -> _Place:
        """The rest of a placeholder that the edit cuts goes with it: it has no place of its own in the original."""
        first, last = self._segment_at(edit.start, starts), self._segment_at(edit.stop - 1, starts)
        start, stop, text = edit.start, edit.stop, edit.text
        if first is None:
            start = self._to_original_offset(start, bisect_right(starts, start) - 1)
        else:
            start, text = first.start, first.text[: start - first.now] + text
        if last is None:
            stop = self._to_original_offset(stop, bisect_right(starts, stop - 1) - 1)
        else:
            stop, text = last.stop, text + last.text[stop - last.now :]
        return _Place(start, stop, edit.start, text, edit.rule)

    def _to_original_offset(self, now: int, index: int) -> int:
        """The offset lies behind that segment, and in none."""
        return now if index < 0 else self.segments[index].stop + now - self.segments[index].now_stop


def _lies_within(old: _Place, made: Sequence[_Place]) -> bool:
    index = bisect_right(made, old.start, key=lambda place: place.start) - 1
    return index >= 0 and old.stop <= made[index].stop
