"""`tarsy sessions`, and the words for what went wrong."""

import io
from pathlib import Path

import pytest
from rich.console import Console

from tarsy_bus.topics_admin import TopicsWrong
from tarsy_cli.showing import listing
from tarsy_cli.starting.refusals import sentences
from tarsy_embedded.errors import NoJava, PortTaken

LOG = Path("/home/.tarsy/tarsy.log")
ROW = {
    "id": "331ab85e-268a-5a26-9533-de21a57501a1",
    "status": "completed",
    "created_at": "2026-11-22T02:27:07.123Z",
    "title": "Checkout\x1b[2J\nis [red]down[/red]",
    "alert_type": "kubernetes",
    "scripted": True,
}


def listed(monkeypatch: pytest.MonkeyPatch, rows: list[dict[str, object]], **console: int | bool) -> str:
    out = io.StringIO()
    monkeypatch.setattr(listing, "get", lambda url, **_: {"sessions": rows})
    listing.print_sessions("", Console(file=out, color_system=None, soft_wrap=not console, **console))  # type: ignore[arg-type]
    return out.getvalue()


def test_a_session_is_a_line_with_its_whole_id_and_who_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    line = listed(monkeypatch, [ROW]).splitlines()[1]
    assert line.startswith("331ab85e-268a-5a26-9533-de21a57501a1  completed    scripted")
    assert line.rstrip().endswith("Checkout�[2J is [red]down[/red]")


def test_on_a_terminal_of_100_columns_nothing_is_cropped(monkeypatch: pytest.MonkeyPatch) -> None:
    text = listed(monkeypatch, [ROW], width=100, force_terminal=True)
    assert "…" not in text
    assert "331ab85e-268a-5a26-9533-de21a57501a1" in text


def test_without_sessions_it_says_how_to_have_one(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "tarsy submit" in listed(monkeypatch, [])


def test_the_same_reason_of_several_services_is_said_once_with_the_place_of_the_log() -> None:
    group = ExceptionGroup(
        "",
        [TopicsWrong("tarsy.inbox has 1 partition"), ExceptionGroup("", [TopicsWrong("tarsy.inbox has 1 partition")])],
    )
    assert sentences(group, LOG) == f"tarsy.inbox has 1 partition ({LOG} has more)"


def test_a_taken_port_names_the_options() -> None:
    assert sentences(PortTaken(8080, "the HTTP server"), LOG).endswith("--http-port, --kafka-port and --database-port.")


def test_what_is_written_for_people_is_said_as_it_is() -> None:
    assert sentences(NoJava(), LOG) == str(NoJava())


def test_what_nobody_foresaw_names_the_log() -> None:
    said = sentences(ExceptionGroup("", [KeyError("x")]), LOG)
    assert "KeyError" in said
    assert str(LOG) in said


def test_an_ordinary_session_is_one_line_of_100_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    row = ROW | {"title": "Checkout is crash looping"}
    assert len(listed(monkeypatch, [row], width=100, force_terminal=True).splitlines()) == 2
