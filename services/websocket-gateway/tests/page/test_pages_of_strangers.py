"""Pages of strangers in Chromium: one whose name is pointed at us (DNS rebinding), and one from elsewhere (CSRF).

Over plain http to a name, Chromium sends no `Sec-Fetch-Site`: nothing but `Origin` says where a request comes from.
"""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest
import pytest_asyncio
from fastapi import APIRouter, Request, WebSocket
from playwright.async_api import Browser, Page
from prometheus_client import CollectorRegistry
from starlette.applications import Starlette
from starlette.responses import HTMLResponse
from starlette.routing import Route

from tarsy_processes.ports import free_port
from tarsy_service.access.allowed_hosts import parse_allowed_hosts
from tarsy_service.access.http_policy import HttpPolicy
from tarsy_service.http.server import http_server
from tarsy_service.process.runner import run_services
from tarsy_service.process.service import Ready, Service
from tarsy_testing.browser.browser import chromium, new_tab

pytestmark = pytest.mark.asyncio(loop_scope="session")

WAIT_SECONDS = 90.0
LOOPBACK = "127.0.0.1"
OURS, STRANGER, REBOUND = "tarsy.example", "stranger.example", "rebound.example"
FLAGS = (
    f"--host-resolver-rules=MAP *.example {LOOPBACK}",
    # The browser's own protection is new, and not in all of them: here TARSy stands alone.
    "--disable-features=LocalNetworkAccessChecks,PrivateNetworkAccessSendPreflights,BlockInsecurePrivateNetworkRequests",
)
READ = (
    """async () => { const answer = await fetch("/api/v1/sessions"); return [answer.status, await answer.text()]; }"""
)
ACT = """async url => {
    try {
        const headers = { "Content-Type": "text/plain" };
        const answer = await fetch(url, { method: "POST", mode: "cors", headers, body: "{}" });
        return answer.status;
    } catch (_) { return "unread"; }
}"""
WATCH = """url => new Promise(done => {
    const socket = new WebSocket(url);
    socket.onmessage = message => done(message.data);
    socket.onerror = () => done("refused");
})"""
FORM = """url => {
    const form = Object.assign(document.createElement("form"), { method: "POST", action: url, enctype: "text/plain" });
    document.body.append(form);
    form.submit();
}"""


@dataclass
class World:
    port: int
    strangers_port: int
    registry: CollectorRegistry = field(default_factory=CollectorRegistry)
    acts: list[str] = field(default_factory=list)

    def url(self, name: str, path: str = "", scheme: str = "http") -> str:
        return f"{scheme}://{name}:{self.port}{path}"

    def denied(self, reason: str) -> float:
        return self.registry.get_sample_value("tarsy_http_denied_total", {"reason": reason}) or 0


def _router(world: World) -> APIRouter:
    router = APIRouter()

    @router.get("/")
    async def page() -> HTMLResponse:
        return HTMLResponse("ours", headers={"Content-Security-Policy": "default-src 'self'"})

    @router.get("/api/v1/sessions")
    async def sessions() -> dict[str, str]:
        return {"found": "a secret"}

    @router.post("/api/v1/act")
    async def act(request: Request) -> dict[str, str]:
        world.acts.append(request.headers.get("origin", ""))
        return {"done": "yes"}

    @router.websocket("/api/v1/ws")
    async def watch(socket: WebSocket) -> None:
        await socket.accept()
        await socket.send_text("a secret")
        await socket.close()

    return router


async def _strangers_page(_: Request) -> HTMLResponse:
    return HTMLResponse("<title>Cats</title>")


@pytest_asyncio.fixture(loop_scope="session")
async def world() -> AsyncIterator[World]:
    world = World(free_port(), free_port())
    stop, started = asyncio.Event(), asyncio.Event()

    async def run(ready: Ready) -> None:
        ready()
        await asyncio.Event().wait()

    running = run_services(
        [Service(name="page", run=run, router=_router(world))], host=LOOPBACK, port=world.port, registry=world.registry,
        shutdown_seconds=1, on_ready=started.set, stop=stop, policy=HttpPolicy(parse_allowed_hosts(OURS)),
    )  # fmt: skip
    strangers = Starlette(routes=[Route("/", _strangers_page)])
    async with http_server(strangers, LOOPBACK, world.strangers_port), asyncio.TaskGroup() as group:
        group.create_task(running)
        async with asyncio.timeout(WAIT_SECONDS):
            await started.wait()
        yield world
        stop.set()


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    async with chromium(*FLAGS) as browser:
        yield browser


@pytest_asyncio.fixture(loop_scope="session")
async def page(browser: Browser, world: World) -> AsyncIterator[Page]:
    async with new_tab(browser, world.url(OURS)) as tab:
        yield tab.page


async def test_a_page_whose_name_is_pointed_at_us_reads_nothing(world: World, page: Page) -> None:
    """The page came from its owner, while the name was still the owner's. Everything else goes to us."""
    address = world.url(REBOUND, "/")
    await page.route(address, lambda route: route.fulfill(body="<title>Cats</title>", content_type="text/html"))
    await page.goto(address)
    status, text = await page.evaluate(READ)
    assert (status, "secret" in text) == (421, False)
    assert await page.evaluate(ACT, "/api/v1/act") == 421
    assert await page.evaluate(WATCH, world.url(REBOUND, "/api/v1/ws", "ws")) == "refused"
    assert (world.denied("host") >= 3, world.acts) == (True, []), "it also asks for an icon"


@pytest.mark.parametrize("target", [OURS, LOOPBACK, "localhost"])
async def test_a_page_from_elsewhere_neither_acts_nor_watches(world: World, page: Page, target: str) -> None:
    await page.goto(f"http://{STRANGER}:{world.strangers_port}/")
    assert await page.evaluate(ACT, world.url(target, "/api/v1/act")) == "unread"
    assert await page.evaluate(WATCH, world.url(target, "/api/v1/ws", "ws")) == "refused"
    async with page.expect_navigation():
        await page.evaluate(FORM, world.url(target, "/api/v1/act"))
    assert "Forbidden" in await page.content()
    assert (world.denied("origin"), world.acts) == (3, [])


@pytest.mark.parametrize("name", [OURS, LOOPBACK, "localhost"])
async def test_our_own_page_does_all_of_it(world: World, page: Page, name: str) -> None:
    await page.goto(world.url(name, "/"))
    assert await page.evaluate(READ) == [200, '{"found":"a secret"}']
    assert await page.evaluate(ACT, "/api/v1/act") == 200
    assert await page.evaluate(WATCH, world.url(name, "/api/v1/ws", "ws")) == "a secret"
    assert (world.denied("origin") + world.denied("host"), world.acts) == (0, [world.url(name)])
