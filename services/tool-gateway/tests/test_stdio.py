"""Programs beside the gateway: what they are given, and what is said of those that cannot be started."""

import asyncio
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

import pytest
from connections import SECRET, connected, plan_to, said
from gateway_owner import call
from verdicts import verdict_on

from tarsy_egress.child_environment import egress_variables
from tarsy_tool_gateway.mcp.diagnosis import MisconfiguredError
from tarsy_tool_gateway.mcp.server_plan import StdioTransport
from tarsy_tool_gateway.mcp.transports.stdio import environment_of, stdio_streams

SHOW = """
import json, os, sys
from pathlib import Path
Path(sys.argv[1]).write_text(json.dumps({"env": dict(os.environ), "cwd": os.getcwd(), "argv": sys.argv}))
"""


@pytest.fixture
def nowhere() -> Iterator[TextIO]:
    with Path(os.devnull).open("w", encoding="utf-8") as file:
        yield file


@pytest.fixture(autouse=True)
def _no_way_out_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """This machine may have a proxy, or authorities: `tests-e2e/test_way_out.py` has those."""
    for name in egress_variables(os.environ):
        monkeypatch.delenv(name, raising=False)


async def seen_by_a_child(nowhere: TextIO, shown: Path, **plan: object) -> dict[str, object]:
    """What a program without any help of ours finds when it is started: it writes it down, and ends."""
    transport = StdioTransport(sys.executable, ("-S", "-E", "-c", SHOW, str(shown)), **plan)  # type: ignore[arg-type]
    ended = asyncio.Event()
    async with asyncio.timeout(200), stdio_streams(transport, nowhere, ended.set) as (reading, _):
        async for _ in reading:
            pass
    assert ended.is_set()
    return read(shown)


def read(shown: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads(shown.read_text("utf-8"))
    return found


def of_the_child_itself(names: set[str]) -> set[str]:
    """Python sets this one when the locale is C."""
    return names - {"LC_CTYPE"}


async def test_a_child_gets_the_variables_that_were_named_and_no_others(
    tmp_path: Path, nowhere: TextIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GOOGLE_API_KEY", "LOGNAME", "SHELL", "TERM", "USER"):
        monkeypatch.setenv(name, SECRET)
    monkeypatch.setenv("CHOSEN", "yes")
    named = await seen_by_a_child(
        nowhere, tmp_path / "shown", environment={"TOKEN": "abc"}, inherit=("CHOSEN", "NOT_SET_ANYWHERE"), cwd=tmp_path
    )
    environment = named["env"]
    assert isinstance(environment, dict)
    assert {name: environment[name] for name in of_the_child_itself(set(environment))} == {
        "CHOSEN": "yes",
        "TOKEN": "abc",
    }
    assert named["cwd"] == str(tmp_path)


async def test_without_a_word_a_child_gets_path_and_home_alone(tmp_path: Path, nowhere: TextIO) -> None:
    environment = (await seen_by_a_child(nowhere, tmp_path / "shown"))["env"]
    assert isinstance(environment, dict)
    assert of_the_child_itself(set(environment)) == {"PATH", "HOME"}


async def test_a_child_may_get_nothing_at_all(tmp_path: Path, nowhere: TextIO) -> None:
    environment = (await seen_by_a_child(nowhere, tmp_path / "shown", inherit=()))["env"]
    assert isinstance(environment, dict)
    assert of_the_child_itself(set(environment)) == set()


def test_what_is_named_for_a_child_counts_more_than_what_it_inherits() -> None:
    transport = StdioTransport("x", environment={"HOME": "/theirs"}, inherit=("HOME", "PATH"))
    assert environment_of(transport, {"HOME": "/ours", "PATH": "/bin", "KEY": "k"}) == {
        "HOME": "/theirs",
        "PATH": "/bin",
    }


@pytest.mark.parametrize(
    ("command", "cwd", "told"),
    [
        ("no-such-command-anywhere", None, "the command no-such-command-anywhere is not in PATH"),
        ("/nonexistent/server", None, "the command /nonexistent/server cannot be started: No such file or directory"),
        ("{folder}/plain", None, "the command {folder}/plain cannot be started: it is not executable"),
        ("{folder}", None, "the command {folder} cannot be started: it is not executable"),
        ("./plain", "{folder}", "the command {folder}/./plain cannot be started: it is not executable"),
        (sys.executable, "{folder}/none", "the working directory {folder}/none cannot be entered"),
    ],
)
async def test_what_cannot_be_started_is_a_mistake_that_is_told_without_the_arguments(
    tmp_path: Path, command: str, cwd: str | None, told: str
) -> None:
    (tmp_path / "plain").write_text("no program", encoding="utf-8")
    folder = Path(cwd.format(folder=tmp_path)) if cwd is not None else None
    transport = StdioTransport(command.format(folder=tmp_path), (f"--token={SECRET}",), cwd=folder)
    verdict = await verdict_on(transport)
    assert verdict.misconfigured
    assert told.format(folder=tmp_path) in verdict.reason
    assert SECRET not in verdict.reason


async def test_the_path_of_the_child_is_where_its_command_is_looked_for(tmp_path: Path, nowhere: TextIO) -> None:
    transport = StdioTransport("python3", environment={"PATH": str(tmp_path)})
    with pytest.raises(MisconfiguredError, match="is not in PATH"):
        async with stdio_streams(transport, nowhere, lambda: None):
            pass


async def test_a_program_that_ends_at_once_is_down_and_not_misconfigured() -> None:
    assert not (await verdict_on(StdioTransport(sys.executable, ("-c", "raise SystemExit(3)")))).misconfigured


async def test_a_byte_that_is_no_utf_8_is_not_the_end_of_a_session(tmp_path: Path, calls_file: Path) -> None:
    server = str(Path(__file__).with_name("small_server.py"))
    program = f"import os, runpy; os.write(1, b'\\xff\\xfe\\n'); runpy.run_path({server!r}, run_name='__main__')"
    folder = str(Path(__file__).parent)
    environment = {"CALLS": str(calls_file), "PYTHONPATH": folder}
    transport = StdioTransport(sys.executable, ("-c", program), environment)
    async with connected(plan_to(transport)) as connection:
        assert (await said(connection, call("echo", text="fine"))).text == "fine"


def test_nothing_secret_is_in_the_repr_of_a_program() -> None:
    transport = StdioTransport("npx", ("--key", SECRET), {"TOKEN": SECRET})
    assert SECRET not in repr(plan_to(transport))
