"""MCP servers nobody here wrote, and the conformance suite: installed once into `.tools/mcp`, see `mcp_pins/`.

Packages that differ from their pins are refused (SHA-512, SHA-256). No script of a package runs at its installation.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal, Never

import pytest

from tarsy_embedded.lock import one_at_a_time
from tarsy_testing.programs import required_program

ROOT = Path(__file__).resolve().parent.parent.parent.parent
PINS = Path(__file__).with_name("mcp_pins")
HOME = ROOT / ".tools" / "mcp"
NPM_SETS = "TARSY_TEST_NPM_SETS"
"""The folder in which what npm installs is found instead: a test of a machine without npm names an empty one."""
UV = ROOT / ".tools" / "bin" / "uv"
STAMP = "installed"
SECONDS = 250.0

type Era = Literal["today", "before"]
"""`before`: what still runs on the 1.x SDK of MCP, which knows handshakes only."""
type NpmSet = Literal["node", "cookbook"]
"""`cookbook`: the servers of the cookbook that come from npm. They are 800 MB, and one test wants them."""


class NotInstalledError(Exception):
    pass


def node_programs() -> Path:
    """The folder of the programs that npm has installed, a Node.js for them among them."""
    return _required("node") / "node_modules" / ".bin"


def cookbook_packages() -> Path:
    """The folder of packages of the cookbook's servers."""
    return _required("cookbook") / "node_modules"


def kubernetes_mcp_server() -> Path:
    """The folder of the program that the package of npm starts."""
    (folder,) = (node_programs().parent).glob("kubernetes-mcp-server-linux-*/bin")
    return folder


def python_programs(era: Era) -> Path:
    return _required(era) / "bin"


def _required(what: Era | NpmSet) -> Path:
    found = _installed(what)
    if isinstance(found, str):
        _missing(found)
    return Path(found)


def _missing(problem: str) -> Never:
    """Where the tests count it is an error; elsewhere the test is passed over, with the reason."""
    if os.environ.get("CI", "").lower() not in ("", "0", "false"):
        pytest.fail(problem)
    pytest.skip(problem)


@cache
def _installed(what: Era | NpmSet) -> Path | str:
    """The folder, or why there is none. Two test runs at once wait for each other."""
    of_python = what in ("today", "before")
    home = HOME if of_python else Path(os.environ.get(NPM_SETS, HOME))
    home.mkdir(parents=True, exist_ok=True)
    folder = home / what
    files = [PINS / f"{what}.txt"] if of_python else _npm_files(what)
    pins = {file.name: file.read_bytes() for file in files}
    wanted = hashlib.sha256(b"".join(pins.values()) + sys.version.encode()).hexdigest()
    with one_at_a_time(home / f"{what}.lock"):
        stamp = folder / STAMP
        if stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted:
            return folder
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        try:
            _install(what, folder, pins)
        except NotInstalledError as problem:
            return str(problem)
        stamp.write_text(wanted, encoding="utf-8")
    return folder


def _npm_files(what: Era | NpmSet) -> list[Path]:
    folder = PINS if what == "node" else PINS / what
    return [folder / name for name in ("package.json", "package-lock.json")]


def _install(what: Era | NpmSet, folder: Path, pins: Mapping[str, bytes]) -> None:
    """Raises NotInstalledError."""
    if what in ("node", "cookbook"):
        for name, content in pins.items():
            (folder / name).write_bytes(content)
        npm = required_program("npm")
        _run(
            [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"],
            folder,
        )
        return
    environment = {**os.environ, "VIRTUAL_ENV": str(folder)}
    _run([str(UV), "venv", "--quiet", "--allow-existing", "--python", sys.executable, str(folder)], ROOT, environment)
    _run([str(UV), "pip", "sync", "--quiet", "--require-hashes", str(PINS / f"{what}.txt")], ROOT, environment)


def _run(command: list[str], folder: Path, environment: Mapping[str, str] | None = None) -> None:
    name = " ".join([Path(command[0]).name, command[1]])
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise NotInstalledError(f"{name} was not done in {SECONDS:g} seconds") from None
    except OSError as problem:
        raise NotInstalledError(f"{name} cannot be run: {problem}") from None
    if done.returncode != 0:
        raise NotInstalledError(f"{name} ended with {done.returncode}: {(done.stdout + done.stderr)[-800:]}")
