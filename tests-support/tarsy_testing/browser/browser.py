"""Debian's Chromium, without a window, and all that a page in it complains about."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.async_api import Browser, ConsoleMessage, Dialog, Error, JSHandle, Page, async_playwright, expect

from tarsy_testing.programs import required_program

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
)
OFF_FOR_PLAYWRIGHT = (
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsUpgrades",
    "HttpsFirstBalancedModeAutoEnable",
    "LensOverlay",
    "MediaRouter",
    "PaintHolding",
    "ThirdPartyStoragePartitioning",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "TcpPortRandomizationWin",
    "OptimizationHints",
    "NetworkTimeServiceQuerying",
    "AimEnabled",
    "PreconnectToSearch",
    "msForceBrowserSignIn",
    "msEdgeUpdateLaunchServicesPreferredVersion",
)
"""Playwright's own list. Chromium takes one list only, the last."""
OFF_AROUND_THE_PAGE = ("SpareRendererForSitePerProcess", "WebUIOmniboxAimPopup", "WebUIOmniboxPopup")
"""Processes that Chromium keeps for the bar of addresses of each window, and for the next tab: a third of its work."""
WAIT_MILLISECONDS = 60_000

PATIENCE = """(() => {
    const wait = AbortSignal.timeout.bind(AbortSignal);
    AbortSignal.timeout = (milliseconds) => wait(milliseconds * 8);
})()"""
"""The page gives up a request after 15 seconds, in which a busy machine may not come to answer it."""

HAS_COPIED = "() => [...document.querySelectorAll('button.copy')].some((one) => one.textContent === 'Copied')"

MOST_PER_FRAME = """() => async (step, count, whole) => {
    const { now } = performance;
    let time = 0;
    performance.now = () => (time += step);
    try {
        let before = count(), most = 0;
        while (count() < whole) {
            await new Promise(requestAnimationFrame);
            most = Math.max(most, count() - before);
            before = count();
        }
        return most;
    } finally {
        performance.now = now;
    }
}"""


def demand_chromium() -> None:
    """Leaves the test out where there is no Chromium."""
    required_program("chromium")


@asynccontextmanager
async def chromium(*flags: str) -> AsyncIterator[Browser]:
    """`flags`: those of this one besides."""
    demand_chromium()
    expect.set_options(timeout=WAIT_MILLISECONDS)
    off = f"--disable-features={','.join((*OFF_FOR_PLAYWRIGHT, *OFF_AROUND_THE_PAGE))}"
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=CHROMIUM, headless=True, chromium_sandbox=False, args=[*FLAGS, off, *flags]
        )
        yield browser
        await browser.close()


@dataclass
class Tab:
    """`complaints`: errors and warnings of the console (broken policies are among them), exceptions, dialogs."""

    page: Page
    complaints: list[str] = field(default_factory=list)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(f"{message.type}: {message.text}")

    def _error(self, problem: Error) -> None:
        self.complaints.append(f"exception: {problem}")

    async def _dialog(self, dialog: Dialog) -> None:
        self.complaints.append(f"dialog: {dialog.message}")
        await dialog.dismiss()

    def listen(self) -> None:
        self.page.on("console", self._console)
        self.page.on("pageerror", self._error)
        self.page.on("dialog", self._dialog)


@asynccontextmanager
async def copying(page: Page) -> AsyncIterator[None]:
    """The body presses a button that copies; this ends when it has said so. It says so for two seconds, in which a test
    on a busy machine may not look even once: the page looks itself, at each frame, from before the body on."""
    async with asyncio.TaskGroup() as group:
        group.create_task(page.wait_for_function(HAS_COPIED))
        await asyncio.sleep(0)
        yield


async def most_per_frame(page: Page) -> JSHandle:
    """A function of the page, of `step`, `count` and `whole`: how many more there were at most from one frame to the
    next, until `count()` was `whole`. Meanwhile the page's clock goes on by `step` milliseconds whenever it is asked,
    so nothing hangs on the machine's speed."""
    return await page.evaluate_handle(MOST_PER_FRAME)


@asynccontextmanager
async def new_tab(browser: Browser, base_url: str, **context: object) -> AsyncIterator[Tab]:
    """In a profile of its own. `context`: what playwright's `new_context` takes besides."""
    profile = await browser.new_context(base_url=base_url, **context)  # type: ignore[arg-type]
    profile.set_default_timeout(WAIT_MILLISECONDS)
    await profile.add_init_script(PATIENCE)
    tab = Tab(await profile.new_page())
    tab.listen()
    try:
        yield tab
    finally:
        await profile.close()


async def reset_tab(tab: Tab, blank: str) -> None:
    """Leaves the tab to the next test as if it were new. Its cache keeps what was loaded.

    `blank`: a place of the same origin where nothing happens.
    """
    await tab.page.goto(blank)
    await tab.page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
    # The page asked through them until now: what answers instead may lead it elsewhere.
    await tab.page.unroute_all()
    tab.complaints.clear()


async def text_of(page: Page) -> list[str]:
    """The lines of a session, but for those of its waterfall, which is read later and again. Items that are far from
    the viewport count, too: a browser does not lay them out."""
    text: str = await page.locator("main").evaluate(
        """(main) => {
            const all = new CSSStyleSheet();
            all.replaceSync("* { content-visibility: visible !important; }");
            document.adoptedStyleSheets = [all];
            return [...main.querySelectorAll(".head, .stages, .verdict, .timeline, .chat, .side")]
                .map((part) => part.innerText).join("\\n");
        }"""
    )
    return text.splitlines()
