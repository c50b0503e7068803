"""Results that are too long for the timeline, in Chromium: behind the page the real API, Kafka and PostgreSQL."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import asyncpg
import pytest
import pytest_asyncio
from playwright.async_api import Browser, Locator, Page, Route, expect
from prometheus_client import CollectorRegistry

from page.conftest import BLANK
from tarsy_bus.client.connection import Bus
from tarsy_bus.client.publisher import Publisher
from tarsy_bus.log.writer import LogEntry, LogWriter
from tarsy_bus.topics.topics_admin import apply_topics
from tarsy_contracts import events as e
from tarsy_contracts.alert import Alert
from tarsy_contracts.chain import ResolvedChain
from tarsy_contracts.conversation import Usage
from tarsy_contracts.wire.topics import Topics
from tarsy_processes.ports import free_port
from tarsy_service.process.runner import run_services
from tarsy_testing.browser.axe import violations_in_both_schemes
from tarsy_testing.browser.browser import Tab, new_tab, reset_tab
from tarsy_testing.story.projection import until_projected
from tarsy_timeline.app import build as build_timeline
from tarsy_timeline.settings import TimelineSettings
from tarsy_websocket_gateway.app import build as build_gateway
from tarsy_websocket_gateway.settings import GatewaySettings

pytestmark = pytest.mark.asyncio(loop_scope="session")

WAIT_SECONDS = 90.0
WIDTHS = (390, 820, 1440)
LINES = 450
MANY = 100_000
PIECE_BYTES = 500_000
MOST_IN_THE_DOCUMENT = 200
HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>"
SUMMARY = """It fails in line 12: `<img src=x onerror=alert(1)>` stands there, and

```
2026-11-22T10:03:20Z   line 200
no line of this result
```
"""


def text_of(count: int) -> str:
    lines = [f"2026-11-22T10:{number // 60:02}:{number % 60:02}Z line {number}" for number in range(count)]
    lines[7] += f" {HOSTILE}"
    return "".join(f"{line}\n" for line in lines)


def long_text() -> str:
    """10 MB in 100,000 lines."""
    lines = [f"line {number} of a log that is long " + "x" * 66 for number in range(MANY)]
    lines[88_123] += " OOMKilled"
    return "".join(f"{line}\n" for line in lines)


@dataclass
class Scene:
    url: str
    bus: Bus
    browser: Browser


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def scene(kafka_bootstrap: str, database_url: str, browser: Browser) -> AsyncIterator[Scene]:
    bus = Bus(bootstrap=kafka_bootstrap, topics=Topics(f"t{uuid4().hex[:10]}"), client="test")
    await apply_topics(bus)
    port, schema, stop, started = free_port(), f"t{uuid4().hex[:10]}", asyncio.Event(), asyncio.Event()
    url, registry = f"http://127.0.0.1:{port}", CollectorRegistry()
    kafka = {"kafka": bus.bootstrap, "topic_prefix": bus.topics.prefix}
    tables = {"database": database_url, "database_schema": schema}
    timeline = TimelineSettings.model_validate({**kafka, **tables, "wait_seconds": WAIT_SECONDS})
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


@pytest.fixture(autouse=True)
def limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """None that a busy machine reaches: what ten megabytes are searched for is found."""
    monkeypatch.setattr("tarsy_timeline.api.results.call_results.READ_SECONDS", WAIT_SECONDS)
    monkeypatch.setattr("tarsy_timeline.api.results.call_results.LOOK_SECONDS", WAIT_SECONDS)


async def answer_for_the_ingest(tab: Tab) -> None:
    """It is not there, and has no links."""

    async def answer(route: Route) -> None:
        await route.fulfill(json=[])

    await tab.page.context.route("**/api/v1/system/config/links", answer)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def reused_tab(scene: Scene) -> AsyncIterator[Tab]:
    async with new_tab(scene.browser, scene.url) as tab:
        await answer_for_the_ingest(tab)
        yield tab


@pytest_asyncio.fixture(loop_scope="session")
async def tab(reused_tab: Tab) -> AsyncIterator[Tab]:
    yield reused_tab
    complaints = [*reused_tab.complaints]
    await reset_tab(reused_tab, BLANK)
    assert complaints == []


async def investigated(
    scene: Scene, session: Any, *, text: str = "", stored: bool = True, summary: str = "short"
) -> str:
    """The id of its only call, once the API shows it: the page does not ask again for what was not there."""
    call, text = str(uuid4()), text or text_of(LINES)
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
            lines=text.count("\n"), stored=await _stored(scene, call, text) if stored else None,
        ),
    )  # fmt: skip
    if summary:
        session.add(
            e.SummaryRequested(summary_id=f"{call}/s", call_id=call, execution_id="", timeout_seconds=60),
            e.SummaryCompleted(
                summary_id=f"{call}/s", call_id=call, content=summary, usage=Usage(), model="m", duration_ms=7
            ),
        )
    entries = [LogEntry(key=one.subject.encode(), value=value, headers=one.headers()) for one, value in session.records]
    async with LogWriter(scene.bus).running() as writer:
        await writer.append(5, entries)
    await until_projected(scene.url, session.id, len(session.records))
    return call


async def _stored(scene: Scene, call: str, text: str) -> e.StoredResult:
    data, topic, pieces = text.encode(), scene.bus.topics.results, list[e.Piece]()
    async with Publisher(scene.bus, source="test", now=lambda: datetime.now(UTC)).running() as publisher:
        for begin in range(0, len(data), PIECE_BYTES):
            part = data[begin : begin + PIECE_BYTES]
            written = await publisher.write(topic, key=call.encode(), value=part, headers=[], partition=3)
            pieces.append(e.Piece(offset=written.offset, size=len(part)))
    return e.StoredResult(partition=3, pieces=tuple(pieces), size=len(data), lines=text.count("\n"))


class Drawer:
    """The drawer in a tab."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.whole = page.get_by_role("dialog", name="Result of")
        self.lines = self.whole.get_by_role("region", name="Lines of the result")
        self.said = self.whole.get_by_role("status").first

    def line(self, number: int) -> Locator:
        return self.lines.locator(".result-line").filter(
            has=self.page.get_by_role("link", name=f"Line {number:,}", exact=True)
        )

    @property
    def current(self) -> Locator:
        return self.lines.locator(".result-line[data-current]")

    async def go_to(self, line: int) -> None:
        await self.whole.get_by_label("Line", exact=True).fill(str(line))
        await self.whole.get_by_role("button", name="Go to line").click()

    async def search(self, words: str) -> None:
        await self.whole.get_by_label("Search in the result").fill(words)
        await self.whole.get_by_role("button", name="Search").click()


async def open_drawer(page: Page, session: Any) -> Drawer:
    """From the call in the story."""
    await page.goto(f"/sessions/{session.id}")
    await page.locator("details.call > summary").click()
    await page.get_by_role("link", name="Show the rest").click()
    return Drawer(page)


async def open_result(scene: Scene, tab: Tab, session: Any, **given: Any) -> Drawer:
    await investigated(scene, session, **given)
    return await open_drawer(tab.page, session)


async def test_a_line_of_ten_megabytes_of_lines_is_found(
    scene: Scene, tab: Tab, new_session: Callable[[], Any]
) -> None:
    drawer = await open_result(scene, tab, new_session(), text=long_text())
    sizes: list[int] = []
    tab.page.on("response", lambda answer: sizes.append(int(answer.headers.get("content-length", 0))))
    await expect(drawer.line(0)).to_contain_text("line 0 of a log")
    await expect(drawer.whole).to_contain_text("100,000 lines (counted from 0), 10.0 MB, masked")

    await drawer.search("OOM.illed")
    await expect(drawer.said).to_have_text("Line 88,123: 1 of 1 matching line.")
    await expect(drawer.current).to_contain_text("line 88123 of a log")
    await expect(drawer.current.locator("mark")).to_be_in_viewport()
    await drawer.lines.evaluate("(lines) => { lines.scrollTop = lines.scrollHeight; }")
    await expect(drawer.line(MANY - 1)).to_be_in_viewport()
    await expect(drawer.line(MANY - 1)).to_contain_text(f"line {MANY - 1} of a log")
    await drawer.lines.evaluate("(lines) => { lines.scrollTop = lines.scrollHeight / 2; }")
    await expect(drawer.line(MANY // 2 + 5)).to_contain_text(f"line {MANY // 2 + 5} of a log")
    assert await drawer.lines.locator(".result-line").count() < MOST_IN_THE_DOCUMENT
    assert max(sizes) < 100_000


async def test_hits_are_gone_through_and_hostile_text_is_text(
    scene: Scene, tab: Tab, new_session: Callable[[], Any]
) -> None:
    drawer = await open_result(scene, tab, new_session())
    back, on = (drawer.whole.get_by_role("button", name=f"{way} match") for way in ("Previous", "Next"))

    await drawer.whole.get_by_label("ignore case").check()
    await drawer.search("LINE [0-9]*")
    await expect(drawer.said).to_have_text("Line 0: 1 of 450 matching lines.")
    await expect(back).to_be_disabled()
    for number in range(1, 8):
        await on.click()
        await expect(drawer.said).to_have_text(f"Line {number}: {number + 1} of 450 matching lines.")
    await expect(drawer.current).to_contain_text(HOSTILE)
    assert await drawer.lines.locator("img, script").count() == 0
    await back.click()
    await expect(drawer.said).to_contain_text("Line 6:")
    words = drawer.whole.get_by_label("Search in the result")
    for number in range(7, 53):
        await words.press("Enter")
        await expect(drawer.said).to_contain_text(f"Line {number}:")
    await expect(drawer.current.locator("mark")).to_have_text("2026-11-22T10:00:52Z line 52")
    await drawer.search("nothing")
    await expect(drawer.said).to_have_text("No line matches.")
    await expect(drawer.lines.locator("mark")).to_have_count(0)


async def test_lines_of_a_time_are_gone_to_and_searched(scene: Scene, tab: Tab, new_session: Callable[[], Any]) -> None:
    drawer = await open_result(scene, tab, new_session())
    begin, end = (drawer.whole.get_by_label(name, exact=True) for name in ("from", "until"))

    await begin.fill("2026-11-22T10:05:10Z")
    await begin.press("Enter")
    await expect(drawer.said).to_have_text("Lines from that time on begin at line 310.")
    await expect(drawer.current).to_contain_text("2026-11-22T10:05:10Z line 310")
    await end.fill("2026-11-22T10:05")
    await drawer.search("line 35")
    await expect(drawer.said).to_have_text("Line 350: 1 of 10 matching lines.")
    await drawer.go_to(448)
    await expect(drawer.current).to_contain_text("line 448")
    await begin.fill("2026-11-22T11:00")
    await end.fill("")
    await drawer.search("")
    await expect(drawer.said).to_have_text("No line has that time.")
    await begin.fill("yesterday")
    await begin.press("Enter")
    await expect(drawer.said).to_contain_text("`from` is no time that is understood")
    tab.complaints.clear()


async def test_lines_that_the_summary_quotes_are_marked_and_listed(
    scene: Scene, tab: Tab, new_session: Callable[[], Any]
) -> None:
    drawer = await open_result(scene, tab, new_session(), summary=SUMMARY)
    listed = drawer.whole.locator(".quotations")
    await expect(listed.locator("summary")).to_have_text("Lines that the summary quotes: 3")
    await listed.locator("summary").click()
    await expect(listed.get_by_role("button")).to_have_text(["12", "7", "200"])
    await expect(drawer.line(7)).to_contain_text("(the summary quotes this line)")
    await listed.get_by_role("button", name="200").click()
    await expect(drawer.current).to_contain_text("line 200 (the summary quotes this line)")


async def test_lines_are_wrapped_on_request_and_what_is_read_stays(
    scene: Scene, tab: Tab, new_session: Callable[[], Any]
) -> None:
    lines = [f"line {number} " + "word " * (number % 400) for number in range(3_000)]
    drawer = await open_result(scene, tab, new_session(), text="".join(f"{line}\n" for line in lines))
    await drawer.go_to(2_799)
    await expect(drawer.current).to_contain_text("line 2799")
    width = "(lines) => lines.scrollWidth > lines.clientWidth"
    assert await drawer.lines.evaluate(width)
    await drawer.whole.get_by_label("Wrap lines").check()
    await expect(drawer.current).to_be_in_viewport()
    assert not await drawer.lines.evaluate(width)
    await drawer.lines.focus()
    await tab.page.keyboard.press("End")
    await expect(drawer.line(2_999)).to_be_in_viewport()
    await expect(drawer.line(2_999)).to_contain_text("line 2999")


async def test_a_line_of_ten_megabytes_is_read_in_parts(scene: Scene, tab: Tab, new_session: Callable[[], Any]) -> None:
    long = "ab" * 4_000_000 + " here " + "cd" * 1_000_000
    drawer = await open_result(scene, tab, new_session(), text=f"first\n{long}\nlast\n")
    await expect(drawer.line(2)).to_contain_text("last")
    shown = await drawer.line(1).locator(".line-text").inner_text()
    assert len(shown) == 1_000
    await drawer.line(1).get_by_role("button", name="Continue at line 1").click()
    part = drawer.whole.locator(".long-line")
    await expect(part.get_by_role("heading")).to_have_text("Line 1, from byte 0 on")
    await part.get_by_role("button", name="Next part").click()
    await expect(part.get_by_role("heading")).to_have_text("Line 1, from byte 49,152 on")
    await part.get_by_role("button", name="Back to the lines").click()
    await drawer.search("here")
    await expect(drawer.said).to_have_text("Line 1: 1 of 1 matching line.")
    await expect(part.locator("pre")).to_contain_text(" here ")


async def test_the_drawer_is_reached_and_left_with_the_keyboard_and_has_an_address(
    scene: Scene, tab: Tab, new_session: Callable[[], Any]
) -> None:
    session, page = new_session(), tab.page
    call = await investigated(scene, session)
    await page.goto(f"/sessions/{session.id}?show=steps#timeline")
    await page.locator("details.call > summary").press("Enter")
    link = page.get_by_role("link", name="Show the rest")
    await link.press("Enter")
    drawer = Drawer(page)
    await expect(drawer.lines).to_be_focused()
    await expect(page).to_have_url(re.compile(rf"\?show=steps&result={call}$"))
    await drawer.line(3).get_by_role("link").click()
    await expect(page).to_have_url(re.compile(rf"\?show=steps&result={call}&line=3$"))
    await page.keyboard.press("Escape")
    await expect(drawer.whole).to_have_count(0)
    await expect(link).to_be_focused()
    await expect(page).to_have_url(re.compile(r"\?show=steps$"))

    await page.goto(f"/sessions/{session.id}?result={call}&line=400")
    await expect(drawer.current).to_contain_text("line 400")
    await expect(drawer.current).to_be_in_viewport()
    await drawer.whole.get_by_role("button", name="Close").click()
    await expect(drawer.whole).to_have_count(0)


async def test_the_drawer_is_accessible_at_every_width(scene: Scene, new_session: Callable[[], Any]) -> None:
    session = new_session()
    call = await investigated(scene, session, summary=SUMMARY, text=f"{text_of(LINES)}{'y' * 5_000}\n")
    broken: list[str] = []
    for width in WIDTHS:
        viewport = {"width": width, "height": 900}
        async with new_tab(scene.browser, scene.url, viewport=viewport) as tab:
            await answer_for_the_ingest(tab)
            await tab.page.goto(f"/sessions/{session.id}?result={call}&line=7")
            drawer = Drawer(tab.page)
            await expect(drawer.whole.locator(".quotations summary")).to_have_text("Lines that the summary quotes: 3")
            await drawer.whole.locator(".quotations summary").click()
            await drawer.search("line 44")
            await expect(drawer.current.locator("mark")).to_be_in_viewport()
            broken += [f"lines at {width}: {one}" for one in await violations_in_both_schemes(tab.page)]
            assert await tab.page.evaluate("document.documentElement.scrollWidth") <= width
            await drawer.go_to(450)
            await drawer.whole.get_by_role("button", name="Continue at line 450").click()
            await expect(drawer.whole.locator(".long-line pre")).to_contain_text("yyy")
            broken += [f"a long line at {width}: {one}" for one in await violations_in_both_schemes(tab.page)]
            assert tab.complaints == []
    assert broken == [], "\n".join(broken)


async def test_the_whole_result_is_downloaded(scene: Scene, tab: Tab, new_session: Callable[[], Any]) -> None:
    session = new_session()
    call = await investigated(scene, session)
    drawer = await open_drawer(tab.page, session)
    async with tab.page.expect_download() as begun:
        await drawer.whole.get_by_role("link", name="Download").click()
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
    await summary.get_by_role("link", name="Open full result").click()
    await expect(Drawer(tab.page).line(0)).to_contain_text("line 0")


async def test_a_short_result_is_read_in_the_drawer_too(scene: Scene, tab: Tab, new_session: Callable[[], Any]) -> None:
    session = new_session()
    await investigated(scene, session, stored=False, summary="")
    await tab.page.goto(f"/sessions/{session.id}")
    await tab.page.locator("details.call > summary").click()
    await expect(tab.page.locator(".call pre").last).to_contain_text(f"line {LINES - 1}")
    await expect(tab.page.get_by_text("Show the rest")).to_have_count(0)
    await tab.page.get_by_role("link", name="Open full result").click()
    await expect(Drawer(tab.page).line(0)).to_contain_text("line 0")


async def test_what_the_api_refuses_is_said(scene: Scene, tab: Tab, new_session: Callable[[], Any]) -> None:
    drawer = await open_result(scene, tab, new_session())
    await drawer.search("(")
    await expect(drawer.said).to_contain_text("`search` is no regular expression of RE2")
    assert [one for one in tab.complaints if "status of 400" not in one] == []
    tab.complaints.clear()


async def test_a_result_that_is_not_there_is_said(scene: Scene, tab: Tab, new_session: Callable[[], Any]) -> None:
    session = new_session()
    await investigated(scene, session)
    await tab.page.goto(f"/sessions/{session.id}?result=no-such-call")
    drawer = tab.page.get_by_role("dialog", name="Result")
    await expect(drawer.get_by_role("alert")).to_contain_text("no-such-call")
    await expect(drawer.get_by_role("button", name="Try again")).to_be_visible()
    tab.complaints.clear()
