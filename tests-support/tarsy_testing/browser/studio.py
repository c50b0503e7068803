"""A TARSy whose sessions come into every state that the page shows, and somebody who looks at each view of it.

The model is scripted, as in `make demo`. `make screenshots` takes pictures, and a test measures what is drawn.
"""

import json
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import yaml
from playwright.async_api import Browser, Page, expect
from pydantic import JsonValue

from tarsy_testing.browser.browser import new_tab
from tarsy_testing.browser.login_world import login_world
from tarsy_testing.browser.pictures import WIDTHS, Moment, Picture, Scheme, pictures, unfinished_words
from tarsy_testing.real_servers import eventually
from tarsy_testing.story.incident import INCIDENTS
from tarsy_testing.system.up import Tarsy

type Look = Callable[[Page, Picture], Awaitable[None]]
"""It is called where a view is drawn."""

SCROLLS = 4
"""Items are drawn once they come into sight, and move those below them."""
DRAWN = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 100))))"
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
    """A TARSy with the chains of `add_chains`. `fire`: alerts of Alertmanager go to it by this."""

    tarsy: Tarsy
    browser: Browser
    fire: Callable[[list[dict[str, Any]]], Awaitable[None]]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.tarsy.http_port}"

    async def send(self, incident: str) -> None:
        body = json.loads((INCIDENTS / incident / "alert.json").read_text("utf-8"))
        await self.fire(body["alerts"])

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


async def _require_finished(page: Page, name: str) -> None:
    async def look() -> bool:
        return not unfinished_words(await page.locator("body").inner_text())

    await eventually(look, f"{name} shows a page that is neither loading nor without a connection", seconds=30.0)


async def _open_view(page: Page, picture: Picture, sessions: Mapping[str, str]) -> None:
    view = picture.view
    await page.goto(view.address.format_map(sessions))
    await page.locator(view.shown).first.wait_for(timeout=WAIT_MILLISECONDS)
    for clicked in view.clicked:
        await page.locator(clicked).first.click()
    for _ in range(SCROLLS if view.seen else 1):
        if view.seen:
            await page.locator(view.seen).first.evaluate("node => node.scrollIntoView({block: 'center'})")
        await page.evaluate(DRAWN)
    await _require_finished(page, picture.file)


async def visit(
    browser: Browser,
    url: str,
    moment: Moment,
    sessions: Mapping[str, str],
    look: Look,
    schemes: tuple[Scheme, ...] | None = None,
) -> None:
    """One tab for each width and scheme, as most of the time goes into the first visit. `schemes`: not each view's."""
    by_look = defaultdict[tuple[int, Scheme], list[Picture]](list)
    for picture in pictures(moment, schemes):
        by_look[picture.width, picture.scheme].append(picture)
    for (width, scheme), taken in by_look.items():
        viewport = {"width": width, "height": WIDTHS[width]}
        async with new_tab(browser, url, viewport=viewport, color_scheme=scheme) as tab:
            for picture in taken:
                await _open_view(tab.page, picture, sessions)
                await look(tab.page, picture)


async def _ask(studio: Studio, session_id: str) -> None:
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


async def visit_all(studio: Studio, folder: Path, look: Look, schemes: tuple[Scheme, ...] | None = None) -> None:
    """Every view, each at its moment."""

    async def at(moment: Moment, sessions: Mapping[str, str]) -> None:
        await visit(studio.browser, studio.url, moment, sessions, look, schemes)

    async with login_world(folder) as world:
        await visit(studio.browser, world.url, "login", {}, look, schemes)
    await at("empty", {})
    sessions = {name: await studio.submit(chain) for name, chain in CHAINS.items()}
    await at("running", sessions)
    await studio.send(WIDE)
    wide = {"wide": await studio.session_titled("fulfilment-db has no connections left.")}
    await at("asking", wide)
    await _approve(studio, wide["wide"])
    await at("acted", wide)
    for incident in INCIDENTS_SENT:
        await studio.send(incident)
    shown = await studio.session_titled("Checkout is crash looping.")
    await studio.until("completed", len(INCIDENTS_SENT) + 1)
    await studio.until("failed", 1)
    await _ask(studio, shown)
    await at("ended", sessions | {"completed": shown})


async def _approve(studio: Studio, session_id: str) -> None:
    async with new_tab(studio.browser, studio.url) as tab:
        await tab.page.goto(f"/sessions/{session_id}")
        await tab.page.locator(".approval").get_by_role("button", name="Approve").click()
    await studio.until("completed", 1)


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
