"""Login: the secrets of an attempt, the address at the provider, the exchange of the code, and the way back."""

import asyncio
import re
import secrets
from base64 import b64decode
from urllib.parse import parse_qsl, urljoin, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from tarsy_auth.auth_config import LoginSettings
from tarsy_auth.identity import Identity, Refusal
from tarsy_auth.login import MOST_EXCHANGES, Callback, Login, LoginFailedError
from tarsy_auth.login_attempt import (
    authorization_address,
    code_challenge,
    new_attempt,
    read_attempt,
    write_attempt,
)
from tarsy_auth.refusals import UNKNOWN
from tarsy_auth.return_path import return_path
from tarsy_auth.token_exchange import NoIdTokenError, TokenAnswer, TokenRequest, token_request, tokens_in

ISSUER = "https://login.example.com"
SECRET = b"a secret: 100 % / \xc3\xa4"


def settings_of(*, secret: bytes | None = None, **changed: JsonValue) -> LoginSettings:
    written: dict[str, JsonValue] = {
        "client_id": "tarsy page",
        "authorization_endpoint": f"{ISSUER}/auth",
        "token_endpoint": f"{ISSUER}/token",
        "redirect_uri": "https://tarsy.example.com/login/callback",
    }
    file: dict[str, JsonValue] = {} if secret is None else {"client_secret_file": "client.secret"}
    return LoginSettings.model_validate({**written, **file, **changed}, context=lambda _: secret)


def test_the_challenge_is_that_of_the_standard() -> None:
    """RFC 7636, appendix B."""
    verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    assert code_challenge(verifier) == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"


def test_each_secret_of_an_attempt_is_another_one_of_256_bits() -> None:
    asked: list[int] = []

    def random_bytes(count: int) -> bytes:
        asked.append(count)
        return secrets.token_bytes(count)

    one, other = new_attempt("/", random_bytes), new_attempt("/", random_bytes)

    assert len({one.state, one.nonce, one.verifier, other.state, other.nonce, other.verifier}) == 6
    assert asked == [32] * 6
    assert [name for name in (one.state, one.nonce, one.verifier) if name in repr(one)] == []


@pytest.mark.parametrize("endpoint", [f"{ISSUER}/auth", f"{ISSUER}/auth?realm=sre"])
def test_the_address_at_the_provider_has_all_but_the_verifier(endpoint: str) -> None:
    attempt = new_attempt("/servers", secrets.token_bytes)

    address = authorization_address(settings_of(authorization_endpoint=endpoint), attempt)

    assert address.startswith(endpoint)
    asked = dict(parse_qsl(urlsplit(address).query, strict_parsing=True))
    asked.pop("realm", None)
    assert asked == {
        "response_type": "code",
        "client_id": "tarsy page",
        "redirect_uri": "https://tarsy.example.com/login/callback",
        "scope": "openid profile email",
        "state": attempt.state,
        "nonce": attempt.nonce,
        "code_challenge": code_challenge(attempt.verifier),
        "code_challenge_method": "S256",
    }


@given(st.text())
def test_an_attempt_comes_back_from_the_cookie_as_it_was(wanted: str) -> None:
    attempt = new_attempt(wanted, secrets.token_bytes)
    written = write_attempt(attempt)

    assert re.fullmatch(r"[\w.-]+", written, re.ASCII)
    assert len(written) < 2_000
    assert read_attempt(written) == attempt


@given(st.text() | st.from_regex(r"[\w-]{43}\.[\w-]{43}\.[\w-]{43}\.[\w-]{0,8}", fullmatch=True))
def test_any_other_cookie_is_none_or_an_attempt_that_leads_to_us(written: str) -> None:
    found = read_attempt(written)

    assert found is None or found.to == return_path(found.to)


@given(st.text() | st.from_regex(r"[/\\]{0,3}[\t\n .]{0,2}[/\\]{0,2}evil\.example[:@/?#]?", fullmatch=True))
def test_a_login_ends_at_our_host(wanted: str) -> None:
    path = return_path(wanted)

    # Browsers take a backslash for a slash, and leave out tabs and line ends.
    assert urlsplit(urljoin("https://tarsy.example.com/login", path.replace("\\", "/"))).netloc == "tarsy.example.com"
    assert re.fullmatch(r"/([!-.0-\[\]-~][!-\[\]-~]*)?", path)


@pytest.mark.parametrize("path", ["/", "/servers", "/sessions/a.b-c_1", "/?page=2", "/loginx", "/sessions/login#end"])
def test_a_path_of_ours_is_kept(path: str) -> None:
    assert return_path(path) == path


@pytest.mark.parametrize("path", ["/login", "/login/", "/login/callback?code=1", "/login?to=/", "/login#x"])
def test_a_login_does_not_end_at_the_next_one(path: str) -> None:
    assert return_path(path) == "/"


def test_a_client_with_a_secret_shows_it_in_the_header() -> None:
    request = token_request(settings_of(secret=SECRET), "the code", "the verifier")

    scheme, _, pair = request.headers["authorization"].partition(" ")
    assert (scheme, b64decode(pair)) == ("Basic", b"tarsy+page:a+secret%3A+100+%25+%2F+%C3%A4")
    assert dict(request.form) == {
        "grant_type": "authorization_code",
        "code": "the code",
        "code_verifier": "the verifier",
        "redirect_uri": "https://tarsy.example.com/login/callback",
    }
    assert "the code" not in repr(request)
    assert pair not in repr(request)


def test_a_public_client_says_who_it_is_and_no_more() -> None:
    request = token_request(settings_of(), "the code", "the verifier")

    assert (dict(request.headers), request.form["client_id"]) == ({}, "tarsy page")


@pytest.mark.parametrize(
    ("granted", "body", "code"),
    [
        (False, b'{"error": "invalid_grant", "error_description": "x"}', "invalid_grant"),
        (False, b'{"error": "<script>"}', "unknown"),
        (False, b'{"error": ["a"]}', "unknown"),
        (False, b"nothing", "unknown"),
        (False, b'{"id_token": "a.b.c"}', "unknown"),
        (True, b'{"error": "x"}', "no_id_token"),
        (True, b'{"id_token": 7}', "no_id_token"),
        (True, b"[" * 100_000, "no_id_token"),
        (True, b"\xff", "no_id_token"),
    ],
)
def test_an_answer_without_an_id_token_is_a_code(granted: bool, body: bytes, code: str) -> None:
    with pytest.raises(NoIdTokenError) as refused:
        tokens_in(TokenAnswer(granted, body))
    assert refused.value.code == code


async def nobody(_: str | None) -> Identity | Refusal:
    return UNKNOWN


async def test_so_many_exchanges_run_at_once_and_the_next_one_asks_nobody() -> None:
    asked, full, gate = 0, asyncio.Event(), asyncio.Event()

    async def post(_: TokenRequest) -> TokenAnswer:
        nonlocal asked
        asked += 1
        if asked == MOST_EXCHANGES:
            full.set()
        await gate.wait()
        return TokenAnswer(True, b'{"id_token": "a.b.c"}')

    login = Login(settings_of(), ISSUER, nobody, post, secrets.token_bytes, lambda: 0.0)
    attempt, _ = login.begin("/")
    callback = Callback(state=attempt.state, code="any")

    async def failure() -> str:
        with pytest.raises(LoginFailedError) as failed:
            await login.finish(attempt, callback)
        return failed.value.failure

    waiting = [asyncio.create_task(failure()) for _ in range(MOST_EXCHANGES)]
    await full.wait()
    assert await failure() == "unavailable"
    gate.set()
    assert set(await asyncio.gather(*waiting)) == {"rejected"}
    assert (await failure(), asked) == ("rejected", MOST_EXCHANGES + 1)


@pytest.mark.parametrize(
    ("callback", "failure"),
    [
        (Callback(), "attempt"),
        (Callback(state="é", code="x"), "attempt"),
        (Callback(state="right", code="x", issuer="https://evil.example"), "provider"),
        (Callback(state="right", error="access_denied", issuer=ISSUER), "denied"),
        (Callback(state="right", error="server_error"), "provider"),
        (Callback(state="right"), "provider"),
        (Callback(state="wrong", error="access_denied"), "attempt"),
    ],
)
async def test_a_callback_that_is_not_ours_or_has_no_code_asks_nobody(callback: Callback, failure: str) -> None:
    async def post(_: TokenRequest) -> TokenAnswer:
        raise AssertionError("asked")

    login = Login(settings_of(), ISSUER, nobody, post, secrets.token_bytes, lambda: 0.0)
    attempt, _ = login.begin("/")
    state = attempt.state if callback.state == "right" else callback.state

    with pytest.raises(LoginFailedError) as failed:
        await login.finish(attempt, Callback(state, callback.code, callback.error, callback.issuer))
    assert failed.value.failure == failure
