"""Text from outside, between marks that it cannot write itself. Pure."""

import re

_LESS = "<＜﹤≮‹˂ᐸ❮≪⋘"
_MORE = ">＞﹥≯›˃ᐳ❯≫⋙"
_UNSEEN = (
    r"\x00-\x09\x0b-\x20\x7f-\xa0\xad\u0300-\u036f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u1680"
    r"\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000110bd"
    r"\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_BETWEEN = f"[{_UNSEEN}]*"
_MARK = re.compile(rf"[{_LESS}](?:{_BETWEEN}[{_LESS}]){{2,}}|[{_MORE}](?:{_BETWEEN}[{_MORE}]){{2,}}|⋘|⋙")
_HARMLESS = str.maketrans({**dict.fromkeys(_LESS, "‹"), **dict.fromkeys(_MORE, "›")})


def fenced(name: str, text: str) -> str:
    """The text between the marks of `name`. What looks like a mark in it stays readable, and is none."""
    return f"<<<{name}\n{without_marks(text.strip('\r\n')) or '(empty)'}\n{name}>>>"


def without_marks(text: str) -> str:
    """Three brackets in a row are a mark, whatever stands behind them, also with blanks or unseen signs between them.

    As long as the text was; done twice, it is the same.
    """
    return _MARK.sub(lambda found: found[0].translate(_HARMLESS), text)


def one_line(text: str, limit: int) -> str:
    """For what should be one short line: no breaks, no control characters, no marks, and an end."""
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
    return without_marks(line if len(line) <= limit else f"{line[: limit - 1]}…")
