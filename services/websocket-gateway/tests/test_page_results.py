"""Results that are too long for the timeline, in Chromium: behind the page the real API, Kafka and PostgreSQL."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import asyncpg
import pytest
import pytest_asyncio
from playwright.async_api import Browser, Locator, Page, expect
from prometheus_client import CollectorRegistry

from tarsy_browser import Tab, new_tab
from tarsy_bus.connection import Bus
from tarsy_bus.log_writer import LogEntry, LogWriter
from tarsy_bus.publisher import Publisher
from tarsy_bus.topics_admin import apply_topics
from tarsy_contracts import events as e
from tarsy_contracts.alert import Alert
from tarsy_contracts.chain import ResolvedChain
from tarsy_contracts.conversation import Usage
from tarsy_contracts.topics import Topics
from tarsy_processes.ports import free_port
from tarsy_service.runner import run_services
from tarsy_timeline.app import build as build_timeline
from tarsy_timeline.settings import TimelineSettings
from tarsy_websocket_gateway.app import build as build_gateway
from tarsy_websocket_gateway.settings import GatewaySettings

pytestmark = pytest.mark.asyncio(loop_scope="module")

WAIT_SECONDS = 90.0
LINES = 450
HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>"


def text_of(count: int) -> str:
    lines = [f"2026-11-22T10:{number // 60:02}:{number % 60:02}Z line {number}" for number in range(count)]
    lines[7] += f" {HOSTILE}"
    return "".join(f"{line}\n" for line in lines)


@dataclass
class Scene:
    url: str
    bus: Bus
    browser: Browser


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def scene(kafka_bootstrap: str, database_url: str, browser: Browser) -> AsyncIterator[Scene]:
    bus = Bus(bootstrap=kafka_bootstrap, topics=Topics(f"t{uuid4().hex[:10]}"), client="test")
    await apply_topics(bus)
    port, schema, stop, started = free_port(), f"t{uuid4().hex[:10]}", asyncio.Event(), asyncio.Event()
    url, registry = f"http://127.0.0.1:{port}", CollectorRegistry()
    kafka = {"kafka": bus.bootstrap, "topic_prefix": bus.topics.prefix}
    timeline = TimelineSettings.model_validate({**kafka, "database": database_url, "database_schema": schema})
    gateway = GatewaySettings.model_validate({**kafka, "timeline_url": url})
    services = [build_timeline(timeline, registry), build_gateway(gateway, registry)]
    async with asyncio.TaskGroup() as group:
        group.create_task(
            run_services(
                services, host="127.0.0.1", port=port, registry=registry, shutdown_seconds=5, on_ready=started.set,
                stop=stop,
            )
        )  # fmt: skip
        async with asyncio.timeout(WAIT_SECONDS):
            await started.wait()
        yield Scene(url, bus, browser)
        stop.set()
    connection = await asyncpg.connect(database_url)
    await connection.execute(f"drop schema if exists {schema} cascade")
    await connection.close()


@pytest_asyncio.fixture(loop_scope="module")
async def tab(scene: Scene) -> AsyncIterator[Tab]:
    async with new_tab(scene.browser, scene.url) as tab:
        yield tab
        assert tab.complaints == []


async def investigated(scene: Scene, session: Any, *, stored: bool = True, summarised: bool = True) -> str:
    """The id of its only call."""
    call, text = str(uuid4()), text_of(LINES)
    execution = {"execution_id": "", "llm_call_id": ""}
    session.add(
        e.SessionStarted(
            input_id="i", alert=Alert(alert_type="crash", data="d", source="api", author="ann"),
            chain=ResolvedChain(chain_id="default", stages=(), summary_llm_provider="scripted"),
        ),
        e.ToolCallRequested.model_validate(
            {**execution, "call_id": call, "server": "k8s", "tool": "pods_log", "arguments": {}, "repeatable": True,
             "timeout_seconds": 60}
        ),
        e.ToolCallCompleted(
            call_id=call, outcome="ok", content=text[:1000] if stored else text, cut=stored, size=len(text),
            lines=LINES, stored=await _stored(scene, call, text) if stored else None,
        ),
    )  # fmt: skip
    if summarised:
        session.add(
            e.SummaryRequested(summary_id=f"{call}/s", call_id=call, execution_id="", timeout_seconds=60),
            e.SummaryCompleted(
                summary_id=f"{call}/s", call_id=call, content="short", usage=Usage(), model="m", duration_ms=7
            ),
        )
    entries = [LogEntry(key=one.subject.encode(), value=value, headers=one.headers()) for one, value in session.records]
    async with LogWriter(scene.bus).running() as writer:
        await writer.append(5, entries)
    return call


async def _stored(scene: Scene, call: str, text: str) -> e.StoredResult:
    data, topic = text.encode(), scene.bus.topics.results
    async with Publisher(scene.bus, source="test", now=lambda: datetime.now(UTC)).running() as publisher:
        written = await publisher.write(topic, key=call.encode(), value=data, headers=[], partition=3)
    piece = e.Piece(offset=written.offset, size=len(data))
    return e.StoredResult(partition=3, pieces=(piece,), size=len(data), lines=LINES)


async def open_call(page: Page, session: Any) -> Locator:
    """The reader under the call."""
    await page.goto(f"/sessions/{session.id}")
    await page.locator("details.call > summary").click()
    await page.get_by_text("Show the rest").click()
    return page.locator(".call .reader")


async def open_result(scene: Scene, tab: Tab, session: Any) -> Locator:
    await investigated(scene, session)
    return await open_call(tab.page, session)


async def test_the_rest_of_a_result_is_paged_through_and_back(
    scene: Scene, tab: Tab, new_session: Callable[[], Any]
) -> None:
    session = new_session()
    reader = await open_result(scene, tab, session)
    lines, notice = reader.locator("pre .row-of-text"), reader.locator("[role=status]")
    back, on = reader.get_by_role("button", name="Previous"), reader.get_by_role("button", name="Next")

    await expect(notice).to_have_text("Lines 0 to 199 (counted from 0) of 450 lines, 13.4 kB.")
    await expect(lines).to_have_count(200)
    await expect(back).to_be_disabled()
    await on.click()
    await expect(lines.first).to_have_text("2026-11-22T10:03:20Z line 200")
    await on.click()
    await expect(notice).to_contain_text("Lines 400 to 449")
    await expect(on).to_be_disabled()
    await back.click()
    await expect(notice).to_contain_text("Lines 200 to 399")
    await expect(reader.locator("code")).to_contain_text(f"tarsy result {session.id} ")


async def test_a_search_shows_what_matches_and_hostile_text_is_text(
    scene: Scene, tab: Tab, new_session: Callable[[], Any]
) -> None:
    session = new_session()
    reader = await open_result(scene, tab, session)
    words, notice = reader.get_by_label("Search in the result"), reader.locator("[role=status]")

    await words.fill("LINE .*7( |$)")
    await reader.get_by_label("any case").check()
    await words.press("Enter")
    await expect(notice).to_have_text(
        "45 lines match, between 7 and 447 (2026-11-22T10:00:07Z to 2026-11-22T10:07:27Z)."
    )
    await expect(reader.locator("mark")).to_have_count(45)
    await expect(reader.locator("pre > .quiet")).to_have_count(44)
    await expect(reader.locator("mark").first).to_contain_text(HOSTILE)
    assert await reader.locator("img, script").count() == 0

    await words.fill("nothing")
    await reader.get_by_role("button", name="Search").click()
    await expect(notice).to_have_text("No line matches, of 450 lines.")
    await words.fill("")
    await words.press("Enter")
    await expect(notice).to_contain_text("Lines 0 to 199")


async def test_the_lines_of_a_time_are_shown_also_in_a_search(
    scene: Scene, tab: Tab, new_session: Callable[[], Any]
) -> None:
    session = new_session()
    reader = await open_result(scene, tab, session)
    lines, notice = reader.locator("pre .row-of-text"), reader.locator("[role=status]")
    begin, end = reader.get_by_label("from", exact=True), reader.get_by_label("until", exact=True)

    await begin.fill("2026-11-22T10:05:10Z")
    await end.fill("2026-11-22T10:05")
    await end.press("Enter")
    await expect(notice).to_have_text("Lines 310 to 359 (counted from 0) of 450 lines, 13.4 kB.")
    await expect(lines).to_have_count(50)
    await reader.get_by_label("Search in the result").fill("line 35")
    await reader.get_by_role("button", name="Search").click()
    await expect(notice).to_contain_text("10 lines match, between 350 and 359 (2026-11-22T10:05:50Z")

    await begin.fill("yesterday")
    await begin.press("Enter")
    await expect(notice).to_contain_text("`from` is no time that is understood")
    tab.complaints.clear()
    await begin.fill("2026-11-22T11:00")
    await end.fill("")
    await reader.get_by_label("Search in the result").fill("")
    await begin.press("Enter")
    await expect(notice).to_have_text("There is nothing here, of 450 lines, 13.4 kB.")


async def test_the_whole_result_is_downloaded(scene: Scene, tab: Tab, new_session: Callable[[], Any]) -> None:
    session = new_session()
    call = await investigated(scene, session)
    reader = await open_call(tab.page, session)
    async with tab.page.expect_download() as begun:
        await reader.get_by_text("Download the whole result").click()
    download = await begun.value
    assert download.suggested_filename == f"result-{call[:8]}.txt"
    saved = await asyncio.to_thread(Path(await download.path()).read_text, "utf-8")
    assert saved == text_of(LINES)


async def test_a_summary_offers_the_result_that_it_is_of(
    scene: Scene, tab: Tab, new_session: Callable[[], Any]
) -> None:
    session = new_session()
    await investigated(scene, session, stored=False)
    await tab.page.goto(f"/sessions/{session.id}")
    summary = tab.page.locator("[data-type=mcp_tool_summary]")
    await summary.get_by_text("Show the whole result").click()
    await expect(summary.locator("pre .row-of-text").first).to_contain_text("line 0")


async def test_a_short_result_offers_nothing_more(scene: Scene, tab: Tab, new_session: Callable[[], Any]) -> None:
    session = new_session()
    await investigated(scene, session, stored=False, summarised=False)
    await tab.page.goto(f"/sessions/{session.id}")
    await tab.page.locator("details.call > summary").click()
    await expect(tab.page.locator(".call pre").last).to_contain_text(f"line {LINES - 1}")
    await expect(tab.page.get_by_text("Show the rest")).to_have_count(0)


async def test_what_the_api_refuses_is_said(scene: Scene, tab: Tab, new_session: Callable[[], Any]) -> None:
    session = new_session()
    reader = await open_result(scene, tab, session)
    await expect(reader.locator("pre .row-of-text")).to_have_count(200)
    await reader.get_by_label("Search in the result").fill("(")
    await reader.get_by_role("button", name="Search").click()
    await expect(reader.locator("[role=status]")).to_contain_text("`search` is no regular expression of RE2")
    assert [one for one in tab.complaints if "status of 400" not in one] == []
    tab.complaints.clear()
