"""Pictures for the docs, taken of a TARSy that runs, with a real Prometheus and Alertmanager: `make screenshots`.

The model is scripted, as in `make demo`; everything else is real. The alerts go the way that they go at a site: into
Alertmanager, and from there to TARSy's webhook. On the way every query of the dashboards is asked of that Prometheus.
"""

import asyncio
import json
import shutil
import sys
import tempfile
from collections import defaultdict
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import yaml
from playwright.async_api import Browser, Page, expect
from pydantic import JsonValue

from tarsy_testing.browser.browser import CHROMIUM, chromium, new_tab
from tarsy_testing.browser.login_world import login_world
from tarsy_testing.browser.palette import with_palette
from tarsy_testing.browser.pictures import WIDTHS, Moment, Picture, Scheme, page_of_pictures, pictures, unfinished_words
from tarsy_testing.real_servers import eventually
from tarsy_testing.servers.alertmanager import PROGRAM
from tarsy_testing.servers.monitoring import Monitoring, monitoring, named_metrics
from tarsy_testing.story.incident import INCIDENTS
from tarsy_testing.system.up import ROOT, Tarsy, tarsy

PICTURES = ROOT / "docs/pictures"
MOST_BYTES = 150_000
SCROLLS = 4
"""Items are drawn once they come into sight, and move those below them."""
DRAWN = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 100))))"
DESK = {"width": 1180, "height": 820}
PACE_SECONDS = 0.04
QUESTION = "Which release can we roll back to, and does it still run?"
WAIT_MILLISECONDS = 300_000
WAIT_SECONDS = 300.0
INCIDENTS_SENT = ("quota-blocked-rollout", "expired-certificate", "crash-loop")
WIDE = "connection-exhaustion"
DATA = "The pod shop/checkout-7c9d6f5b84-x2x7k restarts again and again."
CHAINS = {"running": "watched", "failed": "failing", "waiting": "guarded", "spent": "thrifty"}
"""Chains of sessions that come into this state, and stay in it for long enough."""
TITLES = {
    "watched": "Checkout answers with 503.", "failing": "Payment answers slowly.",
    "guarded": "A pod of checkout hangs.",
    "thrifty": "Orders come in twice.",
}  # fmt: skip
AGENTS = {
    "watched": ("Pods", "Logs", "Metrics"),
    "failing": ("Blocked",),
    "guarded": ("Restarter",),
    "thrifty": ("Auditor",),
}
PRICE = {"input": 1.5, "output": 9}
DAYS: dict[str, JsonValue] = {
    "day": {"money": 20, "at_end": "ask"},
    "chains": {"thrifty": {"tokens": 1_000_000}, "failing": {"calls": 200, "at_end": "stop"}},
    "teams": {"payments": {"money": 5, "soft": 60}},
}
SLOWLY_SECONDS = 2.0
SLOWLY = "\n".join(
    (
        "I begin with the namespace of the alert.", "The pods come first, then what owns them.",
        "Two of three answer their probes.", "The third one restarts over and over.",
        "Its image is newer than the others.", "A release must have come this afternoon.",
        "What did this release change, then?", "The deployment says: another loader for taxes.",
        "Its memory limit stayed what it was.", "How large is that table in production?",
    ) * 3
)  # fmt: skip
POD: dict[str, JsonValue] = {"namespace": "shop", "name": "checkout-7c9d6f5b84-x2x7k"}
TURNS: list[dict[str, JsonValue]] = [
    {"agent": "Pods", "text": SLOWLY},
    {"agent": "Logs", "text": SLOWLY},
    {"agent": "Metrics", "text": SLOWLY},
    {"agent": "Blocked", "fail": "401: the API key of this model is not valid", "kind": "credentials"},
    {
        "agent": "Restarter",
        "text": "The pod hangs since its last start, and its neighbours are well. I will delete it.",
        "tool_calls": [{"name": "kubernetes__pods_delete", "arguments": POD}],
    },
    {
        "agent": "Auditor",
        "text": "Two releases came since the morning. I look at what runs now.",
        "tool_calls": [{"name": "kubernetes__pods_list", "arguments": {"namespace": "shop"}}],
    },
]


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

    async def until(self, status: str, number: int) -> None:
        async def look() -> bool:
            return [one["status"] for one in await self.sessions()].count(status) >= number

        await eventually(look, f"{number} sessions or more are {status}", seconds=WAIT_SECONDS)

    async def submit(self, chain: str) -> str:
        """The id of a session of this chain."""
        body = {"alert_type": chain, "title": TITLES[chain], "data": DATA}
        async with httpx2.AsyncClient(base_url=self.url, trust_env=False, timeout=90.0) as client:
            answer = await client.post("/api/v1/alerts", json=body)
            return str(answer.json()["session_id"])


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


async def require_finished(page: Page, name: str) -> None:
    async def look() -> bool:
        return not unfinished_words(await page.locator("body").inner_text())

    await eventually(look, f"{name} shows a page that is neither loading nor without a connection", seconds=30.0)


async def take(browser: Browser, page: Page, name: str) -> None:
    file = PICTURES / name
    await require_finished(page, name)
    taken = await page.screenshot(animations="disabled", caret="hide")
    file.write_bytes(await with_palette(browser, taken))
    size = file.stat().st_size
    say(f"{file.relative_to(ROOT)}  {size / 1000:.0f} kB")
    assert size <= MOST_BYTES, f"{file} has more than {MOST_BYTES} bytes"


async def take_view(browser: Browser, page: Page, picture: Picture, sessions: Mapping[str, str]) -> None:
    view = picture.view
    await page.goto(view.address.format_map(sessions))
    await page.locator(view.shown).first.wait_for(timeout=WAIT_MILLISECONDS)
    for clicked in view.clicked:
        await page.locator(clicked).first.click()
    for _ in range(SCROLLS if view.seen else 1):
        if view.seen:
            await page.locator(view.seen).first.evaluate("node => node.scrollIntoView({block: 'center'})")
        await page.evaluate(DRAWN)
    await take(browser, page, picture.file)


async def take_moment(browser: Browser, url: str, moment: Moment, sessions: Mapping[str, str]) -> None:
    """One tab for each width and scheme, as most of the time goes into the first visit."""
    by_look = defaultdict[tuple[int, Scheme], list[Picture]](list)
    for picture in pictures(moment):
        by_look[picture.width, picture.scheme].append(picture)
    for (width, scheme), taken in by_look.items():
        viewport = {"width": width, "height": WIDTHS[width]}
        async with new_tab(browser, url, viewport=viewport, color_scheme=scheme) as tab:
            for picture in taken:
                await take_view(browser, tab.page, picture, sessions)


async def take_login(browser: Browser, folder: Path) -> None:
    async with login_world(folder) as world:
        await take_moment(browser, world.url, "login", {})


async def ask(studio: Studio, session_id: str) -> None:
    """A question to the finished investigation, until its reply is there."""
    async with new_tab(studio.browser, studio.url) as tab:
        page = tab.page
        await page.goto(f"/sessions/{session_id}")
        field = page.get_by_label("Ask the investigation")
        await expect(field).to_be_enabled(timeout=WAIT_MILLISECONDS)
        await field.fill(QUESTION)
        await field.press("Enter")
        await expect(page.locator(".turn strong")).to_have_text("v2.13.2", timeout=WAIT_MILLISECONDS)
        await expect(field).to_be_enabled(timeout=WAIT_MILLISECONDS)


async def take_prometheus(studio: Studio) -> None:
    """Its own pages. Debian's package has those before React; its Alertmanager has none."""
    client = studio.around.prometheus
    classic = "/classic" if (await client.get("/classic/alerts")).status_code == 200 else ""
    for path, text in (("alerts", "TarsyPartitionsNotOwned"), ("targets", "tool-gateway")):
        async with new_tab(studio.browser, str(client.base_url), viewport=DESK) as tab:
            await tab.page.goto(f"{classic}/{path}")
            await expect(tab.page.get_by_text(text).first).to_be_visible()
            await take(studio.browser, tab.page, f"prometheus-{path}.png")


async def ask_prometheus(around: Monitoring) -> None:
    """Fails where rules or dashboards name what the running system does not have, or ask what cannot be answered."""
    named, scraped = named_metrics(), await around.scraped_metrics()
    assert named <= scraped, f"no process tells of {', '.join(sorted(named - scraped))}"
    refused = await around.refused_queries()
    assert refused == [], f"Prometheus refuses {refused}"
    say(f"Prometheus knows all {len(named)} metrics of rules and dashboards, and refuses no query")


async def take_action(studio: Studio) -> None:
    """The incident whose action waits for a person, before and after the yes."""
    await studio.send(WIDE)
    session = {"wide": await studio.session_titled("fulfilment-db has no connections left.")}
    await take_moment(studio.browser, studio.url, "asking", session)
    async with new_tab(studio.browser, studio.url) as tab:
        await tab.page.goto(f"/sessions/{session['wide']}")
        await tab.page.locator(".approval").get_by_role("button", name="Approve").click()
    await studio.until("completed", 1)
    await take_moment(studio.browser, studio.url, "acted", session)


async def take_all(studio: Studio, folder: Path) -> None:
    await take_login(studio.browser, folder)
    await take_moment(studio.browser, studio.url, "empty", {})
    sessions = {name: await studio.submit(chain) for name, chain in CHAINS.items()}
    await take_moment(studio.browser, studio.url, "running", sessions)
    await take_action(studio)
    for incident in INCIDENTS_SENT:
        await studio.send(incident)
    shown = await studio.session_titled("Checkout is crash looping.")
    await studio.until("completed", len(INCIDENTS_SENT) + 1)
    await studio.until("failed", 1)
    await ask(studio, shown)
    await take_moment(studio.browser, studio.url, "ended", sessions | {"completed": shown})
    await ask_prometheus(studio.around)
    await take_prometheus(studio)


def add_chains(config_dir: Path) -> None:
    """Beside that of the demo: three agents that write slowly, one that fails, and two that wait for a person.

    One waits for a yes, the other for an extension of its budget.
    """
    written = config_dir / "tarsy.yaml"
    config = yaml.safe_load(written.read_text("utf-8"))
    (config_dir / "more.yaml").write_text(yaml.safe_dump({"turns": TURNS}), "utf-8")
    config["llm_providers"]["more"] = {"type": "scripted", "script": "more.yaml", "pace_seconds": PACE_SECONDS}
    config["llm_providers"]["slow"] = config["llm_providers"]["more"] | {"pace_seconds": SLOWLY_SECONDS}
    for chain, agents in AGENTS.items():
        config["agents"] |= {name: {"mcp_servers": ["kubernetes"]} for name in agents}
        stages = [{"name": "investigation", "agents": [{"name": name} for name in agents]}]
        provider = "slow" if chain == "watched" else "more"
        config["agent_chains"][chain] = {"alert_types": [chain], "llm_provider": provider, "stages": stages}
    config["agent_chains"]["guarded"]["approve"] = True
    config["agent_chains"]["thrifty"]["budget"] = {"calls": 1, "at_end": "ask"}
    config["defaults"]["budget"] = {"tokens": 2_000_000, "money": 5}
    config["prices"] = {"scripted": PRICE}
    config["system"] = config.get("system", {}) | {"budgets": DAYS}
    written.write_text(yaml.safe_dump(config), "utf-8")


async def run(folder: Path) -> None:
    (PICTURES / "README.md").write_text(page_of_pictures(), "utf-8")
    with tarsy(folder, pace_seconds=PACE_SECONDS) as one:
        add_chains(one.config_dir)
        await asyncio.to_thread(one.up, "--processes", "--instances", "tool-gateway=2")
        async with AsyncExitStack() as stack:
            browser = await stack.enter_async_context(chromium())
            front_door = f"127.0.0.1:{one.http_port}"
            services = sum(bool(process.http) for process in one.processes())
            around = await stack.enter_async_context(monitoring(front_door, 1 + services, folder))
            await take_all(Studio(one, browser, around), folder)


def main() -> None:
    missing = [name for name in ("prometheus", PROGRAM) if shutil.which(name) is None]
    missing += [] if CHROMIUM.exists() else ["chromium"]
    if missing:
        sys.exit(f"Not installed: {', '.join(missing)}. `apt-get install {' '.join(missing)}` brings it.")
    with tempfile.TemporaryDirectory(prefix="tarsy-screenshots-") as folder:
        asyncio.run(run(Path(folder)))


if __name__ == "__main__":
    main()
