"""What stands where a secret was: its kind, and within a session which one it was: agents can still correlate."""

import hashlib
import hmac
from collections.abc import Callable

DIGITS = 8

type Placeholder = Callable[[bytes, bytes], bytes]
"""From a label such as `[MASKED_TOKEN]` and the secret to what is written. The same secret is told by the same digits,
whatever its label."""


def plain(label: bytes, secret: bytes) -> bytes:
    return label


def keyed(key: bytes, session_id: str) -> Placeholder:
    """`[MASKED_TOKEN_1a2b3c4d]`: nobody without the key can try out secrets, or compare those of two sessions."""
    of_session = hmac.digest(key, session_id.encode(), hashlib.sha256)

    def placeholder(label: bytes, secret: bytes) -> bytes:
        digits = hmac.digest(of_session, secret, hashlib.sha256).hex()[:DIGITS].encode()
        return label.replace(b"]", b"_" + digits + b"]", 1)

    return placeholder
