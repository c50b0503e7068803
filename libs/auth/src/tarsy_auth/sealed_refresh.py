"""Sealed refresh token: encrypted by a key of ours, so that a browser can keep it and cannot use it.

AES-256-GCM. The key is derived (HKDF) from `login.refresh_key_file`. Issuer and client are authenticated data, so that
another provider's token is invalid here.
"""

import json
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass, field

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from tarsy_auth.api_keys import RandomBytes

NONCE_BYTES = 12
WRITTEN = re.compile(r"[A-Za-z0-9_-]{24,8000}")


@dataclass(frozen=True, slots=True)
class RefreshToken:
    """`subject`: the person at the provider, who stays the same over all renewals."""

    subject: str
    token: str = field(repr=False)


class RefreshSeal:
    def __init__(self, secret: bytes, issuer: str, client_id: str, random_bytes: RandomBytes) -> None:
        key = HKDF(SHA256(), 32, salt=None, info=b"tarsy page login refresh").derive(secret)
        self._cipher = AESGCM(key)
        self._bound_to = json.dumps([issuer, client_id]).encode()
        self._random_bytes = random_bytes

    def seal(self, refresh: RefreshToken) -> str:
        """As a cookie can hold it."""
        nonce = self._random_bytes(NONCE_BYTES)
        plain = json.dumps([refresh.subject, refresh.token]).encode()
        return urlsafe_b64encode(nonce + self._cipher.encrypt(nonce, plain, self._bound_to)).decode().rstrip("=")

    def open(self, sealed: str) -> RefreshToken | None:
        """None for what was not sealed here, or with another key."""
        if not WRITTEN.fullmatch(sealed):
            return None
        try:
            data = urlsafe_b64decode(sealed + "=" * (-len(sealed) % 4))
            plain = self._cipher.decrypt(data[:NONCE_BYTES], data[NONCE_BYTES:], self._bound_to)
        except (ValueError, InvalidTag):
            return None
        subject, token = json.loads(plain)
        return RefreshToken(subject, token)
