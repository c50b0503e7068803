"""Tokens of an OpenID provider: signature, issuer, audience, times, name and role."""

import base64
import hashlib
import hmac
import json

import jwt
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from openid_provider import (
    ISSUER,
    NOW,
    Clock,
    OpenIdProvider,
    authenticate_by,
    bearer,
    claims_of,
    config_of,
    family_of,
    jwk_of,
    jwks_of,
    private_key,
    public_jwk,
    token_of,
)
from pydantic import JsonValue

from tarsy_auth import tokens
from tarsy_auth.identity import Identity, Refusal
from tarsy_auth.refusals import MALFORMED_TOKEN, REJECTED, TOKEN_EXPIRED, WITHOUT_ROLE
from tarsy_auth.roles import Role

ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"]
PUBLIC_PEM = private_key("rsa").public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


async def judged(token: str, provider: OpenIdProvider | None = None, **settings: JsonValue) -> Identity | Refusal:
    return await authenticate_by(provider or OpenIdProvider(), Clock(), **settings)(bearer(token))


def segment(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def signed_by_hand(header: JsonValue, secret: bytes | None) -> str:
    text = f"{segment(json.dumps(header).encode())}.{segment(json.dumps(claims_of()).encode())}"
    digest = b"" if secret is None else hmac.digest(secret, text.encode(), hashlib.sha256)
    return f"{text}.{segment(digest)}"


async def test_a_good_token_is_somebody_with_a_role_until_it_ends() -> None:
    token = token_of()

    found = await judged(token)

    credential = hashlib.sha256(token.encode()).hexdigest()[:12]
    assert found == Identity("ada@example.com", Role.RESPONDER, "token", credential, NOW + 330)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("named", [True, False], ids=["named", "unnamed"])
async def test_every_asymmetric_algorithm_counts(algorithm: str, named: bool) -> None:
    jwk = public_jwk(family_of(algorithm), kid="k0", use="sig") | ({"alg": algorithm} if named else {})

    assert isinstance(await judged(token_of(algorithm=algorithm), OpenIdProvider(jwks_of(jwk))), Identity)


@pytest.mark.parametrize(
    "secret", [PUBLIC_PEM, json.dumps(public_jwk("rsa", kid="k0")).encode(), b""], ids=["PEM", "JWK", "nothing"]
)
async def test_a_token_that_was_signed_with_the_public_key_as_a_secret_is_rejected(secret: bytes) -> None:
    provider = OpenIdProvider(jwks_of(public_jwk("rsa", kid="k0")))

    assert await judged(signed_by_hand({"alg": "HS256", "kid": "k0", "typ": "JWT"}, secret), provider) == REJECTED
    assert provider.fetches == 0


@pytest.mark.parametrize("algorithm", ["none", "None", "NONE", "", None, 7, ["RS256"], "HS512", "ES256K", "RSA-OAEP"])
async def test_an_algorithm_that_is_not_asymmetric_is_rejected(algorithm: JsonValue) -> None:
    header: JsonValue = {"alg": algorithm, "kid": "k0"}

    assert await judged(signed_by_hand(header, b"secret")) == REJECTED
    assert await judged(signed_by_hand(header, None)) == MALFORMED_TOKEN


async def test_a_symmetric_key_in_the_jwks_is_never_used() -> None:
    secret = segment(b"s" * 32)
    answer = jwks_of({"kty": "oct", "k": secret, "kid": "k0", "alg": "HS256"}, public_jwk("p256", kid="k1"))

    assert await judged(signed_by_hand({"alg": "HS256", "kid": "k0"}, b"s" * 32), OpenIdProvider(answer)) == REJECTED


async def test_a_key_is_used_only_with_the_algorithm_that_it_names() -> None:
    provider = OpenIdProvider(jwks_of(public_jwk("rsa", kid="k0", alg="RS256")))

    assert isinstance(await judged(token_of(algorithm="RS256"), provider), Identity)
    assert await judged(token_of(algorithm="PS256"), provider) == REJECTED
    assert await judged(token_of(algorithm="RS512"), provider) == REJECTED


async def test_a_key_that_the_token_brings_itself_is_not_looked_at() -> None:
    mine = public_jwk("p256", 7, kid="k0")
    headers: dict[str, JsonValue] = {"jwk": mine, "jku": "https://attacker.example.com/certs"}

    assert await judged(token_of(number=7, headers=headers)) == REJECTED


async def test_an_extension_that_is_critical_and_unknown_is_rejected() -> None:
    assert await judged(token_of(headers={"crit": ["exp"], "exp": 1})) == REJECTED


@pytest.mark.parametrize(
    "changed",
    [
        {"iss": "https://login.example.com/realms/other"},
        {"iss": f"{ISSUER}/"},
        {"iss": None},
        {"iss": [ISSUER]},
        {"aud": "grafana"},
        {"aud": ["grafana", "account"]},
        {"aud": []},
        {"aud": None},
        {"exp": None},
        {"exp": "soon"},
        {"exp": True},
        {"exp": 10**30},
        {"nbf": NOW + 31},
        {"iat": NOW + 31},
        {"nbf": "later"},
        {"sub": 17},
        {"email": None},
        {"email": ""},
        {"email": 17},
        {"email": "two\nlines"},
        {"email": "x" * 201},
        {"email_verified": False},
        {"email_verified": "false"},
    ],
    ids=str,
)
async def test_a_token_with_a_wrong_claim_is_rejected(changed: dict[str, JsonValue]) -> None:
    assert await judged(token_of(claims_of(**changed))) == REJECTED


@pytest.mark.parametrize(
    "changed",
    [{"aud": ["account", "tarsy"]}, {"nbf": NOW + 30}, {"iat": NOW + 30}, {"iat": None}, {"email_verified": True}],
    ids=str,
)
async def test_clocks_may_differ_by_half_a_minute_and_an_audience_may_be_one_of_many(
    changed: dict[str, JsonValue],
) -> None:
    assert isinstance(await judged(token_of(claims_of(**changed))), Identity)


async def test_a_token_ends_half_a_minute_after_its_time_also_when_it_is_known() -> None:
    clock = Clock()
    authenticate = authenticate_by(OpenIdProvider(), clock)
    header = bearer(token_of())

    first = await authenticate(header)
    clock.now = NOW + 330 - 0.001
    last = await authenticate(header)
    clock.now = NOW + 330

    assert isinstance(first, Identity)
    assert last is first
    assert await authenticate(header) == TOKEN_EXPIRED


async def test_a_forged_token_is_not_told_that_it_has_expired() -> None:
    assert await judged(token_of(claims_of(exp=NOW - 3600), number=7)) == REJECTED


@pytest.mark.parametrize(
    ("groups", "role"),
    [
        (["sre"], Role.RESPONDER),
        ("sre", Role.RESPONDER),
        (["guests", "platform", "sre"], Role.OPERATOR),
        (["SRE"], None),
        ([], None),
        (None, None),
        ("", None),
        ({"sre": True}, None),
        ([["sre"], 7, None], None),
    ],
)
async def test_the_highest_role_of_the_claim_counts_and_nobody_is_in_without_one(
    groups: JsonValue, role: Role | None
) -> None:
    found = await judged(token_of(claims_of(groups=groups)))

    assert (found.role if isinstance(found, Identity) else None) == role
    assert isinstance(found, Identity) or found == WITHOUT_ROLE


async def test_dots_reach_into_objects_and_a_claim_with_dots_in_its_name_comes_first() -> None:
    nested = token_of(claims_of(groups=None, realm_access={"roles": ["platform"]}))
    named = token_of(claims_of(groups=None) | {"https://example.com/groups": ["guests"]})

    def roles(claim: str) -> JsonValue:
        return {"claim": claim, "values": {"platform": "operator", "guests": "viewer"}}

    found = [
        await judged(nested, roles=roles("realm_access.roles")),
        await judged(named, roles=roles("https://example.com/groups")),
    ]
    assert [one.role for one in found if isinstance(one, Identity)] == [Role.OPERATOR, Role.VIEWER]
    for claim in ("realm_access.roles.more", "realm_access.other", "."):
        assert await judged(nested, roles=roles(claim)) == WITHOUT_ROLE


async def test_the_name_is_the_subject_by_default() -> None:
    found = await judged(token_of(), name="sub")

    assert isinstance(found, Identity)
    assert found.name == "u-17"


async def test_a_token_is_verified_once(monkeypatch: pytest.MonkeyPatch) -> None:
    verified = 0
    decode = jwt.decode

    def counted(*args: object, **kwargs: object) -> object:
        nonlocal verified
        verified += 1
        return decode(*args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(jwt, "decode", counted)
    authenticate = authenticate_by(OpenIdProvider(), Clock())
    header = bearer(token_of())
    for _ in range(50):
        assert isinstance(await authenticate(header), Identity)

    assert verified == 1


async def test_so_many_tokens_are_known_and_the_oldest_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "MOST_KNOWN", 3)
    settings = config_of().tokens
    assert settings is not None
    known = tokens.Tokens(settings, OpenIdProvider().fetch, Clock(), lambda _: None)

    for number in range(5):
        await known.identify(token_of(claims_of(jti=str(number))))

    assert len(known._known) == 3


@pytest.mark.parametrize("key", ["weak", "secp256k1", "private", "encryption"])
async def test_a_key_that_is_weak_or_not_for_signatures_is_left_out(key: str) -> None:
    jwk = {
        "weak": public_jwk("weak", kid="k1"),
        "secp256k1": public_jwk("secp256k1", kid="k1"),
        "private": jwk_of(private_key("p256"), kid="k1"),
        "encryption": public_jwk("p256", kid="k1", use="enc"),
    }[key]
    provider = OpenIdProvider(jwks_of(jwk, public_jwk("p256", kid="k0")))

    assert isinstance(await judged(token_of(), provider), Identity)
    assert await judged(token_of(kid="k1"), provider) == REJECTED


async def test_a_token_without_a_key_id_means_the_only_key() -> None:
    only = OpenIdProvider(jwks_of(public_jwk("p256")))
    two = OpenIdProvider(jwks_of(public_jwk("p256"), public_jwk("p256", 1, kid="k1")))

    assert isinstance(await judged(token_of(kid=None), only), Identity)
    assert await judged(token_of(kid=None), two) == REJECTED


async def test_what_is_longer_than_a_header_may_be_is_not_looked_at() -> None:
    assert await judged(token_of(claims_of(more="x" * tokens.LONGEST))) == MALFORMED_TOKEN
