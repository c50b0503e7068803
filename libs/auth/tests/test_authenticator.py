"""The header `Authorization`, whatever stands in it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openid_provider import Clock, OpenIdProvider, authenticate_by, bearer, claims_of, config_of, token_of

from tarsy_auth.api_keys import digest_of, new_key
from tarsy_auth.auth_config import ApiKeyEntry
from tarsy_auth.authenticator import authenticator
from tarsy_auth.identity import Authenticate, Identity, Refusal
from tarsy_auth.roles import Role

KEY = new_key(lambda count: bytes(count))
SEGMENT = st.text(st.sampled_from("ABCDabcd0189_-="), max_size=40)
TOKEN_LIKE = st.builds("{}.{}.{}".format, SEGMENT, SEGMENT, SEGMENT)
VALUES = st.one_of(
    st.text(),
    st.text(st.characters(exclude_categories=())),
    TOKEN_LIKE,
    TOKEN_LIKE.map(bearer),
    st.text().map(bearer),
    st.text().map(lambda text: f"Bearer tarsy_{text}"),
)


@pytest.fixture
def authenticate() -> Authenticate:
    entry = ApiKeyEntry(name="alertmanager", role=Role.RESPONDER, sha256=digest_of(KEY))
    return authenticator(config_of().model_copy(update={"keys": (entry,)}), OpenIdProvider().fetch, Clock())


@pytest.mark.parametrize("header", [None, "", "  "])
async def test_a_request_without_a_credential_is_told_what_is_missing(
    authenticate: Authenticate, header: str | None
) -> None:
    found = await authenticate(header)

    assert isinstance(found, Refusal)
    assert found.reason == "missing"


@pytest.mark.parametrize(
    "header", ["Basic YTpi", "Bearer", "Bearer  ", KEY, f"Bearer{KEY}", f"Bearer\t{KEY}", "Digest x"]
)
async def test_only_bearer_counts(authenticate: Authenticate, header: str) -> None:
    found = await authenticate(header)

    assert isinstance(found, Refusal)
    assert found.reason == "malformed"


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER", "bEaReR"])
async def test_the_scheme_is_known_in_any_case(authenticate: Authenticate, scheme: str) -> None:
    by_key, by_token = await authenticate(f"{scheme} {KEY}"), await authenticate(f"{scheme}  {token_of()} ")

    assert isinstance(by_key, Identity)
    assert isinstance(by_token, Identity)
    assert (by_key.door, by_token.door) == ("api_key", "token")


async def test_a_key_is_never_taken_for_a_token() -> None:
    provider = OpenIdProvider()

    found = await authenticate_by(provider, Clock())(bearer("tarsy_a.b.c"))

    assert isinstance(found, Refusal)
    assert provider.fetches == 0


@given(VALUES)
async def test_no_header_raises(value: str) -> None:
    assert isinstance(await authenticate_by(OpenIdProvider(), Clock())(value), Refusal)


@given(st.binary(max_size=60), st.integers(0, 400))
async def test_a_good_token_with_a_part_overwritten_never_raises_and_never_counts(noise: bytes, at: int) -> None:
    token = token_of(claims_of())
    changed = token[:at] + noise.decode("latin-1") + token[at + len(noise) :]

    found = await authenticate_by(OpenIdProvider(), Clock())(bearer(changed))

    assert isinstance(found, Refusal) or changed.strip() == token
