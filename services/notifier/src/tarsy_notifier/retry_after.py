"""Retry-After: how long a receiver wants to be left alone."""

from collections.abc import Mapping

LONGEST_SECONDS = 600.0


def retry_after_seconds(headers: Mapping[str, str]) -> float:
    """0 where the receiver does not say it in seconds."""
    told = {name.lower(): value for name, value in headers.items()}.get("retry-after", "").strip()
    return min(float(told), LONGEST_SECONDS) if told.isdecimal() and told.isascii() else 0.0
