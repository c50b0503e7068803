"""The command's own manners: its version, the standard input, and readers that go away."""

import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from tarsy_cli.app import cli
from tarsy_cli.submission import SubmittedAlert


def test_the_version_is_told() -> None:
    result = CliRunner().invoke(cli, ["--version"])
    assert (result.exit_code, result.output) == (0, "tarsy 0.1.0\n")


def test_an_alert_is_read_from_the_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[bytes] = []

    def submit_alerts(_: str, content: bytes) -> list[SubmittedAlert]:
        sent.append(content)
        return [SubmittedAlert("the-session")]

    monkeypatch.setattr("tarsy_cli.submission.submit_alerts", submit_alerts)
    result = CliRunner().invoke(cli, ["submit", "-", "--url", "http://127.0.0.1:1"], input=b"caf\xe9 burns")
    assert (result.exit_code, result.stdout, sent) == (0, "the-session\n", [b"caf\xe9 burns"])
    assert result.stderr == "On the page: http://127.0.0.1:1/sessions/the-session\n"


def test_sessions_that_an_alert_joined_are_named_beside_the_output(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [SubmittedAlert("new"), SubmittedAlert("old", joined=True, session_status="failed")]
    found.append(SubmittedAlert("other", joined=True))
    monkeypatch.setattr("tarsy_cli.submission.submit_alerts", lambda *_: found)
    result = CliRunner().invoke(cli, ["submit", "-", "--url", "http://127.0.0.1:1"], input=b"{}")
    assert (result.exit_code, result.stdout) == (0, "new\nold\nother\n")
    notes = [line.partition("counted in ")[2] for line in result.stderr.splitlines()]
    assert [note for note in notes if note] == ["old, which is failed.", "other."]


def ended_by_its_reader(arguments: list[str]) -> tuple[int, bytes]:
    """Its exit code, and what it said to the person."""
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(arguments, stdout=writing, stderr=subprocess.PIPE, timeout=120, check=False)
    os.close(writing)
    return done.returncode, done.stderr


@pytest.mark.parametrize("command", ["--help", "lab list", "config show --json", "status --json"])
def test_a_reader_that_has_gone_ends_a_command_without_a_word(command: str) -> None:
    assert ended_by_its_reader([sys.executable, "-m", "tarsy_cli", *command.split()]) == (1, b"")


FOLLOWING = """
import asyncio
from collections.abc import AsyncGenerator
from tarsy_cli.console.command_console import CommandConsole
from tarsy_cli.console.output import ending_when_closed

async def lines() -> AsyncGenerator[str]:
    try:
        while True:
            yield "a line"
    finally:
        await asyncio.sleep(0.01)

async def follow() -> None:
    async for line in lines():
        console.print(line)

console = CommandConsole()
with ending_when_closed():
    asyncio.run(follow())
"""


def test_nor_does_one_that_follows_a_session() -> None:
    assert ended_by_its_reader([sys.executable, "-c", FOLLOWING]) == (1, b"")
