"""The page and its login below a path of a name that others use, too."""

import re
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest
import pytest_asyncio

from tarsy_service.http.base_path import OWN
from tarsy_testing.browser.login_world import LIST, LoginWorld, login_world
from tarsy_websocket_gateway.page_files.assets import load_page
from tarsy_websocket_gateway.page_files.views import VIEWS
from tarsy_websocket_gateway.rights import RIGHTS

pytestmark = pytest.mark.asyncio(loop_scope="session")

BASE = "/tarsy"


@pytest_asyncio.fixture(loop_scope="session")
async def world(tmp_path: Path) -> AsyncIterator[LoginWorld]:
    async with login_world(tmp_path, base_path=BASE) as world:
        yield world


def cookies_of(answer: httpx2.Response) -> dict[str, str]:
    return {value.partition("=")[0]: value for value in answer.headers.get_list("set-cookie")}


async def test_no_address_of_ours_could_be_below_a_base_path() -> None:
    addresses = {*VIEWS, *(right.path for right in RIGHTS)} - {"/"}
    assert {address.split("/")[1].partition(".")[0] for address in addresses} <= OWN | {"openapi"}


async def test_the_index_names_its_files_below_the_path() -> None:
    for index in load_page(BASE).indexes.values():
        named = re.findall(r'(?:href|src)="([^"]+)"', index.body.decode())
        assert len(named) == 6
        assert {name for name in named if not name.startswith("/tarsy/assets/")} == set()


@pytest.mark.parametrize("before", [BASE, ""])
@pytest.mark.parametrize("path", ["/", "/servers", "/servers/", "/sessions/s1/record"])
async def test_the_page_is_the_same_where_a_proxy_takes_the_path_away(
    world: LoginWorld, before: str, path: str
) -> None:
    async with httpx2.AsyncClient(base_url=f"http://localhost:{world.port}") as client:
        answer = await client.get(f"{before}{path}")
        assert (answer.status_code, f'src="{BASE}/assets/' in answer.text) == (200, True)
        script = re.search(r'src="([^"]+/main\.js)"', answer.text)
        assert script is not None
        for asked in (script[1], script[1].removeprefix(BASE)):
            assert (await client.get(asked)).headers["content-type"] == "text/javascript; charset=utf-8"


@pytest.mark.parametrize("to", ["/sessions/s1?tab=chat", "/tarsy/sessions/s1?tab=chat"])
async def test_a_login_ends_below_the_path_and_its_cookies_are_for_that_path(world: LoginWorld, to: str) -> None:
    async with world.browser() as browser:
        begun = await browser.get("/login")
        answer = await world.log_in(browser, to)
        assert (answer.status_code, answer.headers["location"]) == (303, "/tarsy/sessions/s1?tab=chat")
        cookies = cookies_of(begun) | cookies_of(answer)
        assert [name for name, value in cookies.items() if "; Path=/tarsy;" not in value] == []
        assert cookies.keys() == {"tarsy-login", "tarsy"}
        assert (await browser.get(LIST)).status_code == 200
        gone = await browser.post("/logout", headers={"Origin": f"http://localhost:{world.port}"})
        assert (gone.status_code, "; Path=/tarsy;" in cookies_of(gone)["tarsy"]) == (204, True)
        assert (await browser.get(LIST)).status_code == 401


async def test_a_login_that_fails_leads_back_below_the_path(world: LoginWorld) -> None:
    async with world.browser() as browser:
        answer = await browser.get("/login/callback?state=x")
    links = re.findall(r'href="([^"]+)"', answer.text)
    assert answer.status_code == 400
    assert [link for link in links if not link.startswith("/tarsy/")] == []
    assert "/tarsy/login?to=/" in links


async def test_over_https_the_cookie_of_the_path_counts_and_that_of_the_whole_host_does_not(tmp_path: Path) -> None:
    name = "ops.example.com"
    address = f"https://{name}{BASE}/login/callback"
    async with (
        login_world(tmp_path, redirect_uri=address, hosts=name, base_path=BASE) as world,
        world.browser() as browser,
    ):
        browser.headers["Host"] = name
        begun = await browser.get("/login")
        attempt = cookies_of(begun)["__Secure-tarsy-login"]
        assert attempt.endswith("; HttpOnly; Max-Age=600; Path=/tarsy; SameSite=lax; Secure")
        answered = await browser.post(begun.headers["location"], headers={"Host": "provider"})
        query = urlsplit(answered.headers["location"]).query
        answer = await browser.get(f"/login/callback?{query}", headers={"Cookie": attempt.partition(";")[0]})
        cookie = cookies_of(answer)["__Secure-tarsy"].partition(";")[0]
        other = cookie.replace("__Secure-", "__Host-")
        assert (await browser.get(LIST, headers={"Cookie": cookie})).status_code == 200
        assert (await browser.get(LIST, headers={"Cookie": other})).status_code == 401
