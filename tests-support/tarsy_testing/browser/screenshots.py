"""Pictures for the docs, taken of a TARSy that runs, with a real Prometheus and Alertmanager: `make screenshots`.

The model is scripted, as in `make demo`; everything else is real. The alerts go the way that they go at a site: into
Alertmanager, and from there to TARSy's webhook. On the way every query of the dashboards is asked of that Prometheus.
With a folder (`make screenshots ARGS=FOLDER`) the docs stay as they are: every view, in both schemes, goes there.
"""

import argparse
import asyncio
import shutil
import sys
import tempfile
from contextlib import AsyncExitStack
from pathlib import Path

from playwright.async_api import Browser, Page, expect

from tarsy_testing.browser.browser import CHROMIUM, chromium, new_tab
from tarsy_testing.browser.palette import with_palette
from tarsy_testing.browser.pictures import BOTH, Picture, page_of_pictures
from tarsy_testing.browser.studio import PACE_SECONDS, Studio, add_chains, visit_all
from tarsy_testing.servers.alertmanager import PROGRAM
from tarsy_testing.servers.monitoring import Monitoring, monitoring, named_metrics
from tarsy_testing.system.up import ROOT, tarsy

PICTURES = ROOT / "docs/pictures"
MOST_BYTES = 150_000
DESK = {"width": 1180, "height": 820}


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


async def take(browser: Browser, page: Page, file: Path) -> None:
    taken = await page.screenshot(animations="disabled", caret="hide")
    picture = await with_palette(browser, taken)
    await asyncio.to_thread(file.write_bytes, picture)
    say(f"{file.name}  {len(picture) / 1000:.0f} kB")
    assert len(picture) <= MOST_BYTES, f"{file} has more than {MOST_BYTES} bytes"


async def take_prometheus(browser: Browser, around: Monitoring) -> None:
    """Its own pages. Debian's package has those before React; its Alertmanager has none."""
    client = around.prometheus
    classic = "/classic" if (await client.get("/classic/alerts")).status_code == 200 else ""
    for path, text in (("alerts", "TarsyPartitionsNotOwned"), ("targets", "tool-gateway")):
        async with new_tab(browser, str(client.base_url), viewport=DESK) as tab:
            await tab.page.goto(f"{classic}/{path}")
            await expect(tab.page.get_by_text(text).first).to_be_visible()
            await take(browser, tab.page, PICTURES / f"prometheus-{path}.png")


async def ask_prometheus(around: Monitoring) -> None:
    """Fails where rules or dashboards name what the running system does not have, or ask what cannot be answered."""
    named, scraped = named_metrics(), await around.scraped_metrics()
    assert named <= scraped, f"no process tells of {', '.join(sorted(named - scraped))}"
    refused = await around.refused_queries()
    assert refused == [], f"Prometheus refuses {refused}"
    say(f"Prometheus knows all {len(named)} metrics of rules and dashboards, and refuses no query")


async def run(folder: Path, into: Path | None) -> None:
    """`into`: where pictures of every view in both schemes go; without it, those of the docs are taken."""
    kept = into or PICTURES
    kept.mkdir(parents=True, exist_ok=True)

    async def look(page: Page, picture: Picture) -> None:
        await take(browser, page, kept / picture.file)

    with tarsy(folder, pace_seconds=PACE_SECONDS) as one:
        add_chains(one.config_dir)
        await asyncio.to_thread(one.up, "--processes", "--instances", "tool-gateway=2")
        async with AsyncExitStack() as stack:
            browser = await stack.enter_async_context(chromium())
            front_door = f"127.0.0.1:{one.http_port}"
            services = sum(bool(process.http) for process in one.processes())
            around = await stack.enter_async_context(monitoring(front_door, 1 + services, folder))
            await visit_all(Studio(one, browser, around.send), folder, look, BOTH if into else None)
            if into is None:
                (PICTURES / "README.md").write_text(page_of_pictures(), "utf-8")
                await ask_prometheus(around)
                await take_prometheus(browser, around)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("into", nargs="?", type=Path, help="a folder for every view in both schemes")
    arguments = parser.parse_args()
    missing = [name for name in ("prometheus", PROGRAM) if shutil.which(name) is None]
    missing += [] if CHROMIUM.exists() else ["chromium"]
    if missing:
        sys.exit(f"Not installed: {', '.join(missing)}. `apt-get install {' '.join(missing)}` brings it.")
    with tempfile.TemporaryDirectory(prefix="tarsy-screenshots-") as folder:
        asyncio.run(run(Path(folder), arguments.into))


if __name__ == "__main__":
    main()
