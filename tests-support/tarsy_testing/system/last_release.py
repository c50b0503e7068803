"""The last release, from this repository's own history, as processes beside those of today's code.

After a release, VERSION and COMMIT below become those of the release: the commit in which its version stands first in
CHANGELOG.md. Nothing else names them.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tarsy_testing.programs import required_program
from tarsy_testing.system.service_forks import ServiceForks, service_forks
from tarsy_testing.system.system import ROOT

VERSION = "0.1.0"
COMMIT = "7367e0b3340a262801ca1520390bb0132cc57fe0"

SOURCES = ("apps", "libs", "services", "examples/lab")
CONFIG = "tests-e2e/chains/config"
HEADINGS = re.compile(r"^## \[([^\]]+)\]", re.MULTILINE)
COMMAND_SECONDS = 180.0


class NoHistoryError(Exception):
    """The clone is shallow. The operator of CI clones the whole repository."""

    def __init__(self, commit: str) -> None:
        super().__init__(
            f"This clone has no commit {commit}, which is the last release ({VERSION}), so nothing can be run beside "
            "it: fetch the history with `git fetch --unshallow`."
        )


@dataclass(frozen=True, slots=True)
class LastRelease:
    """`folder` holds its tree, as far as it is needed."""

    folder: Path
    forks: ServiceForks

    @property
    def config(self) -> Path:
        return self.folder / CONFIG

    def run(self, environment: dict[str, str], *command: str) -> str:
        """Its `tarsy` command."""
        return run_command({**environment, **_python_path(self.folder)}, *command)


def run_command(environment: dict[str, str], *command: str) -> str:
    """Runs today's `tarsy` command, and returns its output. Fails where it does."""
    ran = subprocess.run(
        [sys.executable, "-m", "tarsy_cli", *command], cwd=ROOT, env={**os.environ, **environment}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=COMMAND_SECONDS,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout
    return ran.stdout


@contextmanager
def last_release(folder: Path) -> Iterator[LastRelease]:
    """Checks it out into `folder`. Raises NoHistoryError."""
    check_out(COMMIT, folder)
    with service_forks(_python_path(folder)) as forks:
        yield LastRelease(folder, forks)


def check_out(commit: str, folder: Path) -> None:
    """Raises NoHistoryError."""
    if _git("cat-file", "-e", f"{commit}^{{commit}}").returncode != 0:
        raise NoHistoryError(commit)
    folder.mkdir(parents=True)
    archive = _git("archive", "--format=tar", commit, *SOURCES, CONFIG)
    subprocess.run(["tar", "-x", "-C", str(folder)], input=archive.stdout, check=True)


def versions(changelog: str) -> list[str]:
    """As the headings of a changelog name them, the newest first."""
    return HEADINGS.findall(changelog)


def changelog_of(commit: str) -> str:
    return _git("show", f"{commit}:CHANGELOG.md").stdout.decode()


def _git(*command: str) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run([required_program("git"), "-C", str(ROOT), *command], capture_output=True, check=False)


def _python_path(folder: Path) -> dict[str, str]:
    """Its packages stand before those that are installed."""
    found = sorted(file.parent / "src" for file in folder.glob("**/pyproject.toml") if (file.parent / "src").is_dir())
    return {"PYTHONPATH": os.pathsep.join(map(str, found))}
