"""Charsets of bodies: as `Content-Type` names them, or as the first bytes of UTF-16 and UTF-32 say themselves."""

import codecs
import re
from collections.abc import Mapping

from tarsy_ingest.raw_alert import AlertRejectedError

CHARSET = re.compile(r""";\s*charset\s*=\s*["']?(?P<name>[A-Za-z0-9._:-]{1,40})""", re.IGNORECASE)
TEXTS = re.compile(
    r"ascii|utf-(8|16|32)(-[bl]e)?|iso8859-\d+|cp\d+|koi8-[rut]|shift_jis|euc_(jp|kr)|gb(k|2312|18030)|big5"
)
"""Python's names. Its other codecs are no charsets of the web, and some take long."""
MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def to_utf8(raw: bytes, headers: Mapping[str, str]) -> bytes:
    """Names of `headers` in lower case. Raises AlertRejectedError."""
    named = CHARSET.search(headers.get("content-type", ""))
    charset = _known_charset(named["name"]) if named else _charset_by_mark(raw)
    if charset in ("utf-8", "ascii"):
        return raw
    try:
        return raw.decode(charset).removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}").encode()
    except UnicodeError:
        raise AlertRejectedError(((), f"is not {charset} text")) from None


def _known_charset(name: str) -> str:
    try:
        found = codecs.lookup(name).name
    except LookupError:
        found = ""
    if TEXTS.fullmatch(found) is None:
        raise AlertRejectedError(((), "has an unknown charset: send UTF-8"))
    return found


def _charset_by_mark(raw: bytes) -> str:
    return next((charset for mark, charset in MARKS if raw.startswith(mark)), "utf-8")
