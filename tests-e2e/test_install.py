"""`make install`, in a home of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SECONDS = 300


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    """An environment of somebody who has never installed anything."""
    kept = {name: value for name, value in os.environ.items() if name not in ("XDG_BIN_HOME", "VIRTUAL_ENV")}
    return kept | {"HOME": str(tmp_path), "PATH": f"{tmp_path / '.local/bin'}:/usr/bin:/bin"}


def run(*command: str, environment: dict[str, str], folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False
    )


def install(*arguments: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """The part of `make install` after `make setup`, which these tests run in."""
    return run(sys.executable, str(ROOT / "tools" / "install.py"), *arguments, environment=environment)


def test_the_command_runs_by_its_name_in_any_folder(home: dict[str, str], tmp_path: Path) -> None:
    for _ in range(2):
        installed = install(environment=home)
        assert (installed.returncode, installed.stderr) == (0, "")
        assert "is not on your PATH" not in installed.stdout
    shown = run("tarsy", "status", environment=home, folder=tmp_path)
    assert (shown.returncode, shown.stdout) == (3, "No TARSy runs in .tarsy. `tarsy up` starts one.\n")


def test_a_folder_that_is_not_on_the_path_is_said(home: dict[str, str], tmp_path: Path) -> None:
    installed = install(str(tmp_path / "elsewhere"), environment=home)
    assert (tmp_path / "elsewhere" / "tarsy").is_symlink()
    assert f'export PATH="{tmp_path / "elsewhere"}:$PATH"' in installed.stdout


def test_a_program_of_the_same_name_is_left_alone(home: dict[str, str], tmp_path: Path) -> None:
    (folder := tmp_path / ".local" / "bin").mkdir(parents=True)
    (folder / "tarsy").write_text("somebody else's", "utf-8")
    refused = install(environment=home)
    assert refused.returncode == 1
    assert "is there already" in refused.stderr
    assert (folder / "tarsy").read_text("utf-8") == "somebody else's"


def test_make_installs_after_the_set_up() -> None:
    # A make that runs this test hands its own settings down.
    environment = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL")}
    planned = run("make", "--dry-run", "install", "BIN=/some/where", environment=environment)
    assert planned.stdout.splitlines() == ["python3 tools/setup.py", 'python3 tools/install.py "/some/where"']


def test_the_docs_name_the_command_as_it_is_installed() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    assert len(pages) > 50
    assert [page.name for page in pages if ".venv/bin/tarsy" in page.read_text("utf-8")] == []
