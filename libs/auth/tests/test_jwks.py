"""Keys of the provider: rotated, unreachable, slow, or rubbish, while TARSy runs."""

import asyncio
import logging

import pytest
from openid_provider import (
    JWKS_URL,
    NOW,
    Clock,
    OpenIdProvider,
    authenticate_by,
    bearer,
    claims_of,
    jwks_of,
    public_jwk,
    token_of,
)
from pydantic import JsonValue

from tarsy_auth.http_fetch import FetchFailedError
from tarsy_auth.identity import Identity, Refusal
from tarsy_auth.refusals import REJECTED, UNAVAILABLE

OLD, NEW = public_jwk("p256", kid="k0"), public_jwk("p256", 1, kid="k1")
DOWN = FetchFailedError("the answer is HTTP 503")
LONG = claims_of(exp=NOW + 200_000)
RUBBISH = [
    b"", b"<html>", b"[]", b'{"keys": {}}', b'{"keys": []}', b'{"keys": [7, null, {}]}', b"\xff\xfe", b"[" * 100_000,
    b'{"keys": [{"kty": "RSA", "n": "AQAB", "e": 7, "kid": "k0"}]}',
    b'{"keys": [{"kty": "EC", "crv": [], "kid": "k0"}]}',
    b'{"keys": [{"kty": ["RSA"], "kid": {}}]}',
    b'{"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "AA", "kid": "k0"}]}',
    b'{"keys": [{"kty": "EC", "crv": "P-256", "x": "AA", "y": "AA", "kid": "k0"}]}',
]  # fmt: skip


def old_token(**claims: JsonValue) -> str:
    return bearer(token_of({**LONG, **claims}))


def new_token(**claims: JsonValue) -> str:
    return bearer(token_of({**LONG, **claims}, number=1, kid="k1"))


async def until_fetched() -> None:
    """Lets the fetch in the background end: it has nothing to wait for but its turns."""
    for _ in range(5):
        await asyncio.sleep(0)


async def test_nothing_is_fetched_before_the_first_token_and_once_for_all_of_them() -> None:
    provider = OpenIdProvider()
    authenticate = authenticate_by(provider, Clock())
    assert provider.fetches == 0

    found = [await authenticate(old_token(jti=str(number))) for number in range(3)]

    assert all(isinstance(one, Identity) for one in found)
    assert provider.fetches == 1


async def test_there_is_one_fetch_at_a_time_whoever_waits_for_it() -> None:
    provider = OpenIdProvider()
    provider.gate.clear()
    authenticate = authenticate_by(provider, Clock())

    async def ask(number: int) -> Identity | Refusal:
        return await authenticate(old_token(jti=str(number)))

    asked = [asyncio.create_task(ask(number)) for number in range(20)]
    await provider.begun.wait()

    asked[0].cancel()
    await asyncio.wait([asked[0]])
    provider.gate.set()

    assert all(isinstance(one, Identity) for one in await asyncio.gather(*asked[1:]))
    assert provider.fetches == 1


async def test_a_new_key_is_found_when_its_first_token_comes() -> None:
    provider, clock = OpenIdProvider(jwks_of(OLD)), Clock()
    authenticate = authenticate_by(provider, clock)
    await authenticate(old_token())

    provider.answer = jwks_of(OLD, NEW)
    clock.now += 10

    assert isinstance(await authenticate(new_token()), Identity)
    assert isinstance(await authenticate(old_token()), Identity)
    assert provider.fetches == 2


async def test_unknown_keys_are_asked_for_once_in_ten_seconds_at_most() -> None:
    provider, clock = OpenIdProvider(), Clock()
    authenticate = authenticate_by(provider, clock)
    for tenth in range(300):
        clock.now = NOW + tenth / 10
        assert await authenticate(bearer(token_of(number=7, kid=f"guess-{tenth}"))) == REJECTED

    assert provider.fetches == 3


async def test_a_token_of_a_key_that_was_taken_back_counts_no_more_though_it_was_known() -> None:
    provider, clock = OpenIdProvider(jwks_of(OLD, NEW)), Clock()
    authenticate = authenticate_by(provider, clock)
    header = old_token()
    assert isinstance(await authenticate(header), Identity)

    provider.answer = jwks_of(NEW)
    clock.now += 600
    assert isinstance(await authenticate(header), Identity), "it does not wait for the fetch"
    await until_fetched()

    assert await authenticate(header) == REJECTED


async def test_a_key_that_comes_back_under_the_same_id_with_another_value_is_another_key() -> None:
    provider, clock = OpenIdProvider(jwks_of(OLD)), Clock()
    authenticate = authenticate_by(provider, clock)
    header = old_token()
    await authenticate(header)

    provider.answer = jwks_of(public_jwk("p256", 1, kid="k0"))
    clock.now += 600
    await authenticate(header)
    await until_fetched()

    assert await authenticate(header) == REJECTED


async def test_keys_older_than_ten_minutes_are_fetched_while_requests_go_on() -> None:
    provider, clock = OpenIdProvider(), Clock()
    authenticate = authenticate_by(provider, clock)
    await authenticate(old_token())
    clock.now += 599.9
    await authenticate(old_token())
    assert provider.fetches == 1

    provider.begun.clear()
    provider.gate.clear()
    clock.now += 0.1
    for _ in range(10):
        assert isinstance(await authenticate(old_token()), Identity)
    await provider.begun.wait()

    assert provider.fetches == 2
    provider.gate.set()


async def test_a_slow_provider_holds_up_only_those_whose_key_is_not_here() -> None:
    provider, clock = OpenIdProvider(), Clock()
    authenticate = authenticate_by(provider, clock)
    await authenticate(old_token())
    provider.gate.clear()
    provider.begun.clear()
    provider.answer = jwks_of(OLD, NEW)
    clock.now += 10

    async def ask() -> Identity | Refusal:
        return await authenticate(new_token())

    waiting = asyncio.create_task(ask())
    await provider.begun.wait()
    assert isinstance(await authenticate(old_token(jti="another")), Identity)
    assert not waiting.done()

    provider.gate.set()
    assert isinstance(await waiting, Identity)


async def test_a_provider_that_is_down_from_the_beginning_is_no_fault_of_the_caller(
    caplog: pytest.LogCaptureFixture,
) -> None:
    provider, clock = OpenIdProvider(DOWN), Clock()
    authenticate = authenticate_by(provider, clock)

    with caplog.at_level(logging.WARNING):
        assert [await authenticate(old_token()) for _ in range(5)] == [UNAVAILABLE] * 5
    assert provider.fetches == 1
    assert caplog.messages == [f"The keys of {JWKS_URL} cannot be read: the answer is HTTP 503"]

    provider.answer = jwks_of(OLD)
    clock.now += 10
    assert isinstance(await authenticate(old_token()), Identity)


async def test_keys_are_used_for_a_day_while_the_provider_is_down() -> None:
    provider, clock = OpenIdProvider(), Clock()
    authenticate = authenticate_by(provider, clock)
    header = old_token()
    await authenticate(header)

    provider.answer = DOWN
    clock.now = NOW + 86_399
    assert isinstance(await authenticate(header), Identity)
    assert isinstance(await authenticate(old_token(iat=1)), Identity)
    await until_fetched()
    assert await authenticate(new_token()) == UNAVAILABLE, "the key may be there, and nobody can tell"
    clock.now = NOW + 86_400
    assert await authenticate(header) == UNAVAILABLE
    provider.answer = jwks_of(OLD)
    clock.now += 10
    assert isinstance(await authenticate(header), Identity)


@pytest.mark.parametrize("answer", RUBBISH, ids=range(len(RUBBISH)))
async def test_rubbish_does_not_replace_keys_that_are_known(answer: bytes) -> None:
    provider, clock = OpenIdProvider(), Clock()
    authenticate = authenticate_by(provider, clock)
    await authenticate(old_token())

    provider.answer = answer
    clock.now += 600
    assert isinstance(await authenticate(old_token()), Identity)
    await until_fetched()

    assert provider.fetches == 2
    assert isinstance(await authenticate(old_token()), Identity)
    assert await authenticate_by(provider, Clock())(old_token()) == UNAVAILABLE


async def test_a_fetch_that_raises_anything_ends_nothing() -> None:
    provider, clock = OpenIdProvider(ZeroDivisionError()), Clock()

    assert await authenticate_by(provider, clock)(old_token()) == UNAVAILABLE


@pytest.mark.parametrize("step", [-3600.0, 90_000.0], ids=["back", "forward"])
async def test_a_clock_that_jumps_costs_a_fetch(step: float) -> None:
    provider, clock = OpenIdProvider(), Clock()
    authenticate = authenticate_by(provider, clock)
    await authenticate(old_token(iat=1))

    clock.now += step
    found = await authenticate(old_token(iat=1))
    await until_fetched()

    assert not isinstance(found, Refusal)
    assert provider.fetches == 2
