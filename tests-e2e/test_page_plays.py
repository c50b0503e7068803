"""What people do on the page, from its form to the end, in front of one TARSy of real processes, which are killed, too.

Alert and models say hostile things throughout.
"""

import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect

from tarsy_bus.topics.topics_admin import apply_topics
from tarsy_processes.ports import free_port
from tarsy_testing.browser.browser import Tab, chromium, demand_chromium, new_tab, text_of
from tarsy_testing.real_servers import bus_of_tests, delete_topics, drop_schema, eventually
from tarsy_testing.story.incident import INCIDENT
from tarsy_testing.system.service_forks import OwnProcess, ServiceForks
from tarsy_testing.system.system import PATIENT, ROOT, System, running
from tarsy_verification.tool_runs import runs_of

pytestmark = pytest.mark.asyncio(loop_scope="module")

CONFIG = ROOT / "tests-e2e" / "page_plays"
AGENTS = ("Reader", "Writer", "Deleter")
HOSTILE = "<script>alert(2)</script>"
TITLE = "<img src=x onerror=alert(1)> checkout <b>crashes</b>"
DATA = f"The pod shop/checkout-7c9d6f5b84-x2x7k restarts again and again. {HOSTILE}"
INVESTIGATION_MILLISECONDS = 240_000
LOST = "Connection lost, trying again"
WATCH = """
    window.drawn = new Map();
    new MutationObserver(() => {
        for (const item of document.querySelectorAll('.item[data-status="streaming"]')) {
            const length = item.querySelector(".text")?.textContent.length ?? 0;
            const one = drawn.get(item) ?? { agent: item.closest('[id^="panel-"]')?.id, texts: new Set() };
            if (length > 0) drawn.set(item, { ...one, texts: one.texts.add(length) });
        }
    }).observe(document, { subtree: true, childList: true, characterData: true });
"""
"""Keeps the lengths of each text that streams, with the part of the story that it stands in."""
BEHIND = ("orchestrator", "tool-gateway", "summarizer", "ingest")
"""Services that the page needs for none of what it shows."""


@dataclass
class FrontDoor:
    """A process in front of the services of `system`, at one address for as long as the test runs."""

    system: System
    forks: ServiceForks
    port: int = field(default_factory=free_port)
    process: OwnProcess | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        ports = [f"{name}={self.system.of(name).port}" for name in ("timeline", "ingest", "websocket-gateway")]
        log = self.system.folder / "front-door.log"
        self.process = self.forks.start(
            "tarsy_testing.browser.front_door", str(self.port), *ports, log=log, folder=ROOT, environment=dict(PATIENT)
        )

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait(10)


@dataclass
class Stage:
    """`calls`: where the lab notes the tools that it runs. `hold`: while this file exists, they wait."""

    system: System
    door: FrontDoor
    browser: Browser
    calls: Path
    hold: Path

    @contextmanager
    def tools_held(self) -> Iterator[None]:
        """No investigation with a Lister ends meanwhile, however long the browser takes."""
        self.hold.touch()
        try:
            yield
        finally:
            self.hold.unlink()

    async def submit(self, page: Page, chain: str) -> str:
        """By the form, as a person does; the page shows its session, whose id is returned."""
        await page.goto("/submit")
        await page.get_by_label("Alert", exact=True).fill(DATA)
        await page.get_by_label("Title").fill(TITLE)
        await page.get_by_label("Alert type").select_option(chain)
        await page.get_by_role("button", name="Submit").click()
        await expect(page).to_have_url(re.compile("/sessions/"))
        await until_live(page)
        await expect(page.locator("h1")).to_have_text(TITLE)
        return page.url.rpartition("/")[2]

    async def until_calls(self, session_id: str) -> None:
        async def look() -> bool:
            return bool(runs_of(self.calls, session_id))

        await eventually(look, "a tool is called")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(
    tmp_path_factory: pytest.TempPathFactory,
    incidents: Path,
    kafka_bootstrap: str,
    database_url: str,
    forks: ServiceForks,
) -> AsyncIterator[Stage]:
    demand_chromium()
    folder, prefix = tmp_path_factory.mktemp("plays"), f"t{uuid4().hex[:10]}"
    calls, hold = folder / "calls.jsonl", folder / "hold"
    calls.touch()
    variables = {
        "TARSY_TEST_INCIDENT": str(incidents / INCIDENT.name),
        "TARSY_TEST_CALLS": str(calls),
        "TARSY_TEST_HOLD": str(hold),
    }
    bus = bus_of_tests(kafka_bootstrap, prefix)
    await apply_topics(bus)
    system = System(bus, folder, CONFIG, database_url, prefix, PATIENT | variables, forks=forks)
    door = FrontDoor(system, forks)
    with running(system):
        await system.start_all()
        door.start()
        async with chromium() as browser:
            yield Stage(system, door, browser, calls, hold)
        door.kill()
    await delete_topics(bus)
    await drop_schema(database_url, prefix)


async def until_live(page: Page) -> None:
    await expect(page.locator("#connection")).to_have_text("Live")


async def until_ended(page: Page, status: str) -> None:
    await expect(page.locator(".state .status")).to_have_text(status, timeout=INVESTIGATION_MILLISECONDS)


async def agent_of(page: Page, name: str) -> str:
    """The id of the part of the story that is this agent's, after a click in the outline."""
    link = page.locator('.stages a[href^="#panel-"]', has_text=name)
    await link.click()
    return (await link.get_attribute("href") or "").removeprefix("#")


async def until_grown(page: Page, agent: str) -> None:
    """A text of it streamed, and was drawn with more of it later: `WATCH` has seen it, however busy the machine is."""

    async def look() -> bool:
        found: bool = await page.evaluate(
            "(agent) => [...window.drawn.values()].some((one) => one.agent === agent && one.texts.size > 1)", agent
        )
        return found

    await eventually(look, f"a text of {agent} grows", seconds=INVESTIGATION_MILLISECONDS / 1000)


def complaints(tab: Tab) -> list[str]:
    """Without those of a network that was cut, and of a front door that has nobody behind it."""
    known = ("net::ERR_", "Failed to load resource", "WebSocket connection to")
    return [one for one in tab.complaints if not any(word in one for word in known)]


async def is_harmless(page: Page) -> None:
    await expect(page.locator("main")).to_contain_text(HOSTILE)
    assert await page.locator("main :is(script, img, iframe, b, style, object)").count() == 0


async def test_a_person_submits_watches_three_agents_and_approves(stage: Stage) -> None:
    async with new_tab(stage.browser, stage.door.url) as tab:
        page = tab.page
        await page.add_init_script(WATCH)
        session_id = await stage.submit(page, "three")
        await expect(page.locator(".now li .name")).to_have_text(list(AGENTS), timeout=INVESTIGATION_MILLISECONDS)
        for name in AGENTS:
            await until_grown(page, await agent_of(page, name))
        await is_harmless(page)

        card = page.locator(".item[data-type=approval]")
        await expect(card).to_contain_text("kubernetes.pods_delete", timeout=INVESTIGATION_MILLISECONDS)
        await expect(card).to_contain_text(HOSTILE)
        assert runs_of(stage.calls, session_id) == []
        await card.get_by_role("button", name="Approve").click()
        await expect(card.get_by_role("button")).to_have_count(0)
        await until_ended(page, "Completed")
        await expect(page.locator(".executive")).to_contain_text("Nothing is left to be done.")
        await expect(page.locator(".changed li")).to_have_count(1)
        assert [run.tool for run in runs_of(stage.calls, session_id)] == ["pods_delete"]
        await is_harmless(page)
        assert complaints(tab) == []


async def test_what_is_cancelled_is_run_again_as_another_session(stage: Stage) -> None:
    async with new_tab(stage.browser, stage.door.url) as tab:
        page = tab.page
        with stage.tools_held():
            cancelled = await stage.submit(page, "held")
            await stage.until_calls(cancelled)
            await page.get_by_role("button", name="Cancel", exact=True).click()
            await page.get_by_role("button", name="Yes, cancel it").click()
            await until_ended(page, "Cancelled")
        await page.get_by_role("button", name="Re-run").click()
        await expect(page).not_to_have_url(re.compile(cancelled))
        await until_ended(page, "Completed")
        await expect(page.locator("h1")).to_have_text(TITLE)
        await page.get_by_role("tab", name="Details").click()
        await page.locator(".facts").get_by_role("link", name=cancelled[:8]).click()
        await expect(page).to_have_url(re.compile(cancelled))
        await until_ended(page, "Cancelled")
        assert complaints(tab) == []


async def test_whichever_process_is_killed_the_page_loses_nothing(stage: Stage) -> None:
    """One after the other, while one investigation runs; its page says when it is lost, and is back without a gap."""
    async with new_tab(stage.browser, stage.door.url) as tab:
        page = tab.page
        await page.add_init_script(WATCH)
        with stage.tools_held():
            session_id = await stage.submit(page, "killed")
            await stage.until_calls(session_id)
            await until_grown(page, await agent_of(page, "Writer"))
            for service in BEHIND:
                await stage.system.replace(service)
                await until_live(page)
            await nothing_is_done_without_a_timeline(stage, page)
            async with lost(page):
                dead = stage.system.of("websocket-gateway")
                dead.kill()
                await stands_still(page)
                await stage.system.until_ready(stage.system.start("websocket-gateway", port=dead.port))
            async with lost(page):
                stage.door.kill()
                await stands_still(page)
                stage.door.start()
        await until_ended(page, "Completed")
        await says_what_an_undisturbed_page_says(stage, page, session_id)
        assert complaints(tab) == []


async def nothing_is_done_without_a_timeline(stage: Stage, page: Page) -> None:
    dead = stage.system.of("timeline")
    dead.kill()
    await page.get_by_role("button", name="Cancel", exact=True).click()
    await page.get_by_role("button", name="Yes, cancel it").click()
    await expect(page.locator(".cancelling .answer")).to_contain_text("No timeline answers now.")
    await until_live(page)
    await stage.system.until_ready(stage.system.start("timeline", port=dead.port))


@asynccontextmanager
async def lost(page: Page) -> AsyncIterator[None]:
    """At the end the page is live again, and counts on."""
    took = page.locator(".facts .took")
    yield
    stood = await took.inner_text()
    await until_live(page)
    await expect(page.get_by_role("button", name="Cancel", exact=True)).to_be_enabled()
    await expect(page.locator(".as-of")).to_have_count(0)
    await expect(took).not_to_have_text(stood)


async def stands_still(page: Page) -> None:
    took = page.locator(".facts .took")
    await expect(page.locator("#connection")).to_have_text(LOST)
    await expect(page.locator(".as-of")).to_contain_text("As of ")
    await expect(page.get_by_role("button", name="Cancel", exact=True)).to_be_disabled()
    before = await took.inner_text()
    # Two seconds of the browser's clock, in which it would have counted on.
    await page.evaluate("() => new Promise((done) => setTimeout(done, 2000))")
    assert await took.inner_text() == before


async def says_what_an_undisturbed_page_says(stage: Stage, page: Page, session_id: str) -> None:
    async with new_tab(stage.browser, stage.door.url) as other:
        await other.page.goto(f"/sessions/{session_id}")
        await until_ended(other.page, "Completed")
        await agent_of(other.page, "Writer")
        # What was counted is read again after the end.
        facts = other.page.locator(".facts")
        await expect(facts).to_contain_text("Tokens")
        await expect(page.locator(".facts")).to_have_text(await facts.text_content() or "")
        assert await text_of(page) == await text_of(other.page)
        assert complaints(other) == []
