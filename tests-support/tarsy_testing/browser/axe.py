"""axe looks at a page. npm brings it, by the lock file of `tools/page`."""

import fcntl
import hashlib
import subprocess
from functools import cache
from pathlib import Path
from typing import Literal

from playwright.async_api import Page

from tarsy_testing.programs import required_program

TOOLS = Path(__file__).resolve().parent.parent.parent.parent / "tools" / "page"
MODULES = TOOLS / "node_modules"
SECONDS = 600
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")

RUN = """async () => (await axe.run(document, { resultTypes: ["violations"] })).violations.map(
    (one) => `${one.id}: ${one.nodes.map((node) => `${node.target} ${node.failureSummary}`).slice(0, 5).join(" | ")}`
)"""


def install_page_tools() -> Path:
    """The folder of what the lock file pins. Several processes may ask at once: one installs, once."""
    lock = TOOLS / "package-lock.json"
    wanted, stamp = hashlib.sha256(lock.read_bytes()).hexdigest(), MODULES / ".installed"
    with lock.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        if not stamp.exists() or stamp.read_text("utf-8") != wanted:
            _install()
            stamp.write_text(wanted, "utf-8")
    return MODULES


def _install() -> None:
    command = [required_program("npm"), "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
    made = subprocess.run(command, cwd=TOOLS, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert made.returncode == 0, made.stdout + made.stderr


@cache
def axe_source() -> str:
    return (install_page_tools() / "axe-core" / "axe.min.js").read_text("utf-8")


async def violations(page: Page) -> list[str]:
    """Each rule that is broken, with where. The browser's tools run axe: the page's policy forbids others."""
    if not await page.evaluate("'axe' in window"):
        await page.evaluate(axe_source())
    found: list[str] = await page.evaluate(RUN)
    return found


async def violations_in_both_schemes(page: Page) -> list[str]:
    """The page stays loaded: its colours are the style sheet's."""
    found: list[str] = []
    for scheme in SCHEMES:
        await page.emulate_media(color_scheme=scheme)
        found += [f"{scheme}: {one}" for one in await violations(page)]
    return found
