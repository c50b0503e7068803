"""`tarsy result`: what the API is asked for, and what people read of its answer."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from typer.testing import CliRunner, Result

from tarsy_cli.app import cli
from tarsy_contracts.api.results import ResultLine, ResultMatches, ResultPosition, ToolCallResult

SESSION = "331ab85e-268a-5a26-9533-de21a57501a1"
PATH = f"/api/v1/sessions/{SESSION}/tool-calls/1a2b3c4d/result"


def line(number: int, text: str, *, byte: int = 0, matches: bool = False, goes_on: bool = False) -> ResultLine:
    return ResultLine(number=number, byte=byte, text=text, matches=matches, goes_on=goes_on)


def answer(
    *lines: ResultLine, following: ResultPosition | None = None, matches: ResultMatches | None = None
) -> ToolCallResult:
    return ToolCallResult(
        session_id=SESSION, call_id="1a2b3c4d-0000", outcome="ok", size=480_211, total_lines=5_120, lines=lines,
        next=following, matches=matches,
    )  # fmt: skip


@dataclass
class Timeline:
    """An API that answers so."""

    url: str = ""
    status: int = 200
    body: bytes = b""
    declared: int | None = None
    asked: list[str] = field(default_factory=list)

    def says(self, found: ToolCallResult) -> None:
        self.body = found.model_dump_json().encode()

    def refuses(self, status: int, detail: str) -> None:
        self.status, self.body = status, json.dumps({"detail": detail}).encode()

    def run(self, *arguments: str) -> Result:
        return CliRunner().invoke(cli, ["result", SESSION, "1a2b3c4d", "--url", self.url, *arguments])


@pytest.fixture
def timeline() -> Iterator[Timeline]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            one.asked.append(self.path)
            self.send_response(one.status)
            self.send_header("content-length", str(one.declared or len(one.body)))
            self.end_headers()
            self.wfile.write(one.body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        one = Timeline(f"http://127.0.0.1:{server.server_port}")
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield one
        server.shutdown()


def test_lines_are_shown_as_they_are_and_what_they_are_of_stands_beside_them(timeline: Timeline) -> None:
    timeline.says(answer(line(702, "  x: 1"), line(703, "\x1b[2Jy"), following=ResultPosition(offset=704, byte=0)))
    shown = timeline.run("--offset", "702", "--lines", "2")
    assert timeline.asked == [f"{PATH}?offset=702&lines=2"]
    assert shown.stdout == "  x: 1\n�[2Jy\n"
    assert shown.stderr == "Lines 702 to 703 of 5,120 lines (480.2 kB). To go on: --offset 704\n"
    assert shown.exit_code == 0


def test_a_search_shows_numbers_gaps_and_how_many_match_where_and_when(timeline: Timeline) -> None:
    matches = ResultMatches(
        count=300, shown=2, complete=True, first_line=7, last_line=4_900, first_time="10:00:07", last_time="10:49:57"
    )
    lines = [
        line(6, "before"), line(7, "it", matches=True),
        line(90, "part", byte=800, matches=True, goes_on=True),
    ]  # fmt: skip
    timeline.says(answer(*lines, following=ResultPosition(offset=90, byte=1600), matches=matches))
    shown = timeline.run("--search", "it|part", "--ignore-case", "--context", "1")
    assert timeline.asked == [f"{PATH}?search=it%7Cpart&context=1&ignore_case=true"]
    assert shown.stdout == "6- before\n7: it\n--\n90: (byte 800) part…\n"
    assert shown.stderr == (
        "300 lines match (2 shown) between 7 and 4900, 10:00:07 to 10:49:57, of 5,120 lines (480.2 kB)."
        " To go on: --offset 90 --byte 1600\n"
    )


def test_a_span_of_time_is_asked_for(timeline: Timeline) -> None:
    timeline.says(answer())
    shown = timeline.run("--from", "2026-11-22T10:05", "--until", "2026-11-22T10:06")
    assert timeline.asked == [f"{PATH}?from=2026-11-22T10%3A05&until=2026-11-22T10%3A06"]
    assert (shown.stdout, shown.stderr) == ("", "Nothing of 5,120 lines (480.2 kB).\n")


def test_for_programs_it_is_the_answer_of_the_api(timeline: Timeline) -> None:
    found = answer(line(0, "x"))
    timeline.says(found)
    shown = timeline.run("--json")
    assert ToolCallResult.model_validate_json(shown.stdout) == found
    assert shown.stderr == ""


@pytest.mark.parametrize("arguments", [(), ("--output", "FILE")])
def test_a_refusal_is_one_sentence(timeline: Timeline, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    timeline.refuses(404, "This result is no longer kept.")
    refused = timeline.run(*(str(tmp_path / one) if one == "FILE" else one for one in arguments))
    assert refused.exit_code == 1
    assert refused.stderr == "This result is no longer kept.\n"
    assert list(tmp_path.iterdir()) == []


def test_the_whole_result_is_written_to_a_file(timeline: Timeline, tmp_path: Path) -> None:
    timeline.body = "é\n".encode() * 100_000
    saved = timeline.run("--output", str(tmp_path / "result.txt"))
    assert timeline.asked == [f"{PATH}/download"]
    assert (tmp_path / "result.txt").read_bytes() == timeline.body
    assert saved.stderr == f"Wrote 300000 bytes to {tmp_path / 'result.txt'}.\n"
    assert saved.stdout == ""


def test_a_result_that_ends_early_leaves_no_file_and_the_old_one_as_it_was(timeline: Timeline, tmp_path: Path) -> None:
    file = tmp_path / "result.txt"
    file.write_text("as it was", encoding="utf-8")
    timeline.body, timeline.declared = b"half", 8
    saved = timeline.run("--output", str(file))
    assert saved.exit_code == 1
    assert [one.name for one in tmp_path.iterdir()] == ["result.txt"]
    assert file.read_text("utf-8") == "as it was"


def test_a_file_that_cannot_be_written_is_named(timeline: Timeline, tmp_path: Path) -> None:
    timeline.body = b"x"
    saved = timeline.run("--output", str(tmp_path / "none" / "result.txt"))
    assert (saved.exit_code, timeline.asked) == (1, [f"{PATH}/download"])
    assert "could not be written: No such file or directory." in saved.stderr.replace("\n", " ")


def test_a_part_is_not_written_to_a_file(timeline: Timeline, tmp_path: Path) -> None:
    refused = timeline.run("--output", str(tmp_path / "result.txt"), "--search", "x")
    assert (refused.exit_code, timeline.asked) == (2, [])
