"""Numbers in headers and keys, which strangers write, too: None for what is none that we write."""

from datetime import UTC, datetime

MOST_DIGITS = 18
LATEST_MS = 253_402_300_799_999
"""The end of the last year that a date has."""


def read_number(raw: bytes | None) -> int | None:
    if raw is None or len(raw) > MOST_DIGITS or not raw.isdigit():
        return None
    return int(raw)


def read_time_ms(raw: bytes | None) -> int | None:
    """Milliseconds since 1970."""
    number = read_number(raw)
    return None if number is None or number > LATEST_MS else number


def read_time(raw: bytes | None) -> datetime | None:
    stamp = read_time_ms(raw)
    return None if stamp is None else datetime.fromtimestamp(stamp / 1000, UTC)
