"""Login of the page in Chromium. The provider is another site than the page, and shows a form of its own."""

import re
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect

from tarsy_processes.ports import free_port
from tarsy_testing.browser.browser import Tab, new_tab
from tarsy_testing.browser.login_world import RENEWED, LoginWorld, login_world
from tarsy_testing.servers.nginx import compose_front_door, nginx_with

pytestmark = pytest.mark.asyncio(loop_scope="session")

NOT_KNOWN = ("status of 401", "status of 403", "status of 404", "WebSocket connection")
"""Complaints of the console while nobody is logged in, and about services that do not run here (404)."""


@pytest_asyncio.fixture(loop_scope="session")
async def world(tmp_path: Path) -> AsyncIterator[LoginWorld]:
    async with login_world(tmp_path) as world:
        yield world


@pytest_asyncio.fixture(loop_scope="session")
async def tab(world: LoginWorld, browser: Browser) -> AsyncIterator[Tab]:
    async with new_tab(browser, world.url) as tab:
        yield tab
        assert [one for one in tab.complaints if not any(known in one for known in NOT_KNOWN)] == []


MANUAL = Path(__file__).resolve().parents[4] / "docs" / "how-to" / "below-a-path.md"


@contextmanager
def proxy(what: str, folder: Path, port: int, gateway: int) -> Iterator[None]:
    """A real nginx on `port`, with `/tarsy/` before the gateway. That of Compose passes the path on."""
    if what == "is the front door of Compose":
        services = dict.fromkeys(("ingest", "timeline", "websocket-gateway"), gateway)
        with compose_front_door(folder, port, services, {"TARSY_BASE_PATH": "tarsy/"}):
            yield
        return
    location, upgrade = re.findall(r"```nginx\n(.*?)```", MANUAL.read_text("utf-8"), re.DOTALL)
    location = location.replace("http://tarsy:8080", f"http://127.0.0.1:{gateway}/")
    with nginx_with(f"{upgrade} server {{ listen 127.0.0.1:{port}; {location} }}", folder, port):
        yield


@pytest.mark.parametrize("in_front", ["is the front door of Compose", "takes the path away"])
async def test_below_a_path_everything_of_the_page_is_below_it(tmp_path: Path, browser: Browser, in_front: str) -> None:
    port = free_port()
    async with login_world(tmp_path, base_path="/tarsy", outside=port) as world:
        with proxy(in_front, tmp_path, port, world.port):
            async with new_tab(browser, world.url) as tab:
                await check_the_page_below_its_path(tab, world)


async def check_the_page_below_its_path(tab: Tab, world: LoginWorld) -> None:
    page, asked = tab.page, list[str]()
    page.on("request", lambda request: asked.append(request.url))
    page.on("websocket", lambda socket: asked.append(socket.url.replace("ws:", "http:")))
    await page.goto(f"{world.url}/?page=2")
    await expect(page.locator(".notice")).to_have_text("Log in to see this.")
    await log_in(page)
    await expect(page.locator("#account")).to_contain_text("ada@example.com")
    await expect(page.locator("#connection")).to_have_text("Live")
    await expect(page).to_have_url(f"{world.url}/?page=2")
    (cookie,) = await page.context.cookies()
    assert (cookie["name"], cookie["path"]) == ("tarsy", "/tarsy")

    await page.get_by_role("link", name="Usage").click()
    await expect(page).to_have_url(re.compile(rf"^{world.url}/usage"))
    await page.reload()
    await expect(page.locator("#account")).to_contain_text("ada@example.com")
    await page.get_by_role("link", name="TARSy").click()
    await expect(page).to_have_url(f"{world.url}/")
    await expect(page.get_by_role("heading", name="No alert has been investigated yet")).to_be_visible()
    await expect(page.locator(".first-alert")).to_contain_text(f"curl -X POST {world.url}/api/v1/alerts ")
    await page.get_by_role("button", name="Log out").click()
    await expect(page.get_by_role("link", name="Log in")).to_be_visible()

    ours = [url for url in asked if url.startswith(world.url.removesuffix("/tarsy"))]
    assert [url for url in ours if not url.startswith(f"{world.url}/")] == []
    for path in ("/assets/", "/api/v1/sessions", "/api/v1/ws", "/login", "/login/callback", "/logout"):
        assert any(url.startswith(f"{world.url}{path}") for url in ours), path
    assert [one for one in tab.complaints if not any(known in one for known in NOT_KNOWN)] == []


async def log_in(page: Page) -> None:
    await page.get_by_role("link", name="Log in").click()
    await page.get_by_role("button", name="Sign in").click()


async def test_from_the_page_through_the_login_to_the_list_and_out(world: LoginWorld, tab: Tab) -> None:
    page = tab.page
    await page.goto("/?page=2")
    await expect(page.locator(".notice")).to_have_text("Log in to see this.")
    await log_in(page)

    await expect(page.locator("#account")).to_contain_text("ada@example.com")
    tab.complaints.clear()
    await expect(page.get_by_role("heading", name="No alert has been investigated yet")).to_be_visible()
    await expect(page.locator("#connection")).to_have_text("Live")
    await expect(page).to_have_url(f"{world.url}/?page=2")
    assert await page.evaluate("document.cookie") == ""
    (cookie,) = await page.context.cookies()
    assert (cookie["name"], cookie["httpOnly"], cookie["sameSite"]) == ("tarsy", True, "Strict")
    assert await page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}])") == "[{},{}]"

    await page.reload()
    await expect(page.locator("#account")).to_contain_text("ada@example.com")
    assert tab.complaints == []

    await page.get_by_role("button", name="Log out").click()
    await expect(page.get_by_role("link", name="Log in")).to_be_visible()
    await expect(page.locator("#account")).not_to_contain_text("ada@example.com")
    assert await page.context.cookies() == []


async def test_a_login_that_failed_says_so_and_leads_to_the_next(world: LoginWorld, tab: Tab) -> None:
    page = tab.page
    world.provider.refusal = "access_denied"
    await page.goto("/servers")
    await log_in(page)
    await expect(page.get_by_role("alert")).to_have_text("The provider did not let you in.")
    await expect(page.locator("body")).to_have_css("margin", "0px")

    world.provider.refusal = ""
    await page.get_by_role("link", name="Log in again").click()
    await page.get_by_role("button", name="Sign in").click()
    await expect(page.locator("#account")).to_contain_text("ada@example.com")
    await expect(page).to_have_url(re.compile("/servers$"))


async def test_a_page_that_was_left_open_finds_the_login_of_another_tab(world: LoginWorld, tab: Tab) -> None:
    page = tab.page
    await page.goto("/")
    await expect(page.get_by_role("link", name="Log in")).to_be_visible()
    other = await page.context.new_page()
    await other.goto("/")
    await log_in(other)
    await expect(other.locator("#account")).to_contain_text("ada@example.com")

    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")

    await expect(page.locator("#account")).to_contain_text("ada@example.com")


async def test_a_login_is_begun_with_the_keyboard_alone(world: LoginWorld, tab: Tab) -> None:
    page = tab.page
    await page.goto("/")
    link = page.get_by_role("link", name="Log in")
    await expect(link).to_be_visible()
    for _ in range(10):
        await page.keyboard.press("Tab")
        if await link.evaluate("node => node === document.activeElement"):
            break
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("button", name="Sign in")).to_be_visible()


async def test_without_a_login_the_sentence_of_the_api_is_shown(tmp_path: Path, browser: Browser) -> None:
    async with login_world(tmp_path, sections=("keys", "tokens")) as world, new_tab(browser, world.url) as tab:
        await tab.page.goto("/")
        await expect(tab.page.locator(".notice")).to_contain_text("This needs an API key or a token")
        await expect(tab.page.locator("#account")).to_be_hidden()


async def test_a_login_goes_on_while_the_provider_renews_it_and_says_why_it_ends(
    tmp_path: Path, browser: Browser
) -> None:
    async with login_world(tmp_path, scope=RENEWED) as world, new_tab(browser, world.url) as tab:
        page = tab.page
        await page.goto("/")
        await log_in(page)
        await expect(page.locator("#account")).to_contain_text("ada@example.com")

        await page.context.clear_cookies(name="tarsy")  # as the browser does when the ID token ends
        world.provider.is_away = True
        await page.reload()
        await expect(page.locator(".login-card")).to_contain_text(
            "The provider cannot renew it right now; TARSy will try again."
        )

        world.provider.is_away = False
        await expect(page.locator("#account")).to_contain_text("ada@example.com", timeout=60_000)
        assert await page.evaluate("document.cookie") == ""

        await page.context.clear_cookies(name="tarsy")
        world.provider.ended.update(world.provider.logins.values())
        await page.reload()
        await expect(page.locator(".login-card")).to_contain_text("Your login has ended at the provider. Log in again.")
        await expect(page.get_by_role("link", name="Log in")).to_be_visible()
        assert await page.context.cookies() == []
