"""Login of the page against a provider that speaks the real protocol: the way in and out, and every wrong turn."""

import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest
from pydantic import JsonValue
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from structlog.testing import capture_logs
from structlog.typing import EventDict
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Origin

from tarsy_testing.browser.login_world import ACT, API_KEY, LIST, LoginWorld, asked_of_provider, login_world
from tarsy_testing.servers.openid_server import CLIENT, s256

SESSION, ATTEMPT = "tarsy", "tarsy-login"
PROVIDER_TEXT = "a text of the provider"


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[LoginWorld]:
    async with login_world(tmp_path) as world:
        yield world


@pytest.fixture
async def browser(world: LoginWorld) -> AsyncIterator[httpx2.AsyncClient]:
    async with world.browser() as browser:
        yield browser


@pytest.fixture
def logs() -> Iterator[list[EventDict]]:
    with capture_logs() as logs:
        yield logs


def set_cookies(answer: httpx2.Response) -> dict[str, str]:
    """By name: all that the header says of each."""
    return {value.partition("=")[0]: value for value in answer.headers.get_list("set-cookie")}


def sentence_of(answer: httpx2.Response) -> str:
    found = re.search(r'<p role="alert">(.*)</p>', answer.text)
    assert found is not None, answer.text
    return found[1]


def check_nobody_is_logged_in(answer: httpx2.Response, status: int, said: str) -> None:
    """The attempt is over, too."""
    assert (answer.status_code, said in sentence_of(answer)) == (status, True), answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert PROVIDER_TEXT not in answer.text
    assert SESSION not in set_cookies(answer)
    assert "Max-Age=0" in set_cookies(answer)[ATTEMPT]


async def test_from_the_login_to_the_api_and_out_again(world: LoginWorld, browser: httpx2.AsyncClient) -> None:
    assert (await browser.get(LIST)).status_code == 401
    assert (await browser.get("/login/available")).json() == {"available": True, "renewable": False}

    answer = await world.log_in(browser, "/sessions/s1?tab=chat")

    assert (answer.status_code, answer.headers["location"]) == (303, "/sessions/s1?tab=chat")
    assert (await browser.get(LIST)).status_code == 200
    me = (await browser.get("/api/v1/me")).json()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+Z", me.pop("expires_at"))
    assert me == {"name": "ada@example.com", "role": "responder", "door": "token", "session_groups": None}

    gone = await browser.post("/logout", headers={"Origin": world.url})
    assert (gone.status_code, SESSION in browser.cookies) == (204, False)
    assert (await browser.get(LIST)).status_code == 401


async def test_the_provider_is_asked_as_the_standard_has_it(world: LoginWorld, browser: httpx2.AsyncClient) -> None:
    begun = await browser.get("/login")

    asked = asked_of_provider(begun.headers["location"])
    _, nonce, verifier, _ = browser.cookies[ATTEMPT].split(".")
    assert (asked["code_challenge"], asked["code_challenge_method"]) == (s256(verifier), "S256")
    assert (asked["nonce"], asked["scope"], asked["client_id"]) == (nonce, "openid profile email", CLIENT)
    assert verifier not in begun.headers["location"]
    assert (await browser.get("/login")).headers["location"] != begun.headers["location"]


async def test_the_token_is_in_a_cookie_that_no_script_reads(world: LoginWorld, browser: httpx2.AsyncClient) -> None:
    begun, answer = await browser.get("/login"), await world.log_in(browser)

    attempt, session = set_cookies(begun)[ATTEMPT], set_cookies(answer)[SESSION]
    assert re.fullmatch(ATTEMPT + r"=[\w.-]+; HttpOnly; Max-Age=600; Path=/; SameSite=lax", attempt)
    found = re.fullmatch(
        SESSION + r"=[\w-]+\.[\w-]+\.[\w-]+; HttpOnly; Max-Age=(\d+); Path=/; SameSite=strict", session
    )
    assert found is not None, session
    assert 200 < int(found[1]) <= 330
    assert answer.headers["cache-control"] == "no-store"
    assert "Max-Age=0" in set_cookies(answer)[ATTEMPT]


async def test_over_https_the_names_are_those_that_no_other_host_can_set(tmp_path: Path) -> None:
    address, name = "https://tarsy.example.com/login/callback", "tarsy.example.com"
    async with login_world(tmp_path, redirect_uri=address, hosts=name) as world, world.browser() as browser:
        browser.headers["Host"] = name
        begun = await browser.get("/login")
        attempt = set_cookies(begun)["__Host-tarsy-login"]
        assert attempt.endswith("; HttpOnly; Max-Age=600; Path=/; SameSite=lax; Secure")
        answered = await browser.post(begun.headers["location"], headers={"Host": "provider"})
        callback = urlsplit(answered.headers["location"])
        answer = await browser.get(f"{callback.path}?{callback.query}", headers={"Cookie": attempt.partition(";")[0]})
        session = set_cookies(answer)["__Host-tarsy"]
        assert re.search(r"; HttpOnly; Max-Age=\d+; Path=/; SameSite=strict; Secure$", session)

        cookie = session.partition(";")[0]
        plain = cookie.removeprefix("__Host-")
        assert (await browser.get(LIST, headers={"Cookie": cookie})).status_code == 200
        assert (await browser.get(LIST, headers={"Cookie": plain})).status_code == 401, "any subdomain can set it"
        assert (await browser.get(LIST, headers={"Cookie": f"{plain}x; {cookie}"})).status_code == 200


@pytest.mark.parametrize(
    "to",
    [
        "//evil.example",
        "https://evil.example",
        "/\\evil.example",
        "/\t/evil.example",
        "\\\\evil.example",
        "evil.example",
        "javascript:alert(1)",
        "/login?to=/",
        "/a\r\nSet-Cookie: x=1",
        "",
        "/" + "a" * 2_000,
    ],
)
async def test_a_login_ends_at_our_own_page_only(world: LoginWorld, browser: httpx2.AsyncClient, to: str) -> None:
    answer = await world.log_in(browser, to)

    assert (answer.status_code, answer.headers["location"]) == (303, "/")


async def test_a_path_that_was_put_into_the_cookie_afterwards_is_checked_too(
    world: LoginWorld, browser: httpx2.AsyncClient
) -> None:
    callback = await world.sign_in(browser)
    secrets = browser.cookies[ATTEMPT].rpartition(".")[0]
    browser.cookies.clear()

    answer = await browser.get(callback, headers={"Cookie": f"{ATTEMPT}={secrets}.Ly9ldmlsLmV4YW1wbGU"})

    assert (answer.status_code, answer.headers["location"]) == (303, "/")


async def test_a_callback_of_another_login_is_refused_before_anybody_is_asked(
    world: LoginWorld, browser: httpx2.AsyncClient
) -> None:
    """An attacker's own code, in the browser of somebody else: he would work under the attacker's name."""
    async with world.browser() as attacker:
        callback = await world.sign_in(attacker)
    await browser.get("/login")

    answer = await browser.get(callback)

    check_nobody_is_logged_in(answer, 400, "did not begin in this browser")
    assert world.url in sentence_of(answer)
    assert world.provider.exchanges == []


@pytest.mark.parametrize("cookie", ["", "x", "a.b.c.d", "é"])
async def test_a_callback_without_an_attempt_is_refused(
    world: LoginWorld, browser: httpx2.AsyncClient, cookie: str
) -> None:
    callback = await world.sign_in(browser)
    browser.cookies.clear()

    answer = await browser.get(callback, headers=[(b"Cookie", f"{ATTEMPT}={cookie}".encode())])

    check_nobody_is_logged_in(answer, 400, "did not begin in this browser")
    assert world.provider.exchanges == []


async def test_a_callback_counts_once(world: LoginWorld, browser: httpx2.AsyncClient) -> None:
    callback = await world.sign_in(browser)
    attempt = browser.cookies[ATTEMPT]
    assert (await browser.get(callback)).status_code == 303

    async with world.browser() as again:
        check_nobody_is_logged_in(await again.get(callback), 400, "was ended before")
        stolen = await again.get(callback, headers={"Cookie": f"{ATTEMPT}={attempt}"})
    check_nobody_is_logged_in(stolen, 502, "did not end the login")
    assert world.provider.exchanges == ["granted", "invalid_grant"]


async def test_a_code_is_worth_nothing_without_the_verifier(
    world: LoginWorld, browser: httpx2.AsyncClient, logs: list[EventDict]
) -> None:
    callback = await world.sign_in(browser)
    state, nonce, verifier, to = browser.cookies[ATTEMPT].split(".")
    browser.cookies.clear()
    other = f"{state}.{nonce}.{verifier[::-1]}.{to}"

    answer = await browser.get(callback, headers={"Cookie": f"{ATTEMPT}={other}"})

    check_nobody_is_logged_in(answer, 502, "did not end the login")
    assert world.provider.exchanges == ["invalid_grant"]
    assert [(line["event"], line["detail"]) for line in logs] == [("login.failed", "invalid_grant")]


@pytest.mark.parametrize(
    ("forged", "said"),
    [
        ({"nonce": "another"}, "not accepted"),
        ({"nonce": None}, "not accepted"),
        ({"aud": "tarsy"}, "not accepted"),
        ({"aud": "another"}, "not accepted"),
        ({"iss": "http://127.0.0.1:1"}, "not accepted"),
        ({"exp": 1}, "not accepted"),
        ({"groups": ["guests"]}, "gives you a role"),
    ],
    ids=["nonce", "no nonce", "audience of the API", "audience", "issuer", "expired", "no role"],
)
async def test_a_token_that_was_not_made_for_this_login_logs_nobody_in(
    world: LoginWorld, browser: httpx2.AsyncClient, forged: dict[str, JsonValue], said: str
) -> None:
    world.provider.forged = forged

    check_nobody_is_logged_in(await world.log_in(browser), 403, said)


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        ("access_denied", 403, "did not let you in"),
        ("invalid_scope", 502, "did not end the login"),
        ("<script>alert(1)</script>", 502, "did not end the login"),
    ],
)
async def test_an_error_of_the_provider_is_a_sentence_of_ours(
    world: LoginWorld, browser: httpx2.AsyncClient, logs: list[EventDict], error: str, status: int, said: str
) -> None:
    world.provider.refusal = error

    check_nobody_is_logged_in(answer := await world.log_in(browser), status, said)

    assert "script" not in answer.text + str(logs)
    assert world.provider.exchanges == []


async def test_an_error_without_the_state_is_not_believed(world: LoginWorld, browser: httpx2.AsyncClient) -> None:
    await browser.get("/login")

    check_nobody_is_logged_in(await browser.get("/login/callback?error=access_denied"), 400, "did not begin")


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (JSONResponse({"access_token": "x"}), 502),
        (JSONResponse([1]), 502),
        (PlainTextResponse(PROVIDER_TEXT), 502),
        (PlainTextResponse(PROVIDER_TEXT, 401), 502),
        (PlainTextResponse(PROVIDER_TEXT, 500), 503),
        (RedirectResponse("http://127.0.0.1:1/"), 503),
        (PlainTextResponse("x" * (300 << 10)), 503),
        (JSONResponse({"id_token": 7}), 502),
        (JSONResponse({"id_token": "a.b.c"}), 403),
        (JSONResponse({"id_token": API_KEY}), 403),
    ],
    ids=["no ID token", "list", "text", "401", "500", "redirect", "too large", "number", "no JWT", "API key"],
)
async def test_whatever_the_token_endpoint_answers_it_is_a_sentence(
    world: LoginWorld, browser: httpx2.AsyncClient, logs: list[EventDict], answer: Response, status: int
) -> None:
    world.provider.token_answer = answer

    check_nobody_is_logged_in(await world.log_in(browser), status, "provider")

    assert API_KEY not in str(logs)
    assert PROVIDER_TEXT not in str(logs)


async def test_a_token_that_no_browser_keeps_is_said(world: LoginWorld, browser: httpx2.AsyncClient) -> None:
    world.provider.claims["groups"] = ["sre", *(f"group-{number}" for number in range(400))]

    check_nobody_is_logged_in(await world.log_in(browser), 502, "browsers keep 4000")


async def test_no_token_and_no_secret_of_a_login_is_logged(
    world: LoginWorld, browser: httpx2.AsyncClient, logs: list[EventDict]
) -> None:
    callback = await world.sign_in(browser)
    attempt = browser.cookies[ATTEMPT].split(".")
    await browser.get(callback)

    told = str(logs)
    assert "login.succeeded" in told
    secrets = [browser.cookies[SESSION], asked_of_provider(callback)["code"], *attempt[:3]]
    assert [secret for secret in secrets if secret in told] == []


@pytest.mark.parametrize("page", ["https://evil.example", "http://localhost:1", "null"])
async def test_a_foreign_page_watches_and_does_nothing_with_the_cookie(
    world: LoginWorld, browser: httpx2.AsyncClient, page: str
) -> None:
    await world.log_in(browser)
    cookie = {"Cookie": f"{SESSION}={browser.cookies[SESSION]}"}

    with pytest.raises(InvalidStatus) as refused:
        await connect(world.socket, additional_headers=cookie, origin=Origin(page))
    assert refused.value.response.status_code == 403
    for path in (ACT, "/logout"):
        answer = await browser.post(path, headers={"Origin": page})
        assert (answer.status_code, SESSION in browser.cookies) == (403, True)


async def test_our_own_page_watches_and_acts_with_the_cookie(world: LoginWorld, browser: httpx2.AsyncClient) -> None:
    await world.log_in(browser)
    cookie = {"Cookie": f"other=1; {SESSION}={browser.cookies[SESSION]}"}

    async with connect(world.socket, additional_headers=cookie, origin=Origin(world.url)) as socket:
        await socket.send("subscribe")
        assert "subscription.confirmed" in str(await socket.recv())
    assert (await browser.post(ACT, headers={"Origin": world.url})).status_code == 200
    with pytest.raises(InvalidStatus) as refused:
        await connect(world.socket, origin=Origin(world.url))
    assert refused.value.response.status_code == 401


async def test_a_credential_that_was_sent_on_purpose_counts_instead_of_the_cookie(
    world: LoginWorld, browser: httpx2.AsyncClient
) -> None:
    await world.log_in(browser)

    alice = await browser.get("/api/v1/me", headers={"Authorization": f"Bearer {API_KEY}"})
    assert (alice.json()["name"], alice.json()["door"]) == ("alice", "api_key")
    assert (await browser.get(LIST, headers={"Authorization": "Bearer wrong"})).status_code == 401


@pytest.mark.parametrize("value", [API_KEY, "x", "", "a.b", "..", f"{API_KEY}.a.b"])
async def test_no_api_key_and_nothing_but_a_token_counts_from_a_cookie(browser: httpx2.AsyncClient, value: str) -> None:
    for name in (SESSION, "__Host-tarsy"):
        answer = await browser.get(LIST, headers={"Cookie": f"{name}={value}"})
        assert answer.status_code == 401


async def test_two_session_cookies_are_none(world: LoginWorld, browser: httpx2.AsyncClient) -> None:
    await world.log_in(browser)
    one = f"{SESSION}={browser.cookies[SESSION]}"
    browser.cookies.clear()

    answer = await browser.get(LIST, headers={"Cookie": f"{one}; {one}"})

    assert (answer.status_code, "more than one credential" in answer.json()["detail"]) == (401, True)


async def test_without_a_login_in_the_file_there_is_none(tmp_path: Path) -> None:
    async with login_world(tmp_path, sections=("keys", "tokens")) as world, world.browser() as browser:
        assert (await browser.get("/login/available")).json() == {"available": False, "renewable": False}
        for path in ("/login", "/login/callback?state=a&code=b"):
            answer = await browser.get(path)
            assert (answer.status_code, "has no section" in sentence_of(answer)) == (404, True)
        assert (await browser.post("/logout")).status_code == 204
