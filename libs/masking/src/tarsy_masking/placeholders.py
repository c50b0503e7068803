"""Placeholders of secrets: the kind, and within a session which one it was, so that agents can still correlate."""

import hashlib
import hmac
import re
from collections.abc import Callable
from functools import cache
from urllib.parse import unquote_to_bytes

DIGITS = 8
_LABEL = re.compile(rb"(\[MASKED_[A-Z0-9_]+)\]")
# How a value is written differs from place to place: escaped in JSON, in lines in YAML, with %40 in a URL.
_WRITING = re.compile(rb"\\+[rnt]?|\s")

type Placeholder = Callable[[bytes, bytes], bytes]
"""From a label such as `[MASKED_TOKEN]` and the secret to the text that is written. The same secret has the same
digits, whatever its label and however it is quoted. An encoded secret (the base64 of a Kubernetes Secret's data) counts
as it stands."""


def plain(label: bytes, secret: bytes) -> bytes:
    return label


def keyed(key: bytes, session_id: str) -> Placeholder:
    """`[MASKED_TOKEN_1a2b3c4d]`: nobody without the key can try out secrets, or compare those of two sessions."""

    @cache
    def of_session() -> bytes:
        return hmac.digest(key, session_id.encode(), hashlib.sha256)

    def placeholder(label: bytes, secret: bytes) -> bytes:
        digits = hmac.digest(of_session(), _value(secret), hashlib.sha256).hex()[:DIGITS].encode()
        return _LABEL.sub(lambda found: found[1] + b"_" + digits + b"]", label, count=1)

    return placeholder


def _value(secret: bytes) -> bytes:
    if b"%" in secret:
        secret = unquote_to_bytes(secret)
    return _WRITING.sub(b"", secret)
