"""Public keys of an OpenID provider, read from a JWKS (RFC 7517). Keys that cannot be used are left out."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from jwt.algorithms import AllowedPublicKeys, ECAlgorithm, OKPAlgorithm, RSAAlgorithm
from jwt.exceptions import PyJWTError
from pydantic import JsonValue

from tarsy_auth.errors import AuthError

RSA = frozenset({"RS256", "RS384", "RS512", "PS256", "PS384", "PS512"})
BY_CURVE: Mapping[JsonValue, frozenset[str]] = {
    "P-256": frozenset({"ES256"}),
    "P-384": frozenset({"ES384"}),
    "P-521": frozenset({"ES512"}),
    "Ed25519": frozenset({"EdDSA"}),
    "Ed448": frozenset({"EdDSA"}),
}
ALGORITHMS = RSA.union(*BY_CURVE.values())
"""Asymmetric only: with HS256 anyone with the public key could sign, and with `none` anyone at all."""
READERS = {"RSA": RSAAlgorithm.from_jwk, "EC": ECAlgorithm.from_jwk, "OKP": OKPAlgorithm.from_jwk}
LEAST_RSA_BITS = 2048
PRIVATE = "d"
"""The member of a JWK that only private keys have."""

type Jwk = dict[str, JsonValue]


class UnusableKeysError(AuthError):
    """The provider sent no JWKS with a key that can be used here. The operator looks at it, or corrects its address."""


@dataclass(frozen=True, slots=True)
class SigningKey:
    """Two are the same when the provider wrote them alike."""

    kid: str | None
    algorithms: frozenset[str]
    jwk: str
    public_key: AllowedPublicKeys = field(compare=False, repr=False)


def read_signing_keys(body: bytes) -> tuple[SigningKey, ...]:
    """At least one. Raises UnusableKeysError."""
    try:
        document: JsonValue = json.loads(body)
    except (ValueError, RecursionError):
        raise UnusableKeysError("The answer is not JSON.") from None
    members = document.get("keys") if isinstance(document, dict) else None
    if not isinstance(members, list):
        raise UnusableKeysError("The answer is no JWKS: it has no list `keys`.")
    keys = tuple(key for jwk in members if isinstance(jwk, dict) for key in _read_key(jwk))
    if not keys:
        raise UnusableKeysError("The JWKS has no key for signatures that is public, asymmetric and strong enough.")
    return keys


def _read_key(jwk: Jwk) -> Iterator[SigningKey]:
    kid = jwk.get("kid")
    algorithms = _usable_algorithms(jwk)
    if not algorithms or not _is_for_signatures(jwk) or not isinstance(kid, str | None):
        return
    written = json.dumps(jwk, sort_keys=True)
    try:
        key = READERS[str(jwk["kty"])](written)
    except (PyJWTError, UnsupportedAlgorithm, ValueError, TypeError, KeyError, OverflowError):
        return
    if not isinstance(key, RSAPublicKey) or key.key_size >= LEAST_RSA_BITS:
        yield SigningKey(kid, algorithms, written, key)  # type: ignore[arg-type] # a JWK without `d` is public


def _is_for_signatures(jwk: Jwk) -> bool:
    operations = jwk.get("key_ops", ["verify"])
    return (
        PRIVATE not in jwk
        and jwk.get("use", "sig") == "sig"
        and isinstance(operations, list)
        and ("verify" in operations)
    )


def _usable_algorithms(jwk: Jwk) -> frozenset[str]:
    """Those that the key can be used with, and of these the one that it names if it does."""
    match jwk.get("kty"):
        case "RSA":
            possible = RSA
        case "EC" | "OKP":
            curve = jwk.get("crv")
            possible = BY_CURVE.get(curve, frozenset()) if isinstance(curve, str) else frozenset()
        case _:
            possible = frozenset()
    named = jwk.get("alg")
    return possible if named is None else frozenset(one for one in possible if one == named)
