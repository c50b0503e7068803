"""Pictures for the docs, taken of a TARSy that runs, with a real Prometheus and Alertmanager: `make screenshots`.

The model is scripted, as in `make demo`; everything else is real. The alerts go the way that they go at a site: into
Alertmanager, and from there to TARSy's webhook. On the way every query of the dashboards is asked of that Prometheus.
"""

import asyncio
import json
import shutil
import sys
import tempfile
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
from playwright.async_api import Browser, Page, expect

from tarsy_alertmanager import PROGRAM
from tarsy_browser import CHROMIUM, chromium, new_tab
from tarsy_incident import INCIDENTS
from tarsy_monitoring import Monitoring, monitoring, named_metrics
from tarsy_testing import eventually
from tarsy_up import ROOT, Tarsy, tarsy

PICTURES = ROOT / "docs/pictures"
MOST_BYTES = 150_000
DESK = {"width": 1180, "height": 820}
LOW = {"width": 1180, "height": 440}
PHONE = {"width": 390, "height": 844}
PACE_SECONDS = 0.04
QUESTION = "Which release can we roll back to, and does it still run?"
WAIT_MILLISECONDS = 300_000
WAIT_SECONDS = 300.0
OTHERS = ("quota-blocked-rollout", "expired-certificate")
SHOWN = "crash-loop"


@dataclass(frozen=True)
class Studio:
    tarsy: Tarsy
    browser: Browser
    around: Monitoring

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.tarsy.http_port}"

    async def send(self, incident: str) -> None:
        body = json.loads((INCIDENTS / incident / "alert.json").read_text("utf-8"))
        await self.around.send(body["alerts"])

    async def sessions(self) -> list[dict[str, Any]]:
        async with httpx2.AsyncClient(base_url=self.url, trust_env=False, timeout=90.0) as client:
            found: list[dict[str, Any]] = (await client.get("/api/v1/sessions")).json()["sessions"]
            return found

    async def session_titled(self, title: str) -> str:
        """The id of its session, once there is one."""

        async def look() -> str | None:
            found = [str(one["id"]) for one in await self.sessions() if one["title"] == title]
            return found[0] if found else None

        return await eventually(look, f"a session with the title {title}", seconds=WAIT_SECONDS)

    async def until_all_completed(self, number: int) -> None:
        async def look() -> bool:
            return [one["status"] for one in await self.sessions()] == ["completed"] * number

        await eventually(look, f"{number} sessions have completed", seconds=WAIT_SECONDS)


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


async def take(page: Page, name: str) -> None:
    file = PICTURES / f"{name}.png"
    await page.screenshot(path=file, animations="disabled", caret="hide")
    size = file.stat().st_size
    say(f"{file.relative_to(ROOT)}  {size / 1000:.0f} kB")
    assert size <= MOST_BYTES, f"{file} has more than {MOST_BYTES} bytes"


async def is_live(page: Page) -> None:
    await expect(page.locator("#connection")).to_have_text("Live")


async def take_running(studio: Studio, session_id: str) -> None:
    """While the summary of the long log is being written."""
    async with new_tab(studio.browser, studio.url, viewport=DESK) as tab:
        page = tab.page
        await page.goto(f"/sessions/{session_id}")
        await is_live(page)
        growing = page.locator('.item[data-type="mcp_tool_summary"][data-status="streaming"]')
        await expect(growing).to_contain_text("100,000 lines", timeout=WAIT_MILLISECONDS)
        await growing.evaluate("node => node.scrollIntoView({block: 'end'})")
        await take(page, "session-running")


async def take_list(studio: Studio) -> None:
    async with new_tab(studio.browser, studio.url, viewport=LOW) as tab:
        await tab.page.goto("/")
        await is_live(tab.page)
        await expect(tab.page.locator(".sessions .status").first).to_be_visible()
        await take(tab.page, "sessions")


async def take_finished(studio: Studio, session_id: str) -> None:
    async with new_tab(studio.browser, studio.url, viewport=DESK) as tab:
        page = tab.page
        await page.goto(f"/sessions/{session_id}")
        await is_live(page)
        await expect(page.locator(".executive")).to_contain_text("Roll back", timeout=WAIT_MILLISECONDS)
        await take(page, "session-completed")
        call = page.locator("details.call", has_text="kubernetes.pods_list")
        await call.locator("summary").click()
        await expect(call.locator("pre").last).to_be_visible()
        await call.scroll_into_view_if_needed()
        await take(page, "tool-call")


async def take_chat(studio: Studio, session_id: str) -> None:
    async with new_tab(studio.browser, studio.url, viewport=DESK) as tab:
        page = tab.page
        await page.goto(f"/sessions/{session_id}")
        await is_live(page)
        field = page.get_by_label("Ask the investigation")
        await expect(field).to_be_enabled(timeout=WAIT_MILLISECONDS)
        await field.fill(QUESTION)
        await field.press("Enter")
        await expect(page.locator(".turn strong")).to_have_text("v2.13.2", timeout=WAIT_MILLISECONDS)
        await expect(field).to_be_enabled(timeout=WAIT_MILLISECONDS)
        await page.mouse.wheel(0, 100_000)
        await page.locator(".turn").last.scroll_into_view_if_needed()
        await take(page, "chat")


async def take_small_and_dark(studio: Studio, session_id: str) -> None:
    for name, look in (("phone", {"viewport": PHONE}), ("dark", {"viewport": DESK, "color_scheme": "dark"})):
        async with new_tab(studio.browser, studio.url, **look) as tab:
            await tab.page.goto(f"/sessions/{session_id}")
            await is_live(tab.page)
            await expect(tab.page.locator(".executive")).to_contain_text("Roll back")
            await take(tab.page, name)


async def take_servers(studio: Studio) -> None:
    async with new_tab(studio.browser, studio.url, viewport=DESK) as tab:
        await tab.page.goto("/servers")
        await is_live(tab.page)
        await tab.page.locator("summary", has_text="tools").last.click()
        await expect(tab.page.get_by_text("pods_list").first).to_be_visible()
        await take(tab.page, "servers")


async def take_prometheus(studio: Studio) -> None:
    """Its own pages. Debian's package has those before React; its Alertmanager has none."""
    client = studio.around.prometheus
    classic = "/classic" if (await client.get("/classic/alerts")).status_code == 200 else ""
    for path, text in (("alerts", "TarsyPartitionsNotOwned"), ("targets", "tool-gateway")):
        async with new_tab(studio.browser, str(client.base_url), viewport=DESK) as tab:
            await tab.page.goto(f"{classic}/{path}")
            await expect(tab.page.get_by_text(text).first).to_be_visible()
            await take(tab.page, f"prometheus-{path}")


async def ask_prometheus(around: Monitoring) -> None:
    """Fails where rules or dashboards name what the running system does not have, or ask what cannot be answered."""
    named, scraped = named_metrics(), await around.scraped_metrics()
    assert named <= scraped, f"no process tells of {', '.join(sorted(named - scraped))}"
    refused = await around.refused_queries()
    assert refused == [], f"Prometheus refuses {refused}"
    say(f"Prometheus knows all {len(named)} metrics of rules and dashboards, and refuses no query")


async def take_all(studio: Studio) -> None:
    for incident in OTHERS:
        await studio.send(incident)
    await studio.until_all_completed(len(OTHERS))
    await studio.send(SHOWN)
    session_id = await studio.session_titled("Checkout is crash looping.")
    await take_running(studio, session_id)
    await take_list(studio)
    await take_finished(studio, session_id)
    await take_chat(studio, session_id)
    await take_small_and_dark(studio, session_id)
    await take_servers(studio)
    await ask_prometheus(studio.around)
    await take_prometheus(studio)


async def run(folder: Path) -> None:
    PICTURES.mkdir(exist_ok=True)
    with tarsy(folder, pace_seconds=PACE_SECONDS) as one:
        await asyncio.to_thread(one.up, "--processes", "--instances", "tool-gateway=2")
        async with AsyncExitStack() as stack:
            browser = await stack.enter_async_context(chromium())
            front_door = f"127.0.0.1:{one.http_port}"
            services = sum(bool(process.http) for process in one.processes())
            around = await stack.enter_async_context(monitoring(front_door, 1 + services, folder))
            await take_all(Studio(one, browser, around))


def main() -> None:
    missing = [name for name in ("prometheus", PROGRAM) if shutil.which(name) is None]
    missing += [] if CHROMIUM.exists() else ["chromium"]
    if missing:
        sys.exit(f"Not installed: {', '.join(missing)}. `apt-get install {' '.join(missing)}` brings it.")
    with tempfile.TemporaryDirectory(prefix="tarsy-screenshots-") as folder:
        asyncio.run(run(Path(folder)))


if __name__ == "__main__":
    main()
