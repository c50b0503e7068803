"""Numbers in a text that count seconds, or thousandths to billionths of them, since 1970. Pure, and linear."""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from tarsy_timestamps.epochs import NUMBER, moment_of

ALONE = re.compile(rf"(?<![\w.+-]){NUMBER}(?![\w-])")
THOUSANDTHS = 13
"""Digits. Few other numbers have as many and lie near the present, so that these need no name."""
LONGEST_NAME = 48
NAME = re.compile(r"[\w@$.-]+\Z")
NAMES_OF_TIMES = re.compile(
    r"(?i:stamp|epoch|expir|deadline|time(?!out)|created|modified|seen|since|until)|[a-z](?:At|Date)|^date"
    r"|(?:^|[_.@$-])(?i:ts|t|at|exp|iat|nbf)(?:[_-]?(?:s|sec|seconds|ms|millis|us|micros|ns|nanos?))?\Z"
)
NEAR = timedelta(days=3_653)


class EpochNumber(NamedTuple):
    """`end`: where its digits end."""

    end: int
    moment: datetime


def find_epochs(text: str, near: datetime) -> Iterator[EpochNumber]:
    """Numbers within ten years of `near` that are alone, in a field named like a time, or where samples have their
    time.
    """
    for found in ALONE.finditer(text):
        moment = moment_of(int(found["whole"]), found["thousandths"] or found["fraction"] or "")
        if moment is None or abs(moment - near) > NEAR:
            continue
        if found.end("thousandths") - found.start() == THOUSANDTHS or _is_named_or_first(text, found.start()):
            yield EpochNumber(found.end(), moment)


def _is_named_or_first(text: str, start: int) -> bool:
    """At the begin of a line or a list, as in the samples of Prometheus, or behind the name of a time."""
    before = text[max(0, start - LONGEST_NAME) : start]
    if not before or before.endswith(("\n", "\n[", "[[", "],[", "], [", 'value":[', 'value": [', "audit(")):
        return True
    field = before.rstrip(' "')
    if not field.endswith((":", "=")):
        return False
    name = NAME.search(field[:-1].rstrip(' "'))
    return name is not None and NAMES_OF_TIMES.search(name[0]) is not None
