"""On a machine with Python and nothing else the tests that need another program are left out, each with its reason."""

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tarsy_testing.programs import known_programs
from tarsy_testing.servers.mcp_install import NPM_SETS
from tarsy_testing.system.system import ROOT

SUPPORT = ROOT / "tests-support"
COREUTILS = ("cat", "chmod", "cp", "date", "env", "false", "id", "ls", "mkdir", "mv", "rm", "sh", "sleep", "true")
SECONDS = 600
LONG = ("test_up.py", "test_processes.py", "test_rolling_upgrade.py", "test_tutorial.py", "test_mcp_api.py")
"""Whole systems: the functions by which these ask for a program are those of other files, too."""
SUMMARY = re.compile(r"^(?P<tests>\d+) tests were left out for want of (?P<names>.+)\.$", re.MULTILINE)


def files_of_tests() -> list[Path]:
    listed = subprocess.run(["find", ".", "-name", "test_*.py", "-not", "-path", "*/.*"], cwd=ROOT, capture_output=True)
    return sorted(ROOT / line for line in listed.stdout.decode().splitlines())


def programs_named_in(file: Path) -> set[str]:
    """Programs of the table that a file of tests starts or asks for, by itself or through what it imports."""
    return set().union(*(_literals(one) for one in (file, *_imported(file)))) & known_programs()


@cache
def _literals(file: Path) -> frozenset[str]:
    """Strings that begin a command, or are handed to who looks a program up."""
    return frozenset(text for node in ast.walk(ast.parse(file.read_bytes())) for text in _names_in(node))


def _names_in(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id="subprocess")),
            args=[ast.List(elts=[ast.Constant(value=str(text)), *_]), *_],
        ):
            yield text
        case ast.Call(func=ast.Name(id="required_program" | "require_programs" | "leave_out"), args=args):
            for one in ast.walk(ast.Tuple(args)):
                if isinstance(one, ast.Constant) and isinstance(one.value, str):
                    yield one.value
        case _:
            pass


def _imported(file: Path) -> Iterator[Path]:
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.ImportFrom) and node.module:
            module = f"{node.module.replace('.', '/')}.py"
            yield from (folder / module for folder in (SUPPORT, file.parent) if (folder / module).is_file())


@pytest.fixture(scope="module")
def bare_path(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("bare")
    for name in COREUTILS:
        (folder / name).symlink_to(shutil.which(name) or pytest.fail(f"there is no {name}"))
    return str(folder)


def run_bare(bare_path: str, *arguments: str | Path) -> str:
    """What npm has installed for other tests is no program of a bare machine."""
    environment = {name: value for name, value in os.environ.items() if name != "CI" and not name.startswith("PYTEST")}
    environment |= {"PATH": bare_path, NPM_SETS: f"{bare_path}-npm"}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "0", *map(str, arguments)],
        cwd=ROOT, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-5_000:] + done.stderr[-2_000:]
    return done.stdout


@pytest.mark.timeout(SECONDS)
def test_every_test_is_collected(bare_path: str) -> None:
    assert "error" not in run_bare(bare_path, "--collect-only").splitlines()[-1]


@pytest.mark.timeout(SECONDS)
def test_whoever_needs_a_program_is_left_out_and_the_run_says_how_to_get_it(bare_path: str) -> None:
    needing = [file for file in files_of_tests() if file.name not in LONG and programs_named_in(file)]
    output = run_bare(bare_path, *needing)
    summary = SUMMARY.search(output)
    assert summary is not None, output[-2_000:]
    assert int(summary["tests"]) > len(needing)
    assert "`make programs` installs what is missing; then run them again." in output
