"""Private keys whose lines have something before or after them: time stamps, names of pods, numbers of lines, JSON."""

from typing import Any

from tarsy_masking.edits import Edit
from tarsy_masking.patterns import compile_regex
from tarsy_masking.regions.region import NO_REGIONS, RegionEdits, Regions, line_end

RULE = "private_key_lines"
LABEL = b"[MASKED_PRIVATE_KEY]"
_BEGIN = compile_regex(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_LONG_RUN = compile_regex(r"[A-Za-z0-9+/]{40,}={0,2}")
_RUN = compile_regex(r"[A-Za-z0-9+/]{4,}={0,2}")
# Lines between BEGIN and the key: headers, and what else writes into the same log.
_BEFORE_KEY = 6
_COLUMNS = 3


def key_lines(text: bytes) -> Regions:
    if b"PRIVATE KEY" not in text:
        return NO_REGIONS
    edits: list[Edit] = []
    position, open_since = 0, None
    while (begin := _BEGIN.search(text, position)) is not None:
        key = _find_key(text, begin.end())
        edits += key.edits
        position = key.stop
        open_since = None if key.ended else begin.start()
    return Regions(edits, open_since)


def _find_key(text: bytes, begin: int) -> RegionEdits:
    edits: list[Edit] = []
    column: int | None = None
    missing = 0
    start = line_end(text, begin) + 1
    rest = text[begin : start - 1]
    if b"-----" in rest or b"[MASKED_" in rest or _LONG_RUN.search(rest) is not None:
        return RegionEdits(edits, begin, ended=True)
    while start <= len(text):
        end = line_end(text, start)
        if b"-----" in text[start:end]:
            return RegionEdits(edits, start, ended=True)
        run = _find_run(text, start, end, column)
        if run is None:
            missing += 1
            if end < len(text) and (column is not None or missing > _BEFORE_KEY):
                return RegionEdits(edits, start, ended=True)
        else:
            first, last = run.span()
            column = first - start
            edits.append(Edit(first, last, LABEL, text[first:last], RULE))
        start = end + 1
    return RegionEdits(edits, len(text), ended=False)


def _find_run(text: bytes, start: int, end: int, column: int | None) -> Any:
    """The part of the line that is the key's."""
    run = _LONG_RUN.search(text, start, end)
    if run is not None or column is None:
        return run
    near = _RUN.search(text, min(end, max(start, start + column - _COLUMNS)), end)
    return near if near is not None and near.start() - start <= column + _COLUMNS else None
