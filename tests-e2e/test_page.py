"""The page in Chromium, in front of a whole TARSy. Alert and model say hostile things throughout."""

import asyncio
import json
import re
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
import pytest_asyncio
import yaml
from playwright.async_api import Browser, Page, expect

from tarsy_testing.browser.axe import violations_in_both_schemes
from tarsy_testing.browser.browser import Tab, chromium, demand_chromium, new_tab, text_of
from tarsy_testing.real_servers import eventually
from tarsy_testing.servers.door import door
from tarsy_testing.story.incident import INCIDENT, alert_now, planted_secrets, read_log
from tarsy_testing.system.service_forks import ServiceForks
from tarsy_testing.system.up import Tarsy, tarsy

pytestmark = pytest.mark.asyncio(loop_scope="module")

TITLE = "<img src=x onerror=alert(1)> checkout <b>crashes</b>"
HOSTILE = (
    "<script>alert(2)</script> <img src=x onerror=alert(3)> [here](javascript:alert(4)) ![p](https://evil.example/p)"
)
HEADINGS = ["Root cause", "Evidence", "State", "What to do", "How to prevent it"]
ITEMS = 20
QUESTION = f"Since when does it crash?\n{HOSTILE}"
REPLY = {
    "agent": "ChatAgent",
    "needs": ["Since when does it crash?", "OOMKilled"],
    "thinking": "The log says when it began.",
    # Its words stream for some ten seconds, so that also a busy browser draws parts of it.
    "text": "It crashes since **19:49:04**.\n\n" + "It was started again, and it crashed again. " * 40,
}
INVESTIGATION_MILLISECONDS = 240_000
WATCH = """
    window.lengths = new Map();
    new MutationObserver(() => {
        for (const item of document.querySelectorAll('.item[data-status="streaming"]')) {
            const before = lengths.get(item) ?? [];
            const length = item.textContent.length;
            if (length !== before.at(-1)) lengths.set(item, [...before, length]);
        }
    }).observe(document, { subtree: true, childList: true, characterData: true });
"""
PHONE = {"width": 390, "height": 844}
WIDTHS = (390, 820, 1440)


@dataclass
class Scene:
    """`log_lines`: of the pod that crashes. `hold`: while this file exists, the lab's tools wait."""

    tarsy: Tarsy
    browser: Browser
    log_lines: int
    hold: Path

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.tarsy.http_port}"

    def submit(self) -> str:
        """The incident's alert, with hostile text in it; the id of its session."""
        body: Any = alert_now()
        for alert in body["alerts"]:
            alert["annotations"]["summary"] = TITLE
            alert["labels"]["team"] = HOSTILE
        answer = httpx2.post(f"{self.url}/api/v1/alerts/alertmanager", json=body, timeout=90.0)
        assert answer.status_code == 202, answer.text
        session_id: str = answer.json()["alerts"][0]["session_id"]
        return session_id

    @contextmanager
    def tools_held(self) -> Iterator[None]:
        """No investigation ends meanwhile, however long the browser takes."""
        self.hold.touch()
        try:
            yield
        finally:
            self.hold.unlink()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def scene(tmp_path_factory: pytest.TempPathFactory, incidents: Path, forks: ServiceForks) -> AsyncIterator[Scene]:
    demand_chromium()
    folder = tmp_path_factory.mktemp("page")
    with tarsy(folder, pace_seconds=0.03, incidents=incidents, forks=forks) as one:
        hold = folder / "hold"
        write_hostile_script(one)
        one.hold_tools_by(hold)
        await asyncio.to_thread(one.up)
        async with chromium() as browser:
            yield Scene(one, browser, len(read_log(incidents / INCIDENT.name)), hold)
    shutil.rmtree(folder, ignore_errors=True)


def write_hostile_script(one: Tarsy) -> None:
    """The demo's script, with hostile text at the end of all that the agents think and say."""
    script = yaml.safe_load((INCIDENT / "script.yaml").read_text("utf-8"))
    script["turns"] = [turn for turn in script["turns"] if turn["agent"] != REPLY["agent"]] + [dict(REPLY)]
    for turn in script["turns"]:
        turn |= {part: f"{turn[part]}\n{HOSTILE}\n" for part in ("thinking", "text") if part in turn}
    (one.config_dir / "script.yaml").write_text(yaml.safe_dump(script), "utf-8")
    file = one.config_dir / "tarsy.yaml"
    config = yaml.safe_load(file.read_text("utf-8"))
    config["llm_providers"]["scripted"]["script"] = "script.yaml"
    file.write_text(yaml.safe_dump(config), "utf-8")


def tone(page: Page, name: str) -> Any:
    return page.locator(f'.state .status[data-tone="{name}"]')


async def until_completed(page: Page) -> None:
    await expect(tone(page, "good")).to_have_text("Completed", timeout=INVESTIGATION_MILLISECONDS)
    await expect(page.locator(".analysis h3")).to_have_text(HEADINGS)
    await expect(page.locator(".executive")).to_contain_text("Roll back to v2.13.2 now.")
    await expect(page.locator(".item")).to_have_count(ITEMS)


async def until_alike(page: Page, other: Page) -> None:
    """What is counted is read again after the end, by each when it gets to that."""
    texts: list[list[str]] = []

    async def alike() -> bool:
        texts[:] = [await text_of(page), await text_of(other)]
        return texts[0] == texts[1]

    await eventually(alike, lambda: f"both pages say the same: {texts}")


def note_resets(page: Page) -> list[str]:
    """Messages by which a text begins anew, as when a summary streams before the log announces it."""
    resets: list[str] = []

    def received(frame: str | bytes) -> None:
        if "stream.reset" in (text := str(frame)):
            resets.append(text)

    page.on("websocket", lambda socket: socket.on("framereceived", received))
    return resets


async def until_live(page: Page) -> None:
    await expect(page.locator("#connection")).to_have_text("Live")


async def open_session(tab: Tab, session_id: str) -> None:
    await tab.page.goto(f"/sessions/{session_id}")
    await until_live(tab.page)


async def growth(page: Page) -> dict[str, list[int]]:
    """By type: the lengths that the text of one item had while it streamed, of the one that grew most often."""
    found: dict[str, list[int]] = await page.evaluate(
        """() => Object.fromEntries(
            [...lengths]
                .sort((one, other) => one[1].length - other[1].length)
                .map(([item, all]) => [item.dataset.type, all])
        )"""
    )
    return found


async def test_an_investigation_from_the_list_to_its_analysis(scene: Scene) -> None:
    async with new_tab(scene.browser, scene.url) as listing, new_tab(scene.browser, scene.url) as tab:
        await listing.page.goto("/")
        await until_live(listing.page)
        await listing.page.evaluate("window.notReloaded = true")
        with scene.tools_held():
            session_id = scene.submit()
            row = listing.page.locator(f'.sessions a[href="/sessions/{session_id}"]')
            await expect(row.locator(".title")).to_have_text(TITLE)
            await expect(row.locator(".status")).to_have_text("Running")

            await tab.page.add_init_script(WATCH)
            resets = note_resets(tab.page)
            await open_session(tab, session_id)
        await until_completed(tab.page)
        seen = await growth(tab.page)
        for kind in ("llm_thinking", "llm_response", "mcp_tool_summary"):
            assert len(seen.get(kind, [])) >= 2, f"no {kind} grew: {seen}"
            assert resets or seen[kind] == sorted(seen[kind])
        await expect(tab.page.locator(".analysis li strong, .analysis p strong").first).to_have_text("v2.14.0")
        await expect(tab.page.locator(".stages .status")).to_have_text(["Completed"] * 4)
        await expect(tab.page.locator(".cancelling button:visible")).to_have_count(0)

        await expect(row.locator(".status")).to_have_text("Completed")
        assert await listing.page.evaluate("window.notReloaded") is True
        assert listing.complaints + tab.complaints == []


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def finished(scene: Scene) -> str:
    """A session that has ended."""
    session_id = scene.submit()
    async with new_tab(scene.browser, scene.url) as tab:
        await open_session(tab, session_id)
        await until_completed(tab.page)
    return session_id


async def test_a_result_is_folded_until_somebody_opens_it(scene: Scene, finished: str) -> None:
    async with new_tab(scene.browser, scene.url) as tab:
        await open_session(tab, finished)
        call = tab.page.locator("details.call", has_text="kubernetes.pods_list")
        await expect(call.locator(".outcome")).to_contain_text("6 lines")
        assert "ImagePull" not in await tab.page.content()
        await expect(call.locator("pre")).to_have_count(0)
        await call.locator("summary").focus()
        await tab.page.keyboard.press("Enter")
        await expect(call.locator("pre").first).to_have_text(re.compile(r'"namespace": "shop"'))
        await expect(call.locator("pre").last).to_contain_text("checkout-7c9d6f5b84-x2x7k")
        long = tab.page.locator("details.call", has_text="kubernetes.pods_log")
        await long.locator("summary").click()
        await expect(long).to_contain_text(f"Only the beginning of {scene.log_lines:,} lines is shown.")
        await tab.page.keyboard.press("Enter")
        await expect(long.locator("pre")).to_have_count(0)
        assert tab.complaints == []


async def test_a_reload_tells_the_same(scene: Scene, finished: str) -> None:
    async with new_tab(scene.browser, scene.url) as tab:
        texts = []
        for _ in range(2):
            await open_session(tab, finished)
            await until_completed(tab.page)
            texts.append(await text_of(tab.page))
        assert texts[0] == texts[1]


async def test_hostile_text_is_text_and_no_planted_secret_is_in_the_page(scene: Scene, finished: str) -> None:
    async with new_tab(scene.browser, scene.url) as tab:
        asked: list[str] = []
        tab.page.on("request", lambda request: asked.append(request.url))
        await tab.page.goto("/")
        await expect(tab.page.locator(f'a[href="/sessions/{finished}"] .title')).to_have_text(TITLE)
        await open_session(tab, finished)
        await until_completed(tab.page)
        await expect(tab.page.locator("h1")).to_have_text(TITLE)
        # No part is a tab there.
        await tab.page.set_viewport_size({"width": 820, "height": 900})
        closed = tab.page.locator("main details:not([open], .menu)")
        while await closed.count():
            await closed.first.locator("> summary").click()
        await expect(tab.page.locator(".side pre.data")).to_contain_text("<script>alert(2)</script>")
        shown = await tab.page.locator("main").inner_text()
        content = await tab.page.content()

        assert shown.count("<script>alert(2)</script>") >= 6
        assert shown.count("<img src=x onerror=alert(3)>") >= 6
        assert await tab.page.locator("main :is(script, img, iframe, b, style, object)").count() == 0
        said = tab.page.locator(":is(.verdict, .body) .markdown a:not(.citation a)")
        links = await said.evaluate_all("nodes => nodes.map((node) => node.getAttribute('href'))")
        assert set(links) == {"https://evil.example/p"}
        others = await tab.page.locator("main a").evaluate_all("nodes => nodes.map((node) => node.protocol)")
        assert set(others) <= {"http:", "https:"}
        assert [url for url in asked if not url.startswith((scene.url, scene.url.replace("http", "ws", 1)))] == []
        assert [s for s in planted_secrets() if s in content or s in shown or json.dumps(s)[1:-1] in content] == []
        assert tab.complaints == []


async def test_a_lost_connection_is_said_and_heals(scene: Scene) -> None:
    async with (
        door(scene.tarsy.http_port) as entrance,
        new_tab(scene.browser, f"http://127.0.0.1:{entrance.port}") as tab,
        new_tab(scene.browser, scene.url) as undisturbed,
    ):
        with scene.tools_held():
            session_id = scene.submit()
            await open_session(tab, session_id)
            await open_session(undisturbed, session_id)
        growing = tab.page.locator('.item[data-status="streaming"] .text:not(:empty)').first
        await expect(growing).to_be_visible(timeout=INVESTIGATION_MILLISECONDS)
        entrance.shut()
        await expect(tab.page.locator("#connection")).to_have_text("Connection lost, trying again")
        await expect(undisturbed.page.locator(".item[data-type=llm_tool_call]")).not_to_have_count(0)
        await entrance.open()
        await until_live(tab.page)
        for page in (tab.page, undisturbed.page):
            await until_completed(page)
        await until_alike(tab.page, undisturbed.page)
        assert [one for one in tab.complaints if "net::ERR_" not in one] == []


async def test_a_session_is_cancelled_only_after_a_second_question(scene: Scene) -> None:
    async with new_tab(scene.browser, scene.url) as tab:
        with scene.tools_held():
            session_id = scene.submit()
            await open_session(tab, session_id)
            buttons = tab.page.locator(".cancelling").get_by_role("button")
            await tab.page.get_by_role("button", name="Cancel", exact=True).click()
            await expect(tab.page.get_by_role("button", name="No, keep it running")).to_be_focused()
            await tab.page.keyboard.press("Enter")
            await expect(buttons).to_have_text(["Cancel"])
            await buttons.click()
            await tab.page.get_by_role("button", name="Yes, cancel it").click()
            await expect(tab.page.locator(".state .status")).to_have_text("Cancelled")
            await expect(buttons).to_have_count(0)
            assert tab.complaints == []


async def test_a_finished_investigation_is_asked_and_everybody_sees_the_reply(scene: Scene) -> None:
    async with new_tab(scene.browser, scene.url) as tab, new_tab(scene.browser, scene.url) as watching:
        await watching.page.add_init_script(WATCH)
        pages = (tab.page, watching.page)
        field = tab.page.get_by_label("Ask the investigation")
        with scene.tools_held():
            session_id = scene.submit()
            for one in (tab, watching):
                await open_session(one, session_id)
            await expect(field).to_be_disabled()
            await expect(tab.page.locator("#closed")).to_have_text("You can ask once the investigation has ended.")
        await until_completed(tab.page)
        analysis = await tab.page.locator(".analysis").inner_text()
        await field.fill(QUESTION)
        await field.press("Enter")
        for page in pages:
            await expect(page.locator(".turn [data-type=user_question] .text")).to_have_text(QUESTION)
            await expect(page.locator(".turn strong")).to_have_text("19:49:04")
            await expect(page.get_by_label("Ask the investigation")).to_be_enabled()
            await expect(page.locator(".turn .item:visible")).to_have_count(4)
            await expect(tone(page, "good")).to_have_text("Completed")
            assert await page.locator(".analysis").inner_text() == analysis
            assert await page.locator(".chat :is(script, img, iframe, b, style, object)").count() == 0
        await expect(field).to_have_value("")
        assert len((await growth(watching.page))["llm_response"]) >= 2, "the reply streams"
        texts = [await page.locator(".chat").inner_text() for page in pages]
        await tab.page.reload()
        await expect(tab.page.locator(".turn strong")).to_have_text("19:49:04")
        await expect(field).to_be_enabled()
        assert {*texts, await tab.page.locator(".chat").inner_text()} == {texts[0]}
        assert tab.complaints + watching.complaints == []


async def test_a_session_that_nobody_knows_says_so(scene: Scene) -> None:
    async with new_tab(scene.browser, scene.url) as tab:
        await open_session(tab, "11111111-1111-5111-8111-111111111111")
        await expect(tab.page.locator(".notice")).to_have_text(
            "There is no session 11111111-1111-5111-8111-111111111111 here."
        )
        await expect(tab.page.locator("h1")).to_be_hidden()
        await expect(tab.page.get_by_role("button")).to_have_count(0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_everything_fits_a_phone_and_is_reached_with_the_keyboard(
    scene: Scene, finished: str, scheme: str
) -> None:
    async with new_tab(scene.browser, scene.url, viewport=PHONE, color_scheme=scheme) as tab:
        await tab.page.goto("/")
        link = tab.page.locator(f'a[href="/sessions/{finished}"]')
        await expect(link).to_be_visible()
        assert await tab.page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
        await tab.page.keyboard.press("Tab")
        await expect(tab.page.get_by_text("Skip to the content")).to_be_focused()
        await link.focus()
        await tab.page.keyboard.press("Enter")
        await until_completed(tab.page)
        closed = tab.page.locator("details:not([open])")
        while await closed.count():
            await closed.first.locator("> summary").press("Enter")
        await expect(closed).to_have_count(0)
        assert await tab.page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]


async def test_every_view_is_accessible_at_every_width(scene: Scene, finished: str) -> None:
    views = {
        "/": ".sessions a",
        f"/sessions/{finished}": ".analysis h3",
        f"/sessions/{finished}/record": "details.record-call",
        "/system": "main table",
        "/system?part=servers": "main h2",
        "/system?part=configuration": "main details",
        "/submit": "main form",
        "/usage": "figure.chart",
    }
    broken: list[str] = []
    for width in WIDTHS:
        viewport = {"width": width, "height": 900}
        async with new_tab(scene.browser, scene.url, viewport=viewport) as tab:
            for address, whole in views.items():
                await tab.page.goto(address)
                await expect(tab.page.locator(whole).first).to_be_visible()
                # The head of a session comes with the API's answer, and its story live.
                await expect(tab.page.locator("h1").first).to_be_visible()
                broken += [f"{address} at {width}: {one}" for one in await violations_in_both_schemes(tab.page)]
            assert tab.complaints == []
    assert broken == [], "\n".join(broken)
