"""API keys: their form, who they belong to, and when they end."""

import hashlib
import re

import pytest
from openid_provider import Clock, OpenIdProvider, bearer

from tarsy_auth.api_keys import ApiKeys, digest_of, new_key
from tarsy_auth.auth_config import ApiKeyEntry, AuthConfig
from tarsy_auth.authenticator import authenticator
from tarsy_auth.identity import Authenticate, Identity, Refusal
from tarsy_auth.roles import Role

KEY = new_key(lambda count: bytes(range(count)))
OTHER = new_key(lambda count: bytes(range(1, count + 1)))
ENDS = 1_803_859_200
"""2027-03-01 in UTC."""


def entry(key: str = KEY, *, name: str = "alertmanager", expires: str | None = None) -> ApiKeyEntry:
    fields = {"name": name, "role": "responder", "sha256": digest_of(key), "expires": expires}
    return ApiKeyEntry.model_validate(fields)


def keys_of(*entries: ApiKeyEntry) -> ApiKeys:
    return ApiKeys(entries, lambda _: None)


def authenticate_with(*entries: ApiKeyEntry, clock: Clock | None = None) -> Authenticate:
    return authenticator(AuthConfig(keys=entries), OpenIdProvider().fetch, clock or Clock())


def test_a_key_is_a_prefix_and_256_bits_in_base64url() -> None:
    assert re.fullmatch(r"tarsy_[A-Za-z0-9_-]{43}", KEY)
    assert KEY == "tarsy_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
    assert new_key(lambda count: b"\xff" * count) == "tarsy_" + "_" * 42 + "8"


def test_a_key_is_stored_as_its_sha256() -> None:
    assert digest_of(KEY) == hashlib.sha256(KEY.encode()).hexdigest()
    assert KEY not in repr(entry())


async def test_a_known_key_is_its_owner() -> None:
    found = await authenticate_with(entry(OTHER, name="other"), entry())(bearer(KEY))

    assert found == Identity("alertmanager", Role.RESPONDER, "api_key", digest_of(KEY)[:12])


@pytest.mark.parametrize(
    "expires", ["2027-03-01", "2027-03-01T00:00:00Z", "2027-03-01 02:00:00+02:00"], ids=["date", "utc", "zone"]
)
async def test_a_key_ends_at_its_second(expires: str) -> None:
    clock = Clock(ENDS - 1)
    authenticate = authenticate_with(entry(expires=expires), clock=clock)

    before = await authenticate(bearer(KEY))
    clock.now = ENDS
    after = await authenticate(bearer(KEY))

    assert isinstance(before, Identity)
    assert before.expires_at == ENDS
    assert after == Refusal("expired", "This API key has expired.")


async def test_an_unknown_key_and_a_malformed_one_are_told_the_same() -> None:
    authenticate = authenticate_with(entry())
    credentials = [OTHER, "tarsy_", KEY[:-1], KEY + "a", KEY[:-1] + "ä", f"{KEY}\n{KEY}", "tarsy_\udc80"]

    found = [await authenticate(bearer(credential)) for credential in credentials]

    assert {refusal.sentence for refusal in found if isinstance(refusal, Refusal)} == {
        "This credential is not known here."
    }
    assert [refusal.reason for refusal in found if isinstance(refusal, Refusal)] == ["unknown", *["malformed"] * 6]


async def test_a_token_where_only_keys_count_is_told_the_same_as_an_unknown_key() -> None:
    authenticate = authenticate_with(entry())

    assert await authenticate(bearer("a.b.c")) == await authenticate(bearer(OTHER))


def test_a_digest_that_begins_alike_is_another_key() -> None:
    near = ApiKeyEntry(name="near", role=Role.ADMIN, sha256=digest_of(KEY)[:32] + "0" * 32)

    assert keys_of(near).identify(KEY, 0) == keys_of().identify(KEY, 0)
    assert isinstance(found := keys_of(near, entry()).identify(KEY, 0), Identity)
    assert found.name == "alertmanager"
