"""The view of MCP servers in Chromium: behind it the real API, and what tool gateways told on a real Kafka."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import httpx2
import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect
from prometheus_client import CollectorRegistry

from tarsy_bus.background_tasks import background_tasks
from tarsy_contracts.api.configuration import ChainAgent, EffectiveConfiguration
from tarsy_contracts.messages.workers import CatalogTool, ToolAnnotations
from tarsy_processes.ports import free_port
from tarsy_service.process.runner import run_services
from tarsy_service.process.service import Ready, Service
from tarsy_service.supervision import Supervisor
from tarsy_testing.browser.browser import Tab, most_per_frame, new_tab
from tarsy_testing.real_servers import eventually
from tarsy_testing.servers.telling_gateways import TellingGateway, announce_all, publishing, telling_bus, tool
from tarsy_timeline.api.me_routes import me_routes
from tarsy_timeline.api.system_routes import system_routes
from tarsy_timeline.system.server_watch import ServerWatch
from tarsy_timeline.system.worker_liveness import WorkerLiveness
from tarsy_websocket_gateway.page_files.assets import load_page
from tarsy_websocket_gateway.page_files.routes import page_routes

pytestmark = pytest.mark.asyncio(loop_scope="session")

AGENTS = tuple(
    ChainAgent(chain_id="kubernetes", stage="look", agent=name, mcp_servers=(server,))
    for name, server in (("Pods", "given"), ("Logs", "denied"))
)
CONFIGURATION = EffectiveConfiguration(
    version="1", defaults={}, limits={}, queue={}, system={}, agents={}, chains={}, mcp_servers={}, llm_providers={},
    skills={}, chain_agents=AGENTS,
)  # fmt: skip
HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)<\\/script>"
WAIT_SECONDS = 90.0
POLL_MILLISECONDS = 10_000
STEP_MILLISECONDS = 0.2
"""So long does one tool take to draw."""
MOST_IN_A_FRAME = 100
"""Drawing may take 10 ms of a frame: the 50 tools of one frame, and not those of two."""
MANY = 1_000


@dataclass
class Scene:
    url: str
    browser: Browser
    one: TellingGateway
    other: TellingGateway

    async def forget(self, *servers: str) -> None:
        """So that the next test finds nothing."""
        for server in servers:
            for gateway in (self.one, self.other):
                await gateway.withdraws(server)

        async def is_empty() -> bool:
            async with httpx2.AsyncClient(base_url=self.url) as client:
                answer = await client.get("/api/v1/system/mcp-servers")
            return bool(answer.json() == {"servers": []})

        await eventually(is_empty, "all servers are gone")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def scene(kafka_bootstrap: str, browser: Browser) -> AsyncIterator[Scene]:
    port, stop, started = free_port(), asyncio.Event(), asyncio.Event()
    async with telling_bus(kafka_bootstrap) as bus, publishing(bus) as publisher:
        # Nobody dies here: a late announcement of a busy machine is no death.
        living = WorkerLiveness(dead_after=timedelta(minutes=10))
        watch = ServerWatch(bus, living, wait_seconds=WAIT_SECONDS, now=lambda: datetime.now(UTC))
        router = page_routes(load_page())
        router.include_router(system_routes(watch))
        router.include_router(me_routes())
        router.add_api_route("/api/v1/system/config", lambda: CONFIGURATION)

        async def run(ready: Ready) -> None:
            ready()
            await watch.run(Supervisor())

        running = run_services(
            [Service(name="page", run=run, router=router)], host="127.0.0.1", port=port, registry=CollectorRegistry(),
            shutdown_seconds=1, on_ready=started.set, stop=stop,
        )  # fmt: skip
        one, other = TellingGateway(publisher), TellingGateway(publisher)
        async with asyncio.TaskGroup() as group:
            group.create_task(running)
            async with asyncio.timeout(WAIT_SECONDS):
                await started.wait()
            async with background_tasks(announce_all([one, other])):
                yield Scene(f"http://127.0.0.1:{port}", browser, one, other)
            stop.set()


@pytest_asyncio.fixture(loop_scope="session")
async def tab(scene: Scene) -> AsyncIterator[Tab]:
    """With a clock that the test moves on; and whatever is shown, nobody complains."""
    async with new_tab(scene.browser, scene.url) as tab:
        await tab.page.clock.install()
        yield tab
        assert tab.complaints == []


async def open_servers(page: Page) -> None:
    await page.goto("/servers")
    await expect(page.locator("#connection")).to_have_text("Live")


async def until_polled(page: Page) -> None:
    async with page.expect_response("**/api/v1/system/mcp-servers*"):
        await page.clock.run_for(POLL_MILLISECONDS)


async def test_a_server_is_shown_with_its_state_its_workers_and_its_tools(scene: Scene, tab: Tab) -> None:
    annotations = ToolAnnotations(title="List pods", read_only=True, idempotent=True)
    schema = {"type": "object", "properties": {"namespace": {"type": "string"}}}
    described = CatalogTool(
        tool="pods", description="Lists the pods.", input_schema=schema, repeatable=True, annotations=annotations
    )
    await scene.one.says("shown", described, tool("delete"))
    await scene.other.says("shown", described, tool("delete"))
    await open_servers(tab.page)
    card = tab.page.locator(".server", has=tab.page.locator("h2", has_text="shown"))

    await expect(card.locator("header .status")).to_have_text("Healthy")
    await expect(card.locator("header + p")).to_have_text("2 tools · shown 1.2 · protocol 2025-11-25")
    await card.get_by_text("Seen by 2 tool gateways").click()
    await expect(card.locator(".workers code")).to_have_text([scene.other.worker_id, scene.one.worker_id])

    await card.get_by_text("2 tools", exact=True).click()
    await expect(card.locator(".tools .tool")).to_have_text(["pods", "delete"])
    await expect(card.locator(".tools .outcome")).to_have_text(
        ["safe to run twice · read-only · idempotent", "runs at most once · the server has no annotations for it"]
    )
    await expect(card.locator(".tools pre")).to_have_count(0)
    await card.get_by_text("List pods").click()
    await expect(card.locator(".tools .text")).to_have_text("Lists the pods.")
    await expect(card.locator(".tools pre")).to_contain_text('"namespace"')
    await scene.forget("shown")


async def test_each_agent_is_shown_with_the_tools_that_it_has_and_one_without_any_is_amber(
    scene: Scene, tab: Tab
) -> None:
    await scene.one.says("given", tool("list"), tool("get"))
    await scene.one.says("denied", tool("query").model_copy(update={"allowed": False}))
    await open_servers(tab.page)
    rows = tab.page.locator(".agent-tools li")
    await expect(rows).to_have_text(
        ["kubernetes · look · Pods given: 2 of 2 tools", "kubernetes · look · Logs denied: 0 of 1 tools"]
    )
    await expect(tab.page.locator(".agent-tools [data-without=true]")).to_have_count(1)
    await scene.forget("given", "denied")


async def test_a_lost_server_is_said_in_the_view_and_in_the_head_until_it_is_back(scene: Scene, tab: Tab) -> None:
    await scene.one.says("lost", tool("query"))
    await open_servers(tab.page)
    page, line = tab.page, tab.page.locator("#servers")
    await expect(line).to_have_text("1 MCP server")
    await expect(page.locator(".warnings li")).to_have_count(0)

    await scene.one.says("lost", error="connection refused")
    await until_polled(page)
    await expect(page.locator(".server header .status")).to_have_text("Not reachable")
    await expect(page.locator(".server .failure").first).to_have_text("connection refused")
    await expect(page.locator(".warnings strong")).to_have_text("The MCP server lost cannot be reached.")
    await expect(line).to_have_text("1 MCP server, 1 warning")

    await scene.one.says("lost", tool("query"))
    await until_polled(page)
    await expect(page.locator(".server header .status")).to_have_text("Healthy")
    await expect(page.locator(".warnings li")).to_have_count(0)
    await expect(page.locator(".server > .failure")).to_be_hidden()
    await scene.forget("lost")
    await until_polled(page)
    await expect(page.locator(".part > .notice")).to_have_text("No tool gateway has reported an MCP server yet.")


async def test_hostile_names_and_descriptions_are_text(scene: Scene, tab: Tab) -> None:
    hostile = CatalogTool(
        tool=HOSTILE, description=HOSTILE, input_schema={"description": HOSTILE}, repeatable=False,
        annotations=ToolAnnotations(title=HOSTILE),
    )  # fmt: skip
    await scene.one.says(HOSTILE, hostile)
    await scene.other.says(HOSTILE, error=HOSTILE)
    await scene.one.says("named", hostile)
    await open_servers(tab.page)
    page = tab.page

    await expect(page.locator(".server h2")).to_have_text([HOSTILE, "named"])
    await expect(page.locator(".warnings p")).to_have_text(HOSTILE)
    await page.get_by_text("Seen by 2 tool gateways").click()
    await expect(page.locator(".workers .failure")).to_have_text(HOSTILE)
    await page.get_by_text("1 tool", exact=True).last.click()
    await expect(page.locator(".tools .tool")).to_have_text(HOSTILE)
    await page.locator(".tools summary").click()
    await expect(page.locator(".tools .text")).to_have_text(HOSTILE)
    assert await page.locator("#content img, #content script").count() == 0
    await scene.forget(HOSTILE, "named")


async def test_a_thousand_tools_are_drawn_without_freezing(scene: Scene) -> None:
    schema = {"type": "object", "properties": {f"p{number}": {"type": "string"} for number in range(10)}}
    tools = [
        CatalogTool(tool=f"tool_{number}", description="d" * 500, input_schema=schema, repeatable=False)
        for number in range(MANY)
    ]
    await scene.one.says("large", *tools)
    async with new_tab(scene.browser, scene.url) as tab:
        await open_servers(tab.page)
        most = await tab.page.evaluate(
            """async ([step, whole, mostPerFrame]) => {
                document.querySelector(".server .fold:last-child").open = true;
                return mostPerFrame(step, () => document.querySelectorAll(".tools > li").length, whole);
            }""",
            [STEP_MILLISECONDS, MANY, await most_per_frame(tab.page)],
        )
        assert 0 < most < MOST_IN_A_FRAME
        assert await tab.page.locator(".tools pre").count() == 0
        assert tab.complaints == []
    await scene.forget("large")


async def test_nobody_is_asked_while_nobody_looks(scene: Scene, tab: Tab) -> None:
    await open_servers(tab.page)
    asked: list[str] = []
    await tab.page.evaluate("Object.defineProperty(document, 'hidden', { get: () => window.isHidden, set: () => {} })")
    await tab.page.evaluate("window.isHidden = true")
    await tab.page.wait_for_load_state("networkidle")
    tab.page.on("request", lambda request: asked.append(request.url))
    await tab.page.clock.run_for(5 * POLL_MILLISECONDS)
    assert asked == []
    async with tab.page.expect_response("**/api/v1/system/warnings"):
        await tab.page.evaluate("window.isHidden = false; document.dispatchEvent(new Event('visibilitychange'))")
