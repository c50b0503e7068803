"""`tarsy logs`: lines of one process and of many, in order, chosen by service and session, and followed."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tarsy_cli.app import cli
from tarsy_cli.logs import files
from tarsy_cli.logs.files import FollowedFile, in_order, read_lines
from tarsy_cli.logs.lines import parse_line

ID = "331ab85e-268a-5a26-9533-de21a57501a1"


def line(second: int, event: str, logger: str, **more: object) -> str:
    told = {"event": event, "level": "info", "logger": logger, "timestamp": f"2026-11-22T10:00:{second:02}.000000Z"}
    return json.dumps(told | more) + "\n"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "logs").mkdir()
    (tmp_path / "tarsy.log").write_text(
        line(1, "up.began", "tarsy_local.up")
        + line(4, "session.started", "tarsy_orchestrator.partition.owner", session_id=ID)
        + line(9, "call.ran", "tarsy_tool_gateway.app", trace_id=ID.replace("-", "")),
        "utf-8",
    )
    (tmp_path / "logs" / "ingest-1.log").write_text("Killed\x1b[2J\n" + line(2, "alert.taken", "aiokafka"), "utf-8")
    (tmp_path / "logs" / "tool-gateway-2.log").write_text(
        line(3, "server.lost", "tarsy_tool_gateway.mcp", exception=[{"exc_type": "OSError", "exc_value": "gone\n"}]),
        "utf-8",
    )
    return tmp_path


def shown(home: Path, *arguments: str) -> list[str]:
    result = CliRunner().invoke(cli, ["logs", *arguments, "--home", str(home)])
    assert result.exit_code == 0, result.output
    return result.output.splitlines()


def events(home: Path, *arguments: str) -> list[str]:
    return [json.loads(one)["event"] for one in shown(home, *arguments, "--json") if one.startswith("{")]


def test_all_lines_are_in_the_order_of_time_each_with_its_service(home: Path) -> None:
    assert events(home) == ["up.began", "alert.taken", "server.lost", "session.started", "call.ran"]
    lines = [one.split(maxsplit=2)[2] for one in shown(home) if "Killed" not in one]
    assert lines == [
        "info     up  up.began",
        "info     ingest-1  alert.taken",
        "info     tool-gateway-2  server.lost (OSError: gone)",
        f"info     orchestrator  session.started session_id={ID}",
        "info     tool-gateway  call.ran",
    ]
    assert "ingest-1  Killed�[2J" in shown(home)


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        (["tool-gateway"], ["server.lost", "call.ran"]),
        (["up"], ["up.began"]),
        (["--session", ID[:6]], ["session.started", "call.ran"]),
        (["orchestrator", "--session", ID], ["session.started"]),
        (["-n", "2"], ["session.started", "call.ran"]),
        (["-n", "0"], []),
    ],
)
def test_lines_are_chosen(home: Path, arguments: list[str], found: list[str]) -> None:
    assert events(home, *arguments) == found


def test_an_unknown_service_and_an_empty_home_are_told(home: Path, tmp_path: Path) -> None:
    wrong = CliRunner().invoke(cli, ["logs", "gateway", "--home", str(home)])
    assert (wrong.exit_code, "tool-gateway" in wrong.output) == (2, True)
    empty = CliRunner().invoke(cli, ["logs", "--home", str(tmp_path / "none")])
    assert (empty.exit_code, "`tarsy up --home" in " ".join(empty.output.split())) == (1, True)


def test_a_file_that_is_rotated_is_followed_to_its_end_and_on(home: Path) -> None:
    file = home / "tarsy.log"
    with closing(FollowedFile(file)) as followed:
        follow_a_rotation(file, followed)
    whole = [one.fields.get("event") for one in read_lines(file, whole=True)]
    assert whole == ["up.began", "session.started", "call.ran", "before", "after"]


def follow_a_rotation(file: Path, followed: FollowedFile) -> None:
    assert list(followed.lines()) == []
    with file.open("a", encoding="utf-8") as more:
        more.write(line(10, "before", "x")[:-5])
    assert list(followed.lines()) == [], "a part of a line is none"
    with file.open("a", encoding="utf-8") as more:
        more.write(line(10, "before", "x")[-5:])
    file.rename(file.with_name("tarsy.log.1"))
    file.write_text(line(11, "after", "x"), "utf-8")
    assert [one.fields["event"] for one in followed.lines()] == ["before", "after"]


def test_of_a_large_file_the_end_is_read(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "TAIL_BYTES", 300)
    assert [one.fields["event"] for one in read_lines(home / "tarsy.log", whole=False)] == ["call.ran"]


def test_what_comes_is_shown_until_the_person_leaves(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written: Iterator[str] = iter([line(20, "later", "tarsy_ingest.app"), line(21, "other", "tarsy_timeline.app")])

    def sleep(_: float) -> None:
        try:
            with (home / "tarsy.log").open("a", encoding="utf-8") as more:
                more.write(next(written))
        except StopIteration:
            raise KeyboardInterrupt from None

    monkeypatch.setattr("tarsy_cli.logs.files.time.sleep", sleep)
    assert events(home, "ingest", "--follow", "-n", "1") == ["alert.taken", "later"]


def test_lines_without_a_time_stay_where_they_are() -> None:
    lines = [parse_line("a", raw) for raw in (line(5, "x", "l").strip(), "Traceback", line(3, "y", "l").strip())]
    assert [one.raw[:9] for one in in_order([lines])] == ['{"event":', '{"event":', "Traceback"]
