"""API keys: 256 random bits, known by their digest."""

import hashlib
import hmac
import re
from base64 import urlsafe_b64encode
from collections import defaultdict
from collections.abc import Callable, Iterable

from tarsy_auth.auth_config import ApiKeyEntry
from tarsy_auth.identity import Identity, Refusal
from tarsy_auth.refusals import KEY_EXPIRED, MALFORMED_KEY, UNKNOWN
from tarsy_auth.session_groups import FindGroups

PREFIX = "tarsy_"
RANDOM_BYTES = 32
FORM = re.compile(r"tarsy_[A-Za-z0-9_-]{43}")
INDEXED = 16
SHOWN = 12
"""Digits of a digest: those that find it, and those that name a credential on the record."""

type RandomBytes = Callable[[int], bytes]


def new_key(random_bytes: RandomBytes) -> str:
    """`random_bytes` as `secrets.token_bytes`."""
    return PREFIX + urlsafe_b64encode(random_bytes(RANDOM_BYTES)).decode().rstrip("=")


def digest_of(credential: str) -> str:
    """SHA-256, in hexadecimal.

    A slow hash (bcrypt, argon2) protects what people choose, as that can be guessed. 256 random bits cannot be guessed,
    whatever the hash costs. A slow hash would cost each request as much as an attacker's.
    """
    return hashlib.sha256(credential.encode()).hexdigest()


class ApiKeys:
    """Those of the file. `groups_of` finds the session groups that an entry names."""

    def __init__(self, entries: Iterable[ApiKeyEntry], groups_of: FindGroups) -> None:
        self._groups_of = groups_of
        self._entries: dict[str, list[ApiKeyEntry]] = defaultdict(list)
        for entry in entries:
            self._entries[entry.sha256[:INDEXED]].append(entry)

    def identify(self, key: str, now: float) -> Identity | Refusal:
        if not FORM.fullmatch(key):
            return MALFORMED_KEY
        digest = digest_of(key)
        # Constant time, though a digest that is nearly right helps nobody to find its key.
        known = self._entries.get(digest[:INDEXED], ())
        entry = next((entry for entry in known if hmac.compare_digest(entry.sha256, digest)), None)
        if entry is None:
            return UNKNOWN
        if entry.has_expired(now):
            return KEY_EXPIRED
        expires_at = None if entry.expires is None else entry.expires.timestamp()
        groups = self._groups_of(entry.session_groups)
        return Identity(entry.name, entry.role, "api_key", digest[:SHOWN], expires_at, groups)
