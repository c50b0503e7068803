"""The page in Chromium, against its goals: `python benchmarks/page.py [PART ...]`.

Bytes of the first view; seconds until list and session are drawn on an emulated slow 4G, on the first visit and after
it; frames, long tasks and CPU of the renderer while three agents stream, while a session of 2,000 events opens, and
while 10,000 sessions are scrolled. Needs Debian's chromium; no Kafka, no database.

Times, frames and long tasks depend on the machine's load; CPU seconds of the renderer hardly do.
"""

import argparse
import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.async_api import Browser, BrowserContext, CDPSession, Page, ViewportSize, expect
from saying import load_told, say

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests-support"))

from page_limits import (
    FIRST_VISIT_MILLISECONDS,
    FRAME_MILLISECONDS,
    FRAMES_A_SECOND,
    LATER_VISIT_MILLISECONDS,
    LONG_TASK_MILLISECONDS,
    Limits,
)
from page_server import PageServer

from tarsy_testing.browser.browser import chromium

SLOW_4G = {"offline": False, "latency": 150, "downloadThroughput": 1_600_000 // 8, "uploadThroughput": 750_000 // 8}
METRICS = ("TaskDuration", "ScriptDuration", "LayoutDuration", "RecalcStyleDuration")
DESK: ViewportSize = {"width": 1440, "height": 900}
FIRST_LIST, FIRST_SESSION = ".listed", ".item"
USUAL_EVENTS = 60
SCROLLED_FRAMES, SCROLLED_PIXELS = 300, 1_000
WAIT_MILLISECONDS = 60_000
INSTALL = """
    window.longTasks = [];
    new PerformanceObserver((list) => longTasks.push(...list.getEntries().map((one) => one.duration)))
        .observe({ type: "longtask", buffered: true });
    window.until = (selector) => {
        window.drawn = new Promise((done, failed) => {
            setTimeout(failed, 60_000, new Error(`${selector} did not come`));
            new MutationObserver((_, looking) => {
            if (document.querySelector(selector) === null) return;
            looking.disconnect();
            requestAnimationFrame(() => done(performance.now()));
            }).observe(document, { subtree: true, childList: true });
        });
    };
    window.frames = () => {
        const times = [];
        const frame = (time) => { times.push(time); window.nextFrame = requestAnimationFrame(frame); };
        window.nextFrame = requestAnimationFrame(frame);
        return times;
    };
"""
SCROLL = """async ([frames, pixels]) => {
    for (let count = 0; count < frames; count++) {
        scrollBy(0, pixels);
        await new Promise(requestAnimationFrame);
    }
}"""


@dataclass
class Traffic:
    """What came over the network, by kind. `cached`: how much did not."""

    bytes: dict[str, int] = field(default_factory=dict)
    requests: dict[str, int] = field(default_factory=dict)
    cached: int = 0
    _kinds: dict[str, str] = field(default_factory=dict)
    _from_cache: set[str] = field(default_factory=set)

    def listen(self, session: CDPSession) -> None:
        session.on("Network.responseReceived", self._response)
        session.on("Network.requestServedFromCache", lambda event: self._from_cache.add(event["requestId"]))
        session.on("Network.loadingFinished", self._finished)

    def of(self, *kinds: str) -> int:
        return sum(self.bytes.get(kind, 0) for kind in kinds)

    def _response(self, event: dict[str, object]) -> None:
        response, id = event["response"], str(event["requestId"])
        assert isinstance(response, dict)
        path = str(response["url"]).partition("://")[2].partition("/")[2]
        self._kinds[id] = "api" if path.startswith(("api/", "login/")) else "page"
        if response.get("fromDiskCache"):
            self._from_cache.add(id)

    def _finished(self, event: dict[str, object]) -> None:
        id, size = str(event["requestId"]), event["encodedDataLength"]
        assert isinstance(size, int | float)
        if id in self._from_cache:
            self.cached += 1
            return
        kind = self._kinds.get(id, "page")
        self.bytes[kind] = self.bytes.get(kind, 0) + int(size)
        self.requests[kind] = self.requests.get(kind, 0) + 1


@dataclass(frozen=True)
class Measured:
    """`cpu`: seconds of the renderer, by metric."""

    cpu: dict[str, float]
    long_tasks: list[float]


@asynccontextmanager
async def opened(context: BrowserContext) -> AsyncIterator[tuple[Page, CDPSession]]:
    page = await context.new_page()
    session = await context.new_cdp_session(page)
    await session.send("Performance.enable", {"timeDomain": "threadTicks"})
    await page.add_init_script(INSTALL)
    try:
        yield page, session
    finally:
        await page.close()


async def cpu(session: CDPSession) -> dict[str, float]:
    answer = await session.send("Performance.getMetrics")
    return {one["name"]: one["value"] for one in answer["metrics"] if one["name"] in METRICS}


@asynccontextmanager
async def measuring(page: Page, session: CDPSession) -> AsyncIterator[Measured]:
    """Filled in at the end."""
    measured, before = Measured({}, []), await cpu(session)
    known = await page.evaluate("() => longTasks?.length ?? 0") if page.url != "about:blank" else 0
    yield measured
    after = await cpu(session)
    measured.cpu.update({name: after[name] - before[name] for name in METRICS})
    measured.long_tasks.extend((await page.evaluate("() => longTasks"))[known:])


def describe(measured: Measured, seconds: float = 1.0) -> str:
    """`seconds`: by which the CPU is divided."""
    parts = " ".join(f"{name.removesuffix('Duration')} {1000 * measured.cpu[name] / seconds:.0f}" for name in METRICS)
    longest = max(measured.long_tasks, default=0.0)
    return f"CPU ms: {parts}; long tasks: {len(measured.long_tasks)}, the longest {longest:.0f} ms"


def judge_tasks(limits: Limits, name: str, measured: Measured) -> None:
    limits.at_most(f"longest task, {name}", max(measured.long_tasks, default=0.0), LONG_TASK_MILLISECONDS)


@dataclass(frozen=True)
class Visit:
    """`drawn`: milliseconds until its view is drawn. `cpu`: of the renderer until then, in milliseconds."""

    drawn: float
    cpu: float
    traffic: Traffic


async def visit(context: BrowserContext, url: str, selector: str) -> Visit:
    """On slow 4G."""
    async with opened(context) as (page, session):
        traffic = Traffic()
        await session.send("Network.enable")
        await session.send("Network.emulateNetworkConditions", SLOW_4G)
        traffic.listen(session)
        await page.add_init_script(f"until({selector!r})")
        await page.goto(url)
        drawn: float = await page.evaluate("() => window.drawn")
        used = 1000 * (await cpu(session))["TaskDuration"]
        await page.wait_for_load_state("networkidle")
        return Visit(drawn, used, traffic)


async def measure_visits(browser: Browser, server: PageServer, limits: Limits, rounds: int) -> None:
    server.show_long_session(USUAL_EVENTS)
    for name, path, selector in (("list", "/", FIRST_LIST), ("session", server.path, FIRST_SESSION)):
        context = await browser.new_context(base_url=server.url, viewport=DESK)
        first, *later = [await visit(context, f"{server.url}{path}", selector) for _ in range(1 + rounds)]
        for which, one in (("first visit", first), ("later visits", later[-1])):
            page, api = (f"{one.traffic.of(kind) / 1000:.0f} kB" for kind in ("page", "api"))
            requests = one.traffic.requests
            say(f"{name}, {which}: page {page} in {requests.get('page', 0)} requests with their headers,")
            say(f"  API {api} in {requests.get('api', 0)}, {one.traffic.cached} from the browser's cache")
        times = sorted(one.drawn for one in later)
        say(f"{name} drawn on slow 4G: first visit {first.drawn:.0f} ms, later {times[0]:.0f} to {times[-1]:.0f} ms")
        say(f"  CPU until then: {first.cpu:.0f} ms, later {min(one.cpu for one in later):.0f} ms")
        limits.at_most(f"{name} drawn on slow 4G, first visit", first.drawn, FIRST_VISIT_MILLISECONDS)
        limits.at_most(f"{name} drawn on slow 4G, later", times[len(times) // 2], LATER_VISIT_MILLISECONDS)
        await context.close()


async def measure_streaming(browser: Browser, server: PageServer, limits: Limits, seconds: float) -> None:
    server.show_three_agents()
    context = await browser.new_context(base_url=server.url, viewport=DESK)
    async with opened(context) as (page, session):
        await page.goto(server.path)
        await expect(page.locator(".now li")).to_have_count(3)
        await page.evaluate("window.times = frames()")
        server.streaming.set()
        for part in ("first", "second"):
            async with measuring(page, session) as measured:
                begun = await page.evaluate("() => [times.length, performance.now()]")
                await asyncio.sleep(seconds / 2)
                ended = await page.evaluate("() => [times.length, performance.now()]")
            took = (ended[1] - begun[1]) / 1000
            rate = (ended[0] - begun[0]) / took
            say(f"three agents stream, {part} half: {rate:.0f} frames/s; a second: {describe(measured, took)}")
            limits.at_least(f"frames while three agents stream, {part} half", rate, FRAMES_A_SECOND, "a second")
            judge_tasks(limits, "three agents stream", measured)
        server.streaming.clear()
        gaps = await page.evaluate(
            "() => times.slice(1).map((time, place) => time - times[place]).sort((a, b) => a - b)"
        )
        say(
            f"frames: p50 {gaps[len(gaps) // 2]:.1f} ms, p99 {gaps[len(gaps) * 99 // 100]:.1f} ms, "
            f"longest {gaps[-1]:.0f} ms"
        )
        limits.at_most("99 of 100 frames come within", gaps[len(gaps) * 99 // 100], FRAME_MILLISECONDS)
    await context.close()


async def measure_long_session(browser: Browser, server: PageServer, limits: Limits, events: int) -> None:
    server.show_long_session(events)
    context = await browser.new_context(base_url=server.url, viewport=DESK)
    async with opened(context) as (page, session):
        await page.goto("/submit")
        async with measuring(page, session) as measured:
            await page.evaluate(
                "(path) => { history.pushState(null, '', path); dispatchEvent(new PopStateEvent('popstate')); }",
                server.path,
            )
            await expect(page.locator(".items > .item")).to_have_count(
                3 * (events // 5 - 2) + 1, timeout=WAIT_MILLISECONDS
            )
            await page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        say(f"a session of {events} events opens: {describe(measured)}")
        judge_tasks(limits, f"a session of {events} events opens", measured)
        async with measuring(page, session) as measured:
            await page.evaluate(SCROLL, [SCROLLED_FRAMES, SCROLLED_PIXELS])
        say(f"it is scrolled by {SCROLLED_FRAMES} x {SCROLLED_PIXELS} pixels: {describe(measured)}")
        judge_tasks(limits, "it is scrolled", measured)
    await context.close()


async def measure_scrolling(browser: Browser, server: PageServer, limits: Limits) -> None:
    context = await browser.new_context(base_url=server.url, viewport=DESK)
    async with opened(context) as (page, session):
        await page.goto("/")
        await expect(page.locator(FIRST_LIST).first).to_be_visible()
        async with measuring(page, session) as measured:
            await page.evaluate(SCROLL, [SCROLLED_FRAMES, SCROLLED_PIXELS])
        say(f"10,000 sessions are scrolled by {SCROLLED_FRAMES} x {SCROLLED_PIXELS} pixels: {describe(measured)}")
        judge_tasks(limits, "10,000 sessions are scrolled", measured)
    await context.close()


async def run(arguments: argparse.Namespace) -> None:
    limits = Limits()
    async with PageServer().running() as server, chromium() as browser:
        parts: dict[str, Callable[[], Awaitable[None]]] = {
            "visits": lambda: measure_visits(browser, server, limits, arguments.rounds),
            "streaming": lambda: measure_streaming(browser, server, limits, arguments.seconds),
            "long": lambda: measure_long_session(browser, server, limits, arguments.events),
            "list": lambda: measure_scrolling(browser, server, limits),
        }
        for name, measure in parts.items():
            if not arguments.parts or name in arguments.parts:
                await measure()
    limits.summarise()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("parts", nargs="*", help="visits, streaming, long, list; all of them for none")
    parser.add_argument("--seconds", type=float, default=20.0, help="that the agents stream")
    parser.add_argument("--events", type=int, default=2000, help="of the long session")
    parser.add_argument("--rounds", type=int, default=5, help="visits after the first")
    with load_told():
        asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
