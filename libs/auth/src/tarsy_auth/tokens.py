"""Tokens (JWT) of one OpenID provider: checked once, and known by their digest from then on."""

import hashlib
import re
from collections import OrderedDict
from dataclasses import dataclass
from typing import cast

import jwt

from tarsy_auth.api_keys import SHOWN
from tarsy_auth.auth_config import TokenSettings
from tarsy_auth.claims import Claims, group_names_in, name_in, role_in, time_at
from tarsy_auth.identity import Identity, Refusal
from tarsy_auth.jwks import Fetch, Jwks, JwksUnavailableError, Now
from tarsy_auth.refusals import MALFORMED_TOKEN, REJECTED, TOKEN_EXPIRED, UNAVAILABLE, WITHOUT_ROLE
from tarsy_auth.roles import Role
from tarsy_auth.session_groups import FindGroups, VisibleGroups
from tarsy_auth.signing_keys import ALGORITHMS, SigningKey

FORM = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+")
LONGEST = 16 << 10
LEEWAY_SECONDS = 30.0
"""Clocks of two machines differ by so much."""
MOST_KNOWN = 4096
CHECKS: jwt.types.Options = {
    "require": ["exp", "iss", "aud"],
    # PyJWT asks the clock of the machine. Times are checked here, by the clock that came in.
    "verify_exp": False,
    "verify_nbf": False,
    "verify_iat": False,
}


@dataclass(frozen=True, slots=True)
class VerifiedToken:
    """It counts until `until`, and while the provider has this key."""

    identity: Identity
    key: SigningKey
    until: float


class Tokens:
    """Identities of tokens. `groups_of` finds the session groups that the file names."""

    def __init__(self, settings: TokenSettings, fetch: Fetch, now: Now, groups_of: FindGroups) -> None:
        self._groups_of = groups_of
        self._settings = settings
        self._jwks = Jwks(settings.jwks, fetch, now)
        self._now = now
        self._known: OrderedDict[bytes, VerifiedToken] = OrderedDict()

    async def identify(self, token: str) -> Identity | Refusal:
        if len(token) > LONGEST or not FORM.fullmatch(token):
            return MALFORMED_TOKEN
        digest = hashlib.sha256(token.encode()).digest()
        known = self._known.get(digest)
        if known is not None and self._is_still_valid(known):
            return known.identity
        self._known.pop(digest, None)
        try:
            found = await self._verify_token(token, digest.hex()[:SHOWN])
        except JwksUnavailableError:
            return UNAVAILABLE
        if isinstance(found, Refusal):
            return found
        self._remember_token(digest, found)
        return found.identity

    def _is_still_valid(self, known: VerifiedToken) -> bool:
        return self._now() < known.until and self._jwks.current(known.key.kid) == known.key

    def _remember_token(self, digest: bytes, found: VerifiedToken) -> None:
        self._known[digest] = found
        if len(self._known) > MOST_KNOWN:
            self._known.popitem(last=False)

    async def _verify_token(self, token: str, credential: str) -> VerifiedToken | Refusal:
        """Raises JwksUnavailableError."""
        try:
            header = jwt.get_unverified_header(token)
        except jwt.PyJWTError:
            return REJECTED
        algorithm, kid = header.get("alg"), header.get("kid")
        # Checked before the key lookup: an invalid token must not cause a fetch.
        if not isinstance(algorithm, str) or algorithm not in ALGORITHMS:
            return REJECTED
        key = await self._jwks.find(kid)
        if key is None or algorithm not in key.algorithms:
            return REJECTED
        try:
            claims = self._decode_claims(token, algorithm, key)
            return self._judge_claims(claims, key, credential)
        except (jwt.PyJWTError, ValueError, TypeError, OverflowError, RecursionError):
            return REJECTED

    def _decode_claims(self, token: str, algorithm: str, key: SigningKey) -> Claims:
        """Signature, issuer and audience are right. Raises jwt.PyJWTError."""
        settings = self._settings
        return cast(
            "Claims",
            jwt.decode(
                token,
                key.public_key,
                algorithms=[algorithm],
                audience=settings.audience,
                issuer=settings.issuer,
                options=CHECKS,
            ),
        )

    def _judge_claims(self, claims: Claims, key: SigningKey, credential: str) -> VerifiedToken | Refusal:
        """Raises ValueError for a time that is none."""
        now = self._now()
        expires, *begins = (time_at(claims, name) for name in ("exp", "nbf", "iat"))
        if expires is None or any(begin is not None and now < begin - LEEWAY_SECONDS for begin in begins):
            return REJECTED
        until = expires + LEEWAY_SECONDS
        if now >= until:
            return TOKEN_EXPIRED
        name = name_in(claims, self._settings.name)
        if name is None:
            return REJECTED
        role = role_in(claims, self._settings.roles)
        if role is None:
            return WITHOUT_ROLE
        identity = Identity(name, role, "token", credential, until, self._groups_in(claims, role))
        return VerifiedToken(identity, key, until)

    def _groups_in(self, claims: Claims, role: Role) -> VisibleGroups:
        limit = self._settings.session_groups
        return None if limit is None or role.sees_all else self._groups_of(group_names_in(claims, limit))
