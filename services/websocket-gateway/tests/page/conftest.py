"""The page in Chromium: a service that has nothing but the page, and a tab of it."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import Any
from urllib.parse import urlsplit

import pytest
import pytest_asyncio
from fastapi.responses import HTMLResponse
from playwright.async_api import Browser, Error, Route, expect
from prometheus_client import CollectorRegistry

from page.served_api import ServedApis
from tarsy_processes.ports import free_port
from tarsy_service.process.runner import run_services
from tarsy_service.process.service import Ready, Service
from tarsy_testing.browser.browser import Tab, chromium, new_tab, reset_tab
from tarsy_testing.browser.listed_sessions import Show
from tarsy_testing.browser.page_api import Api, PageApi, intercept
from tarsy_testing.story.projection import until_projected
from tarsy_websocket_gateway.page_files.assets import load_page
from tarsy_websocket_gateway.page_files.routes import INDEX_HEADERS, page_routes

type OpenTab = Callable[[Api], AbstractAsyncContextManager[Tab]]

WAIT_SECONDS = 90.0
BLANK = "/blank"
"""A document with the page's policy and none of its scripts."""


@pytest.fixture
def open_page(browser: Browser, gateway: str, timeline: str) -> Callable[[str], Any]:
    """Opens the page of a session, once it is projected: the browser complains of an answer 404.

    Requests to the API go to the timeline, as the front door has it.
    """

    async def pass_on(route: Route) -> None:
        address = urlsplit(route.request.url)
        headers = {**route.request.headers, "host": address.netloc}
        with suppress(Error):  # a page that is reloaded or closed waits for no answer
            answer = await route.fetch(url=f"{timeline}{address.path}?{address.query}", headers=headers)
            await route.fulfill(response=answer)

    async def no_links(route: Route) -> None:
        await route.fulfill(json=[])

    @asynccontextmanager
    async def opened(session_id: str) -> AsyncIterator[Tab]:
        await until_projected(timeline, session_id)
        async with new_tab(browser, f"http://{urlsplit(gateway).netloc}") as tab:
            await tab.page.route("**/api/v1/s*/**", pass_on)
            await tab.page.route("**/api/v1/me", pass_on)
            await tab.page.route("**/api/v1/system/config/links", no_links)
            await tab.page.goto(f"/sessions/{session_id}")
            await expect(tab.page.locator("#connection")).to_have_text("Live")
            yield tab
            # A timeline that is behind answers so, and the page asks again.
            assert [one for one in tab.complaints if "status of 503" not in one] == []

    return opened


def page_service(apis: ServedApis) -> Service:
    page = load_page()
    router = page_routes(page)
    apis.add_to(router)

    @router.get(BLANK)
    async def blank() -> HTMLResponse:
        icon = f'<link rel="icon" href="/assets/{page.version}/icon.svg">'
        return HTMLResponse(f"<!doctype html>{icon}<body>", headers=INDEX_HEADERS)

    async def run(ready: Ready) -> None:
        ready()
        await asyncio.Event().wait()

    return Service(name="page", run=run, router=router)


@pytest.fixture(scope="session")
def served_apis() -> ServedApis:
    return ServedApis()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def address(served_apis: ServedApis) -> AsyncIterator[str]:
    port, stop, started = free_port(), asyncio.Event(), asyncio.Event()
    async with asyncio.TaskGroup() as group:
        group.create_task(
            run_services(
                [page_service(served_apis)], host="127.0.0.1", port=port, registry=CollectorRegistry(),
                shutdown_seconds=1, on_ready=started.set, stop=stop,
            )
        )  # fmt: skip
        async with asyncio.timeout(WAIT_SECONDS):
            await started.wait()
        yield f"http://127.0.0.1:{port}"
        stop.set()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    async with chromium() as browser:
        yield browser


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def module_tab(browser: Browser, address: str) -> AsyncIterator[Tab]:
    async with new_tab(browser, address) as tab:
        await tab.page.goto(BLANK)
        yield tab


@pytest_asyncio.fixture(loop_scope="session")
async def tab(module_tab: Tab) -> AsyncIterator[Tab]:
    """Whatever a test does with hostile text: nobody complains."""
    yield module_tab
    complaints = [*module_tab.complaints]
    # The next test is not blamed for them.
    module_tab.complaints.clear()
    assert complaints == []


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def reused_tab(browser: Browser, address: str) -> AsyncIterator[Tab]:
    async with new_tab(browser, address) as tab:
        yield tab


@pytest.fixture
def open_reused_tab(reused_tab: Tab, served_apis: ServedApis) -> OpenTab:
    """Tests of a module have it in turn, and each finds it as if it were new."""

    @asynccontextmanager
    async def opened(api: Api) -> AsyncIterator[Tab]:
        await served_apis.serve(api, reused_tab.page)
        try:
            yield reused_tab
        finally:
            await reset_tab(reused_tab, BLANK)

    return opened


@pytest.fixture
def open_own_tab(browser: Browser, address: str) -> OpenTab:
    """For what stays with a tab."""

    @asynccontextmanager
    async def opened(api: Api) -> AsyncIterator[Tab]:
        async with new_tab(browser, address) as tab:
            await intercept(tab.page, api)
            yield tab

    return opened


@pytest_asyncio.fixture(loop_scope="session")
async def api_tab(open_reused_tab: OpenTab, api: PageApi) -> AsyncIterator[Tab]:
    """In front of the module's `api`."""
    async with open_reused_tab(api) as tab:
        yield tab
        # Chromium complains about the status of an answer, which is none of the page's faults.
        assert [one for one in tab.complaints if "Failed to load resource" not in one] == []


@pytest.fixture
def show(open_reused_tab: OpenTab) -> Show:
    return Show(open_reused_tab)


@pytest.fixture
def show_apart(open_own_tab: OpenTab) -> Show:
    return Show(open_own_tab)
