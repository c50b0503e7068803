"""Encoded texts: base64, in any of its alphabets, with percent signs or in lines, read as what was encoded."""

from base64 import b64decode
from binascii import Error
from urllib.parse import unquote_to_bytes

from tarsy_masking.patterns import compile_regex
from tarsy_masking.scanning.entropy import looks_chosen

_URL_ALPHABET = bytes.maketrans(b"-_", b"+/")
_BETWEEN_LINES = compile_regex(r"\\+[rn]|[^A-Za-z0-9+/]")
_LOGIN = compile_regex(r"([a-z][\w.@+-]{1,62}):([^\s:/]{8,128})\s?")


def decode(value: bytes) -> bytes | None:
    """The text, or None where the value is no base64. Padding and line ends are left out."""
    plain = unquote_to_bytes(value) if b"%" in value else value
    digits = _BETWEEN_LINES.sub(b"", plain.translate(_URL_ALPHABET))
    try:
        return b64decode(digits + b"=" * (-len(digits) % 4))
    except Error:
        return None


def is_login(text: bytes) -> bool:
    """Whether it is a user, a colon and a password, as `Basic` has them. Digests and names of images are none."""
    login = _LOGIN.fullmatch(text)
    return login is not None and looks_chosen(login[2])
