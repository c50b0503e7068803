"""Seconds, and thousandths to billionths of them, since 1970: as stamps of lines. Pure."""

import re
from datetime import UTC, datetime

NAMES = ("@timestamp", "timestamp", "time", "ts", "t", "eventTime", "event_time", "datetime", "date", "$date", "at")
"""Names of the field that holds a line's stamp."""
NUMBER = r"(?P<whole>[0-9]{10})(?P<thousandths>(?:[0-9]{3}){0,3})(?:\.(?P<fraction>[0-9]{1,9}))?(?![0-9.])"
SCIENTIFIC = r"(?P<mantissa>1\.[0-9]{5,18})[eE]\+?0?9(?![0-9.])"
AT_START = re.compile(rf"[\[( ]?(?:{NUMBER}|{SCIENTIFIC})")
IN_FIELD = re.compile(
    rf"""(?:(?<![\w.@$-])(?:{"|".join(map(re.escape, NAMES))})"?[ ]?[=:][ ]?"?|audit\()(?:{NUMBER}|{SCIENTIFIC})"""
)
TEN_DIGITS = re.compile(r"[0-9.]{7}[0-9eE+]{3}")
"""Without them there is no such number: most lines are done with this."""
EARLIEST = 1_000_000_000
LATEST = 4_102_444_800
"""From 2001 to 2099. Other numbers of ten digits are no times."""


def epoch_at_start(line: str) -> datetime | None:
    return _moment_of_match(AT_START.match(line))


def epoch_in_field(line: str) -> datetime | None:
    """In a field that is named like a stamp."""
    return _moment_of_match(IN_FIELD.search(line)) if TEN_DIGITS.search(line) else None


def _moment_of_match(found: re.Match[str] | None) -> datetime | None:
    if found is None:
        return None
    if found["mantissa"]:
        return moment_of(int(float(found["mantissa"]) * 1e9), "")
    return moment_of(int(found["whole"]), found["thousandths"] or found["fraction"] or "")


def moment_of(seconds: int, fraction: str) -> datetime | None:
    if not EARLIEST <= seconds < LATEST:
        return None
    return datetime.fromtimestamp(seconds, UTC).replace(microsecond=int(f"{fraction:0<6}"[:6]))
