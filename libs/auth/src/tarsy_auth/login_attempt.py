"""Login attempt: the secrets of one login (state, nonce, PKCE), which the browser keeps until it ends."""

import hashlib
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass, field
from urllib.parse import urlencode

from tarsy_auth.api_keys import RandomBytes
from tarsy_auth.auth_config import LoginSettings
from tarsy_auth.return_path import return_path

RANDOM_BYTES = 32
SECRET = r"([A-Za-z0-9_-]{43})"
WRITTEN = re.compile(rf"{SECRET}\.{SECRET}\.{SECRET}\.([A-Za-z0-9_-]+)")


@dataclass(frozen=True, slots=True)
class LoginAttempt:
    """`verifier` is that of PKCE (RFC 7636). `to` is a return path."""

    state: str = field(repr=False)
    nonce: str = field(repr=False)
    verifier: str = field(repr=False)
    to: str


def new_attempt(wanted: str, random_bytes: RandomBytes) -> LoginAttempt:
    """`wanted`: the path to come back to. `random_bytes` as `secrets.token_bytes`."""
    state, nonce, verifier = (_text_of(random_bytes(RANDOM_BYTES)) for _ in range(3))
    return LoginAttempt(state, nonce, verifier, return_path(wanted))


def code_challenge(verifier: str) -> str:
    """By the method S256."""
    return _text_of(hashlib.sha256(verifier.encode()).digest())


def authorization_address(settings: LoginSettings, attempt: LoginAttempt) -> str:
    """At the provider, where people log in."""
    query = urlencode(
        {
            "response_type": "code",
            "client_id": settings.client_id,
            "redirect_uri": settings.redirect_uri,
            "scope": settings.scope,
            "state": attempt.state,
            "nonce": attempt.nonce,
            "code_challenge": code_challenge(attempt.verifier),
            "code_challenge_method": "S256",
        }
    )
    endpoint = settings.authorization_endpoint
    return f"{endpoint}{'&' if '?' in endpoint else '?'}{query}"


def write_attempt(attempt: LoginAttempt) -> str:
    """As a cookie can hold it."""
    return ".".join((attempt.state, attempt.nonce, attempt.verifier, _text_of(attempt.to.encode())))


def read_attempt(written: str) -> LoginAttempt | None:
    """None for what was not written here. The path is checked again: the owner of the browser can change the cookie."""
    found = WRITTEN.fullmatch(written)
    if found is None:
        return None
    state, nonce, verifier, path = found.groups()
    try:
        to = urlsafe_b64decode(path + "=" * (-len(path) % 4)).decode()
    except ValueError:
        return None
    return LoginAttempt(state, nonce, verifier, return_path(to))


def _text_of(data: bytes) -> str:
    return urlsafe_b64encode(data).decode().rstrip("=")
