"""Folding of text for the search: escape sequences and invisible characters go, wide and curly ones become plain.

Finds in the folded text are replaced in the original, so all else comes out as it went in.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from tarsy_masking.patterns import compile_regex

# Sequences of terminals, also as JSON writes them; soft hyphens, zero-width and direction marks, byte order marks.
_REMOVED = (
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)|\x1b[@-Z\\^_]"
    r"|\\+(?:u001[bB]|x1[bB]|033|e)\[[0-9;]*[mK]"
    r"|\xc2\xad|\xe2\x80[\x8b-\x8f\xaa-\xae]|\xe2\x81[\xa0-\xa4]|\xef\xbb\xbf"
)
_SPACES = r"\xc2\xa0|\xe2\x80[\x80-\x8a\xaf]|\xe3\x80\x80"
_WIDE = r"\xef\xbc[\x81-\xbf]|\xef\xbd[\x80-\x9e]"
_CURLY = r"\xe2\x80[\x98-\x9f]"
_FOLDED = compile_regex(f"({_REMOVED})|({_SPACES})|({_WIDE})|({_CURLY})")
_UNFINISHED = compile_regex(r"\x1b(?:\[[0-?]*[ -/]*|\][^\x07\x1b\n]*)?\z")
_ESCAPE = compile_regex(r"(?:u001[bB]|x1[bB]|033|\\e)\[")
_DOUBLE_QUOTES_FROM = 0x9C


@dataclass(frozen=True, slots=True)
class FoldedText:
    """`text` is what is searched. Positions in it have one in the original."""

    text: bytes
    starts: Sequence[int]
    originals: Sequence[int]
    widths: Sequence[int]
    """The length in the original of a folded character; 0 where a part of the text begins that is as it was."""

    def start(self, position: int) -> int:
        """Where the character at the position begins."""
        part = bisect_right(self.starts, position) - 1
        return self.originals[part] + (0 if self.widths[part] else position - self.starts[part])

    def stop(self, position: int) -> int:
        """Where the character before the position ends."""
        part = bisect_right(self.starts, position - 1) - 1
        width = self.widths[part] or position - self.starts[part]
        return self.originals[part] + width


def fold(text: bytes) -> FoldedText | None:
    """None where there is nothing to fold."""
    if text.isascii() and not _may_escape(text):
        return None
    pieces: list[bytes] = []
    starts, originals, widths = [0], [0], [0]
    end = length = 0
    for found in _FOLDED.finditer(text):
        start, stop = found.span()
        before, character = text[end:start], _plain_character(found)
        pieces += (before, character)
        length += len(before)
        if character:
            starts.append(length)
            originals.append(start)
            widths.append(stop - start)
        length += len(character)
        starts.append(length)
        originals.append(stop)
        widths.append(0)
        end = stop
    if not pieces:
        return None
    pieces.append(text[end:])
    return FoldedText(b"".join(pieces), starts, originals, widths)


def _may_escape(text: bytes) -> bool:
    return b"\x1b" in text or (b"\\" in text and _ESCAPE.search(text) is not None)


def ends_in_escape(text: bytes) -> bool:
    """Whether a sequence has begun that more text may finish."""
    return b"\x1b" in text[-256:] and _UNFINISHED.search(text) is not None


def _plain_character(found: object) -> bytes:
    removed, space, wide, curly = found.groups()  # type: ignore[attr-defined]
    if removed is not None:
        return b""
    if space is not None:
        return b" "
    if wide is not None:
        return bytes([ord(wide.decode()) - 0xFEE0])
    return b'"' if curly[2] >= _DOUBLE_QUOTES_FROM else b"'"
