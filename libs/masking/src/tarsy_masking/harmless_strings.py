"""Harmless strings of a JSON value: no pattern finds anything in them. One search over all of them finds out."""

from bisect import bisect_right
from collections.abc import Iterable

from tarsy_masking.json_strings import strings_of, together
from tarsy_masking.json_value import JsonValue
from tarsy_masking.known_harmless import KnownHarmless
from tarsy_masking.scanning.scanner import Scan

_SHORT_STRING = 4_096
"""Longer strings are looked at by themselves."""
_FEW_STRINGS = 64
"""The strings of a larger value rarely come again."""


def harmless_strings(value: JsonValue, scans: Iterable[Scan], known: KnownHarmless) -> dict[str, str]:
    """Each with itself as its mask, but those that are known. Strings that more than patterns look into are not among
    them."""
    if not isinstance(value, dict | list):
        return {}
    try:
        strings = [string for string in strings_of(value) if string not in known]
        if not strings:
            return {}
        text, starts = together(strings)
    except RecursionError:
        return {}
    suspicious = bytearray(len(strings))
    for scan in scans:
        for start, stop in scan.suspects(text):
            first, last = bisect_right(starts, start) - 1, bisect_right(starts, stop) - 1
            for number in range(max(0, first), last + 1):
                suspicious[number] = True
    harmless = {
        string: string
        for string, suspected in zip(strings, suspicious, strict=True)
        if not suspected and _is_plain_text(string)
    }
    if len(strings) <= _FEW_STRINGS:
        known.add_all(harmless)
    return harmless


def _is_plain_text(string: str) -> bool:
    """Nothing but patterns could find a secret in it."""
    return (
        len(string) < _SHORT_STRING
        and "\n" not in string
        and string.isascii()
        and "Secret" not in string
        and "\x1b" not in string
        and "\\" not in string
    )
