"""Text in prompts: fences around text from outside that it cannot forge, shortening of long text, times. Pure."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime

SHORTEST_ID = 8

_LESS = "<＜﹤≮‹˂ᐸ❮≪⋘"
_MORE = ">＞﹥≯›˃ᐳ❯≫⋙"
_UNSEEN = (
    r"\x00-\x09\x0b-\x20\x7f-\xa0\xad\u0300-\u036f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u1680"
    r"\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000110bd"
    r"\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_BETWEEN = f"[{_UNSEEN}]*"
_MARK = re.compile(rf"[{_LESS}](?:{_BETWEEN}[{_LESS}]){{2,}}|[{_MORE}](?:{_BETWEEN}[{_MORE}]){{2,}}|⋘|⋙")
_SIGNS = _LESS + _MORE
_HARMLESS = str.maketrans({**dict.fromkeys(_LESS, "‹"), **dict.fromkeys(_MORE, "›")})


def fence(name: str, text: str) -> str:
    """Puts the text between the marks of `name`. Anything like a mark in it stays readable, and is none."""
    return f"<<<{name}\n{remove_marks(text.strip('\r\n')) or '(empty)'}\n{name}>>>"


def remove_marks(text: str) -> str:
    """Three brackets in a row are a mark, whatever stands behind them, also with blanks or unseen signs between them.

    As long as the text was; done twice, it is the same.
    """
    # Most texts have none of the signs, and every question of an agent fences all of its results again.
    if not any(sign in text for sign in _SIGNS):
        return text
    return _MARK.sub(lambda found: found[0].translate(_HARMLESS), text)


def to_one_line(text: str, limit: int) -> str:
    """Makes one short line: no breaks, no control characters, no marks, bounded."""
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
    return remove_marks(line if len(line) <= limit else f"{line[: limit - 1]}…")


MARK_ROOM = 50
"""A shortened text may be this long, however little room it was given: it says how much was left out."""


def share_out(needs: Sequence[int], total: int) -> list[int]:
    """A need below an equal share is met; the others share the rest equally."""
    given = [0] * len(needs)
    left = max(total, 0)
    for done, index in enumerate(sorted(range(len(needs)), key=lambda each: needs[each])):
        given[index] = min(needs[index], left // (len(needs) - done))
        left -= given[index]
    return given


def shorten(text: str, limit: int) -> str:
    """Keeps head and tail of the text, with a mark between them."""
    if len(text) <= limit:
        return text
    kept = max(limit - MARK_ROOM, 0)
    tail = kept // 3
    return f"{text[: kept - tail]}\n[... {len(text) - kept} characters left out ...]\n{text[len(text) - tail :]}"


def render_time(at: datetime) -> str:
    return f"{at.astimezone(UTC).replace(tzinfo=None).isoformat(' ', 'seconds')} UTC"


def shorten_id(call_id: str) -> str:
    """Returns the id by which an agent knows a result."""
    return call_id[:SHORTEST_ID]
