"""Title of an alert whose sender gave it none: a field that says it, or else the first line. Pure."""

import re
from collections.abc import Sequence

from tarsy_ingest.intake.json_fields import Fields, find_first

LENGTH = 120
"""Characters of a derived title."""
LOOKED_AT = 2_000
"""Characters that are looked at: far more than are shown, as masking may shorten them."""

NAMES = ("title", "summary", "alertname", "alert_name", "subject", "message", "name")
"""JSON fields that say what an alert is about, the best first."""
MARKUP = re.compile(r"^[\s#>*=\-]+")


def derive_title(text: str, objects: Sequence[Fields]) -> str:
    """In one line, not cut yet: a secret that was cut is not recognised. Empty where the text is blank."""
    named = next((found for name in NAMES if (found := find_first(objects, (name,)))), None)
    if named is not None:
        return " ".join(named[:LOOKED_AT].split())
    if objects:
        return " ".join(text.strip()[:LOOKED_AT].split())
    return _first_line(text)


def cut_at_word(text: str, most: int) -> str:
    """At most so many characters, the last of which shows that there are more."""
    if len(text) <= most:
        return text
    head, blank, _ = text[:most].rpartition(" ")
    return f"{(head if blank and len(head) >= most // 2 else text[: most - 1]).rstrip()}…"


def _first_line(text: str) -> str:
    """The first line with a letter or a digit, without the marks of a heading; else the first that is not blank."""
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        line = text[start : min(end, start + LOOKED_AT)]
        if any(character.isalnum() for character in line):
            return " ".join(MARKUP.sub("", line).split())
        start = end + 1
    return " ".join(text.lstrip()[:LOOKED_AT].partition("\n")[0].split())
