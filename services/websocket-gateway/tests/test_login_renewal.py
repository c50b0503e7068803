"""A login of the page is renewed before it ends, with the provider's refresh token, which no browser can use."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest
from pydantic import JsonValue

from tarsy_testing.browser.login_world import LIST, RENEWED, LoginWorld, login_world

SESSION, REFRESH = "tarsy", "tarsy-refresh"


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[LoginWorld]:
    async with login_world(tmp_path, scope=RENEWED) as world:
        yield world


@pytest.fixture
async def browser(world: LoginWorld) -> AsyncIterator[httpx2.AsyncClient]:
    """Somebody has logged in."""
    async with world.browser() as browser:
        assert (await world.log_in(browser)).status_code == 303
        yield browser


async def renew(world: LoginWorld, browser: httpx2.AsyncClient) -> httpx2.Response:
    return await browser.post("/login/renew", headers={"Origin": world.url})


async def check_logged_out(answer: httpx2.Response, browser: httpx2.AsyncClient, sentence: str) -> None:
    assert (answer.status_code, answer.json()["detail"]) == (401, sentence)
    assert (SESSION in browser.cookies, REFRESH in browser.cookies) == (False, False)
    assert (await browser.get(LIST)).status_code == 401


async def test_a_renewal_gives_another_token_to_the_same_person(world: LoginWorld, browser: httpx2.AsyncClient) -> None:
    before = browser.cookies[SESSION], browser.cookies[REFRESH]
    assert (await browser.get("/login/available")).json() == {"available": True, "renewable": True}

    for _ in range(3):
        answer = await renew(world, browser)
        assert answer.status_code == 204, answer.text
        assert [cookie.count("; HttpOnly; ") for cookie in answer.headers.get_list("set-cookie")] == [1, 1]

    assert (browser.cookies[SESSION], browser.cookies[REFRESH]) != before
    assert (await browser.get("/api/v1/me")).json()["name"] == "ada@example.com"
    assert world.provider.exchanges == ["granted"] * 4


async def test_a_browser_never_has_a_refresh_token(world: LoginWorld, browser: httpx2.AsyncClient) -> None:
    answer = await renew(world, browser)
    shown = f"{answer.headers} {answer.text} {dict(browser.cookies)}"
    assert len(world.provider.logins) == 2
    assert [token for token in world.provider.logins if token in shown] == []


async def test_tabs_that_ask_at_once_have_one_renewal(world: LoginWorld, browser: httpx2.AsyncClient) -> None:
    cookie = {"Cookie": f"{REFRESH}={browser.cookies[REFRESH]}", "Origin": world.url}
    async with httpx2.AsyncClient(base_url=world.url) as tabs:
        answers = await asyncio.gather(*(tabs.post("/login/renew", headers=cookie) for _ in range(5)))
        tabs.cookies.clear()
        late = await tabs.post("/login/renew", headers=cookie)
    assert [answer.status_code for answer in (*answers, late)] == [204] * 6
    assert world.provider.exchanges == ["granted"] * 2, "one for the login, one for all of the tabs"
    assert (await renew(world, browser)).status_code == 204
    assert world.provider.ended == set()


@pytest.mark.parametrize("groups", [["sre"], ["others"]], ids=["still", "no longer"])
async def test_rights_are_judged_at_each_renewal(
    world: LoginWorld, browser: httpx2.AsyncClient, groups: list[JsonValue]
) -> None:
    world.provider.claims["groups"] = groups
    answer = await renew(world, browser)
    if groups == ["sre"]:
        assert answer.status_code == 204
    else:
        sentence = "The provider logged you in, but nothing in its token gives you a role here."
        await check_logged_out(answer, browser, sentence)


async def test_a_login_that_the_provider_ended_is_logged_out(world: LoginWorld, browser: httpx2.AsyncClient) -> None:
    world.provider.ended.update(world.provider.logins.values())
    answer = await renew(world, browser)
    await check_logged_out(answer, browser, "Your login has ended at the provider. Log in again.")


async def test_a_provider_that_is_away_ends_no_login(world: LoginWorld, browser: httpx2.AsyncClient) -> None:
    world.provider.is_away = True
    for _ in range(3):
        answer = await renew(world, browser)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
    assert (await browser.get(LIST)).status_code == 200
    world.provider.is_away = False
    assert (await renew(world, browser)).status_code == 204


async def test_a_token_of_another_person_is_no_renewal(world: LoginWorld, browser: httpx2.AsyncClient) -> None:
    world.provider.forged = {"sub": "u-18"}
    answer = await renew(world, browser)
    await check_logged_out(answer, browser, "The provider logged you in, but its token is not accepted here.")


async def test_what_was_not_sealed_here_renews_nothing(world: LoginWorld, browser: httpx2.AsyncClient) -> None:
    sealed = browser.cookies[REFRESH]
    swapped = "B" if sealed[20] == "A" else "A"
    for wrong in ("x", "A" * 200, f"{sealed[:20]}{swapped}{sealed[21:]}", *world.provider.logins):
        cookie = {"Cookie": f"{REFRESH}={wrong}", "Origin": world.url}
        async with httpx2.AsyncClient(base_url=world.url) as stranger:
            assert (await stranger.post("/login/renew", headers=cookie)).status_code == 401
    assert world.provider.exchanges == ["granted"]


async def test_another_site_renews_nothing(world: LoginWorld, browser: httpx2.AsyncClient) -> None:
    answer = await browser.post("/login/renew", headers={"Origin": "https://evil.example"})
    assert (answer.status_code, world.provider.exchanges) == (403, ["granted"])


async def test_a_gateway_that_was_started_anew_renews_too(
    tmp_path: Path, world: LoginWorld, browser: httpx2.AsyncClient
) -> None:
    """The login is in the cookie, and the key in a file: no gateway keeps anything."""
    other = tmp_path / "other"
    other.mkdir()
    async with login_world(other, scope=RENEWED, provider=world.provider) as second:
        cookie = {"Cookie": f"{REFRESH}={browser.cookies[REFRESH]}", "Origin": second.url}
        async with second.browser() as elsewhere:
            assert (await elsewhere.post("/login/renew", headers=cookie)).status_code == 204


async def test_whoever_logs_out_ends_the_refresh_token_at_the_provider(
    world: LoginWorld, browser: httpx2.AsyncClient
) -> None:
    assert (await browser.post("/logout", headers={"Origin": world.url})).status_code == 204
    assert world.provider.ended == set(world.provider.logins.values())
    assert REFRESH not in browser.cookies


async def test_without_a_refresh_token_a_login_ends_with_its_token(tmp_path: Path) -> None:
    async with login_world(tmp_path) as world, world.browser() as browser:
        await world.log_in(browser)
        assert (await browser.get("/login/available")).json() == {"available": True, "renewable": False}
        answer = await renew(world, browser)
        assert (answer.status_code, answer.json()["detail"]) == (
            401,
            "There is no login to renew. Log in again.",
        )
        assert (await browser.get(LIST)).status_code == 200


async def test_logins_and_logouts_are_on_record(world: LoginWorld, browser: httpx2.AsyncClient) -> None:
    await renew(world, browser)
    await browser.post("/logout", headers={"Origin": world.url})
    await browser.post("/logout", headers={"Origin": world.url})
    world.provider.claims["groups"] = []
    await world.log_in(browser)
    await browser.get("/login/callback?state=made-up&code=x")
    assert world.recorded == [
        ("logged_in", "ada@example.com", ""),
        ("logged_out", "ada@example.com", ""),
        ("refused", "", "without_role"),
    ]


async def test_nobody_logs_in_without_a_record_and_everybody_may_leave(world: LoginWorld) -> None:
    async with world.browser() as browser:
        world.is_recording.append(False)
        answer = await world.log_in(browser)
        assert (answer.status_code, SESSION in browser.cookies) == (503, False)
        assert "Kafka did not accept the record of this login" in answer.text
        world.is_recording.append(True)
        await world.log_in(browser)
        world.is_recording.append(False)
        assert (await browser.post("/logout", headers={"Origin": world.url})).status_code == 204
        assert SESSION not in browser.cookies
