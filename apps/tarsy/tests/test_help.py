"""Help comes at once: it imports neither what a command works with nor the other commands."""

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command
from typer.testing import CliRunner

from tarsy_cli.app import cli
from tarsy_cli.command_group import TableGroup
from tarsy_cli.command_table import COMMANDS, SECTIONS, CommandEntry, CommandGroup, Entry

HEAVY = frozenset(
    {
        "aiokafka", "anthropic", "asyncio", "asyncpg", "cramjam", "cryptography", "fastapi", "faststream", "google",
        "httpx2", "jwt", "markdown_it", "mcp", "opentelemetry", "prometheus_client", "rich", "structlog", "uvicorn",
        "websockets", "yaml", "tarsy_auth", "tarsy_config", "tarsy_lab", "tarsy_llm", "tarsy_masking", "tarsy_service",
        "tarsy_timeline", "tarsy_tool_gateway",
    }
)  # fmt: skip
"""Packages that a help has no need of: each takes long to import. Typer itself wants pydantic."""


def paths(entries: dict[str, Entry], *before: str) -> Iterator[tuple[str, ...]]:
    for name, entry in entries.items():
        yield (*before, name)
        if isinstance(entry, CommandGroup):
            yield from paths(dict(entry.commands), *before, name)


ALL = [(), *paths(dict(COMMANDS))]


def imported(*arguments: str) -> set[str]:
    """Top packages that a run of the command imports."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "tarsy_cli", *arguments],
        env=os.environ | {"COLUMNS": "100"},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    assert len(lines) > 50, "Python said what it imports"
    return {line.rpartition("|")[2].strip().partition(".")[0] for line in lines}


@pytest.mark.parametrize(
    "path", [(), ("topics",), ("submit",), ("topics", "acls"), ("lab", "run"), ("up",)], ids=" ".join
)
def test_a_help_imports_nothing_heavy(path: tuple[str, ...]) -> None:
    assert imported(*path, "--help") & HEAVY == set()


def test_the_version_and_a_completion_import_nothing_heavy(monkeypatch: pytest.MonkeyPatch) -> None:
    assert imported("--version") & HEAVY == set()
    for name, value in {"_TARSY_COMPLETE": "complete_bash", "COMP_WORDS": "tarsy do", "COMP_CWORD": "1"}.items():
        monkeypatch.setenv(name, value)
    assert imported() & HEAVY == set()


def test_no_module_of_a_command_imports_anything_heavy() -> None:
    """All of them in one process: the helps above are a sample."""
    modules = {entry.module for _, entry in commands()}
    imports = "; ".join(f"import tarsy_cli.{module}" for module in sorted(modules))
    asked = f"import sys, tarsy_cli.app; {imports}; print(*{{name.partition('.')[0] for name in sys.modules}})"
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, timeout=120, check=True)
    assert set(done.stdout.split()) & HEAVY == set()


def commands() -> Iterator[tuple[TyperCommand, CommandEntry]]:
    root = get_command(cli)
    assert isinstance(root, TableGroup)
    for name, command in root.load_all().items():
        entry = COMMANDS[name]
        if isinstance(entry, CommandEntry):
            assert isinstance(command, TyperCommand)
            yield command, entry
            continue
        assert isinstance(command, TableGroup)
        for part, one in command.load_all().items():
            assert isinstance(one, TyperCommand)
            yield one, entry.commands[part]


def test_the_list_says_of_each_command_the_first_sentence_of_its_help() -> None:
    for command, entry in commands():
        paragraph = " ".join((command.help or "").partition("\n\n")[0].split())
        assert f"{paragraph} ".startswith(f"{entry.summary} "), command.name
        assert ". " not in entry.summary


@pytest.mark.parametrize("path", ALL, ids=" ".join)
def test_every_command_of_the_list_has_a_help(path: tuple[str, ...]) -> None:
    told = CliRunner().invoke(cli, [*path, "--help"])
    assert told.exit_code == 0, told.output
    assert f"Usage: root {' '.join(path)}".rstrip() in told.output.replace("Usage: tarsy", "Usage: root")


def test_a_mistyped_command_is_told_which_one_was_meant() -> None:
    for typed, meant in ((["sesions"], "sessions"), (["topics", "aply"], "apply")):
        told = CliRunner().invoke(cli, typed)
        assert told.exit_code == 2
        assert f"Did you mean '{meant}'" in told.output


def test_without_a_command_the_list_is_shown() -> None:
    assert all(f"{title}:" in CliRunner().invoke(cli, []).output for title in SECTIONS)
    assert "Commands:" in CliRunner().invoke(cli, ["topics"]).output


def test_a_placeholder_is_never_what_runs() -> None:
    root = get_command(cli)
    assert isinstance(root, TyperGroup)
    assert root.commands.keys() == COMMANDS.keys()
    for name in COMMANDS:
        assert root.get_command(None, name) is not root.commands[name]  # type: ignore[arg-type]
