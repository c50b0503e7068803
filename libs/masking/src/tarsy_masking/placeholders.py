"""Placeholders of secrets: the kind, and within a session which one it was, so that agents can still correlate."""

import hashlib
import hmac
import re
from collections.abc import Callable
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


class KeyedPlaceholder:
    """`[MASKED_TOKEN_1a2b3c4d]`: nobody without the key can try out secrets, or compare those of two sessions.

    Each alert and each call of a tool has one, mostly without a secret: nothing is computed before the first.
    """

    __slots__ = ("_key", "_of_session", "_session_id")

    def __init__(self, key: bytes, session_id: str) -> None:
        self._key = key
        self._session_id = session_id
        self._of_session = b""

    def __call__(self, label: bytes, secret: bytes) -> bytes:
        if not self._of_session:
            self._of_session = hmac.digest(self._key, self._session_id.encode(), hashlib.sha256)
        digits = hmac.digest(self._of_session, _normalize_secret(secret), hashlib.sha256).hex()[:DIGITS].encode()
        return _LABEL.sub(lambda found: found[1] + b"_" + digits + b"]", label, count=1)


def _normalize_secret(secret: bytes) -> bytes:
    if b"%" in secret:
        secret = unquote_to_bytes(secret)
    return _WRITING.sub(b"", secret)
