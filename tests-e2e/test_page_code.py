"""The page's code: types by TypeScript over JSDoc, lint and format by Biome, and what others wrote as npm has it."""

import runpy
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from tarsy_testing.browser.axe import TOOLS, install_page_tools
from tarsy_testing.programs import required_program
from tarsy_testing.system.system import ROOT

PAGE = ROOT / "services/websocket-gateway/src/tarsy_websocket_gateway/page"
SECONDS = 600


def run(*command: str, folder: Path) -> None:
    made = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert made.returncode == 0, made.stdout + made.stderr


@pytest.fixture(scope="module")
def modules() -> Path:
    """What `package-lock.json` pins by digest."""
    required_program("node")
    return install_page_tools()


def test_types_of_the_page_are_right(modules: Path) -> None:
    run("node", "types.mjs", folder=TOOLS)
    run(str(modules / ".bin" / "tsc"), "-p", ".", folder=TOOLS)


def test_the_page_has_no_lint_and_one_format(modules: Path) -> None:
    run(str(modules / ".bin" / "biome"), "check", "--config-path", str(TOOLS), str(PAGE), folder=ROOT)


def test_what_others_wrote_is_what_npm_has(modules: Path) -> None:
    vendored: Mapping[str, bytes] = runpy.run_path(str(TOOLS / "vendor.py"))["vendored_files"](modules)

    assert len(vendored) >= 8
    assert [name for name, body in vendored.items() if (PAGE / "vendor" / name).read_bytes() != body] == []
