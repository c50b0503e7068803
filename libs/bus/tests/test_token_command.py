"""The token command of OAUTHBEARER: how often it is run, and what is said when it gives no token."""

import asyncio
import base64
import json
import shlex
import time
from pathlib import Path

import pytest

from tarsy_bus.client.token_command import EARLY_SECONDS, TokenCommand, TokenCommandError, expiry_of

NOW = 1_800_000_000.0


def jwt(**claims: object) -> str:
    header, body = (
        base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in ({"alg": "none"}, claims)
    )
    return f"{header}.{body}.signature"


class Counted:
    """A command that notes each of its runs."""

    def __init__(self, folder: Path, written: str, *, after: str = "") -> None:
        self._runs = folder / "runs"
        (folder / "written").write_text(written, encoding="utf-8")
        script = folder / "get-token"
        script.write_text(f"#!/bin/sh\necho run >> {self._runs}\n{after}\ncat {folder / 'written'}\n", "utf-8")
        script.chmod(0o700)
        self.command = str(script)

    @property
    def runs(self) -> int:
        return len(self._runs.read_text("utf-8").splitlines())


async def test_a_jwt_is_used_until_shortly_before_it_expires(tmp_path: Path) -> None:
    now = [NOW]
    counted = Counted(tmp_path, jwt(exp=NOW + 300))
    command = TokenCommand(counted.command, now=lambda: now[0])
    assert await command.token() == await command.token() == jwt(exp=NOW + 300)
    now[0] += 300 - EARLY_SECONDS - 1
    await command.token()
    assert counted.runs == 1
    now[0] += 2
    await command.token()
    assert counted.runs == 2


async def test_another_token_is_used_for_one_connection(tmp_path: Path) -> None:
    counted = Counted(tmp_path, "opaque\nand a second line\n")
    command = TokenCommand(counted.command)
    assert [await command.token(), await command.token()] == ["opaque", "opaque"]
    assert counted.runs == 2


async def test_connections_that_ask_at_once_share_a_run(tmp_path: Path) -> None:
    counted = Counted(tmp_path, "opaque", after="sleep 0.3")
    command = TokenCommand(counted.command)
    assert set(await asyncio.gather(*(command.token() for _ in range(10)))) == {"opaque"}
    assert counted.runs == 1


async def test_they_share_a_failure_too_and_the_next_one_tries_again(tmp_path: Path) -> None:
    counted = Counted(tmp_path, "opaque", after="sleep 0.3; exit 3")
    command = TokenCommand(counted.command)
    told = await asyncio.gather(*(command.token() for _ in range(10)), return_exceptions=True)
    assert {str(one) for one in told} == {str(told[0])}
    assert isinstance(told[0], TokenCommandError)
    assert counted.runs == 1
    with pytest.raises(TokenCommandError):
        await command.token()
    assert counted.runs == 2


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("sh -c 'echo SECRET; exit 3'", "the token command sh ended with exit code 3: run it by hand"),
        ("sh -c ''", "wrote no token in its first line"),
        ("sh -c 'echo; echo SECRET'", "wrote no token in its first line"),
        ("echo a SECRET", "letters that no token has"),
        ("/nonexistent/get-token --password SECRET", "the token command get-token could not be started (No such file"),
    ],
)
async def test_a_failure_is_told_without_what_was_written(command: str, said: str) -> None:
    with pytest.raises(TokenCommandError) as failed:
        await TokenCommand(command).token()
    assert said in str(failed.value)
    assert "TARSY_KAFKA_TOKEN_COMMAND" in str(failed.value)
    assert "SECRET" not in repr(failed.value)


@pytest.mark.timing
async def test_a_command_that_hangs_is_ended_with_what_it_started(tmp_path: Path) -> None:
    file = tmp_path / "pid"
    inner = shlex.quote(f"sleep 600 & echo $! > {file}; wait")
    with pytest.raises(TokenCommandError, match=r"gave no token within 0\.5 seconds"):
        await TokenCommand(f"sh -c {inner}", seconds=0.5).token()
    assert is_gone(int(file.read_text("ascii")))


def is_gone(pid: int) -> bool:
    """A child that nobody waits for stays as a zombie."""
    limit = time.monotonic() + 60
    while time.monotonic() < limit:
        try:
            if Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.02)
    return False


async def test_the_loop_turns_while_the_command_runs(tmp_path: Path) -> None:
    """It ends when the loop says so."""
    turned = tmp_path / "turned"
    counted = Counted(tmp_path, "opaque", after=f"while [ ! -e {turned} ]; do sleep 0.05; done")
    running = asyncio.create_task(TokenCommand(counted.command).token())
    while not (tmp_path / "runs").exists():  # noqa: ASYNC110 - a file tells nobody
        await asyncio.sleep(0.01)
    assert not running.done()
    turned.touch()
    assert await running == "opaque"


@pytest.mark.parametrize("token", ["opaque", "a.b.c", "a..c", f"a.{base64.b64encode(b'[]').decode()}.c", jwt(sub="x")])
def test_what_is_no_jwt_with_an_expiry_has_none(token: str) -> None:
    assert expiry_of(token) == 0
    assert expiry_of(jwt(exp=12.5)) == 12.5
