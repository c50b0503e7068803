"""Every view of the page, in front of a whole TARSy: accessible in both schemes, and no text torn, at each width.

The views are those of the pictures: a new one is a line of that table.
"""

import asyncio
import json
import os
import shutil
from collections.abc import Awaitable, Callable
from typing import Any

import httpx2
import pytest
from playwright.async_api import Page

from tarsy_testing.browser.axe import violations_in_both_schemes
from tarsy_testing.browser.browser import chromium, demand_chromium
from tarsy_testing.browser.cut_texts import cut_texts, pixels_too_wide
from tarsy_testing.browser.pictures import LIGHT, VIEWS, Picture
from tarsy_testing.browser.studio import PACE_SECONDS, Studio, add_chains, visit_all
from tarsy_testing.browser.torn_words import torn_words
from tarsy_testing.story.incident import INCIDENTS
from tarsy_testing.system.service_forks import ServiceForks
from tarsy_testing.system.up import Tarsy, tarsy

WHOLE = pytest.mark.skipif(os.environ.get("TARSY_VIEWS") != "all", reason="minutes of Chromium: `make views` runs it")


async def faults_of(page: Page) -> list[str]:
    wider = await pixels_too_wide(page)
    faults = [f"the page is {wider} pixels too wide"] if wider else []
    faults += [f"cut: {one}" for one in await cut_texts(page)]
    faults += [f"torn: {one}" for one in await torn_words(page)]
    return faults + await violations_in_both_schemes(page)


def sends_to(one: Tarsy) -> Callable[[list[dict[str, Any]]], Awaitable[None]]:
    """Alerts go to its webhook as one group, as Alertmanager sends them."""

    async def fire(alerts: list[dict[str, Any]]) -> None:
        [incident] = [
            body
            for file in INCIDENTS.glob("*/alert.json")
            if (body := json.loads(file.read_text("utf-8")))["alerts"] == alerts
        ]
        async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{one.http_port}", trust_env=False) as client:
            answer = await client.post("/api/v1/alerts/alertmanager", json=incident, timeout=90.0)
            assert answer.status_code == 202, answer.text

    return fire


@WHOLE
@pytest.mark.asyncio
async def test_every_view_is_accessible_and_whole_at_every_width(
    tmp_path_factory: pytest.TempPathFactory, forks: ServiceForks
) -> None:
    demand_chromium()
    folder = tmp_path_factory.mktemp("views")
    faults: list[str] = []
    seen: set[str] = set()

    async def look(page: Page, picture: Picture) -> None:
        seen.add(picture.view.name)
        faults.extend(f"{picture.view.name} at {picture.width}: {one}" for one in await faults_of(page))

    with tarsy(folder, pace_seconds=PACE_SECONDS, forks=forks) as one:
        add_chains(one.config_dir)
        await asyncio.to_thread(one.up)
        async with chromium() as browser:
            await visit_all(Studio(one, browser, sends_to(one)), folder, look, LIGHT)
    shutil.rmtree(folder, ignore_errors=True)
    assert seen == {view.name for view in VIEWS}
    assert faults == [], "\n".join(faults)


@pytest.mark.asyncio
async def test_a_text_that_is_cut_is_found_unless_an_ellipsis_and_a_title_say_so() -> None:
    async with chromium() as browser:
        page = await browser.new_page()
        await page.set_content(
            "<style>p { width: 4em; white-space: nowrap; overflow: hidden }</style><p>One that is cut off here</p>"
            "<p style='text-overflow: ellipsis'>Two that nobody can read</p><p>Three</p>"
            "<p style='text-overflow: ellipsis' title='whole'>Four that has a title</p>"
        )
        assert await cut_texts(page) == ["One that is cut off here by p.", "Two that nobody can read by p."]
