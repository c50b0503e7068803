"""Values of several lines beside telling names: block and folded scalars of YAML, here-documents, tripled quotes."""

from typing import Any

from tarsy_masking.edits import Edit
from tarsy_masking.patterns import PatternFile, compile_regex
from tarsy_masking.regions import NO_REGIONS, Regions, line_end

RULE = "block_scalar"


class BlockScalars:
    def __init__(self, source: PatternFile) -> None:
        self._never_secret = compile_regex(source.never_secret)
        self._head = compile_regex(
            rf"""(?im)^([ \t]*(?:-[ \t]+)*)["']?[\w./-]*{source.any_name}["']?[ \t]*"""
            r"(?::[ \t]*[|>][-+0-9]*[ \t]*(?:#[^\n]*)?\r?\n"
            r"""|=>?[ \t]*<<[-~]?["']?(\w+)["']?[ \t]*\r?\n|[:=][ \t]*("{3}|'{3}))"""
        )

    def __call__(self, text: bytes) -> Regions:
        if not _may_open(text):
            return NO_REGIONS
        edits: list[Edit] = []
        position, open_since = 0, None
        while (head := self._head.search(text, position)) is not None:
            start, stop, ended = _content(text, head)
            open_since = None if ended else head.start()
            secret = text[start:stop]
            if secret.strip() and not self._never_secret.fullmatch(secret):
                edits.append(Edit(start, stop, b"[MASKED_SECRET]", secret, RULE))
            position = max(stop, head.end())
        return Regions(edits, open_since)


def _may_open(text: bytes) -> bool:
    """One sign is found in a thirtieth of the time of several: those come last, and only where their first is there."""
    return (
        b"|" in text
        or b">" in text
        or (b"<" in text and b"<<" in text)
        or (b"'" in text and b"'''" in text)
        or b'"""' in text
    )


def _content(text: bytes, head: Any) -> tuple[int, int, bool]:
    """Where the value begins and ends, and whether its end is there."""
    if head.group(3) is not None:
        end = text.find(head.group(3), head.end())
        return head.end(), len(text) if end < 0 else end, end >= 0
    if head.group(2) is not None:
        return _until_line(text, head.end(), head.group(2))
    return _indented(text, head.end(), len(head.group(1)))


def _until_line(text: bytes, start: int, mark: bytes) -> tuple[int, int, bool]:
    position = start
    while position <= len(text):
        end = line_end(text, position)
        if text[position:end].strip() == mark and end < len(text):
            return start, max(start, position - 1), True
        position = end + 1
    return start, len(text), False


def _indented(text: bytes, start: int, column: int) -> tuple[int, int, bool]:
    first = last = start
    position, begun = start, False
    while position <= len(text):
        end = line_end(text, position)
        line = text[position:end].rstrip()
        indent = len(line) - len(line.lstrip(b" \t"))
        if line and indent <= column:
            return first, last, True
        if line:
            first = first if begun else position + indent
            last, begun = position + len(line), True
        position = end + 1
    return first, last, False
