"""An OpenID provider for tests: it signs tokens, its JWKS comes without a network, and a clock is set by hand."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, rsa
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm
from pydantic import JsonValue

from tarsy_auth.auth_config import AuthConfig
from tarsy_auth.authenticator import authenticator
from tarsy_auth.identity import Authenticate

NOW = 1_800_000_000.0
ISSUER = "https://login.example.com/realms/sre"
JWKS_URL = f"{ISSUER}/certs"
AUDIENCE = "tarsy"
FAMILIES = {"RS": "rsa", "PS": "rsa", "ES256": "p256", "ES384": "p384", "ES512": "p521", "EdDSA": "ed25519"}
TOKENS: Mapping[str, JsonValue] = {
    "issuer": ISSUER,
    "audience": AUDIENCE,
    "jwks": JWKS_URL,
    "name": "email",
    "roles": {"claim": "groups", "values": {"sre": "responder", "platform": "operator", "guests": "viewer"}},
}


@dataclass
class Clock:
    now: float = NOW

    def __call__(self) -> float:
        return self.now


@cache
def private_key(family: str, number: int = 0) -> Any:
    """The same one for the same number: making RSA keys takes a while."""
    match family:
        case "rsa":
            return rsa.generate_private_key(65537, 2048)
        case "weak":
            return rsa.generate_private_key(65537, 1024)
        case "p256":
            return ec.generate_private_key(ec.SECP256R1())
        case "p384":
            return ec.generate_private_key(ec.SECP384R1())
        case "p521":
            return ec.generate_private_key(ec.SECP521R1())
        case "secp256k1":
            return ec.generate_private_key(ec.SECP256K1())
        case "ed448":
            return ed448.Ed448PrivateKey.generate()
        case _:
            return ed25519.Ed25519PrivateKey.generate()


def jwk_of(key: Any, **members: JsonValue) -> dict[str, JsonValue]:
    """Of a private key with its private part, of a public key without."""
    match key:
        case rsa.RSAPrivateKey() | rsa.RSAPublicKey():
            found = RSAAlgorithm.to_jwk(key, as_dict=True)
        case ec.EllipticCurvePrivateKey() | ec.EllipticCurvePublicKey():
            found = ECAlgorithm.to_jwk(key, as_dict=True)
        case _:
            found = OKPAlgorithm.to_jwk(key, as_dict=True)
    # PyJWT writes `key_ops` of its own; providers rarely do.
    return {name: value for name, value in found.items() if name != "key_ops"} | members


def public_jwk(family: str, number: int = 0, **members: JsonValue) -> dict[str, JsonValue]:
    return jwk_of(private_key(family, number).public_key(), **members)


def jwks_of(*keys: Mapping[str, JsonValue]) -> bytes:
    return json.dumps({"keys": keys}).encode()


def family_of(algorithm: str) -> str:
    return FAMILIES.get(algorithm) or FAMILIES[algorithm[:2]]


def claims_of(**changed: JsonValue) -> dict[str, JsonValue]:
    """Claims of a good token. A claim that is changed to None is left out."""
    claims: dict[str, JsonValue] = {
        "iss": ISSUER,
        "aud": AUDIENCE,
        "sub": "u-17",
        "email": "ada@example.com",
        "groups": ["sre"],
        "iat": NOW,
        "exp": NOW + 300,
    }
    return {name: value for name, value in (claims | changed).items() if value is not None}


def token_of(
    claims: Mapping[str, JsonValue] | None = None,
    *,
    algorithm: str = "ES256",
    number: int = 0,
    kid: str | None = "k0",
    headers: Mapping[str, JsonValue] | None = None,
) -> str:
    key = private_key(family_of(algorithm), number)
    head = {"typ": "JWT"} | dict(headers or {}) | ({} if kid is None else {"kid": kid})
    payload = json.dumps(claims_of() if claims is None else claims).encode()
    return jwt.PyJWS().encode(payload, key, algorithm, headers=head)


@dataclass
class OpenIdProvider:
    """`answer` is the JWKS, or what is raised. While `gate` is closed, a fetch waits."""

    answer: bytes | Exception = field(default_factory=lambda: jwks_of(public_jwk("p256", kid="k0")))
    fetches: int = 0
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    begun: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.gate.set()

    async def fetch(self, url: str) -> bytes:
        assert url == JWKS_URL
        self.fetches += 1
        self.begun.set()
        await self.gate.wait()
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def config_of(**changed: JsonValue) -> AuthConfig:
    return AuthConfig.model_validate({"tokens": {**TOKENS, **changed}})


def authenticate_by(provider: OpenIdProvider, clock: Clock, **changed: JsonValue) -> Authenticate:
    return authenticator(config_of(**changed), provider.fetch, clock)


def bearer(token: str) -> str:
    return f"Bearer {token}"
