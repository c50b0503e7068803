"""`tarsy sessions`."""

import io

import pytest
from rich.console import Console

from tarsy_cli.lists import sessions
from tarsy_testing.story.cli_answers import SESSION

PAGINATION = {"page": 1, "page_size": 25, "total_pages": 1, "total_items": 1}
ROW = SESSION | {
    "id": "331ab85e-268a-5a26-9533-de21a57501a1",
    "status": "completed",
    "created_at": "2026-11-22T02:27:07.123Z",
    "title": "Checkout\x1b[2J\nis [red]down[/red]",
    "alert_type": "kubernetes",
    "scripted": True,
}


def listed(monkeypatch: pytest.MonkeyPatch, rows: list[dict[str, object]], **console: int | bool) -> str:
    out = io.StringIO()
    monkeypatch.setattr(sessions, "get", lambda url, **_: {"sessions": rows, "pagination": PAGINATION})
    found = sessions.read_sessions("", sessions.SessionQuery())
    shown = Console(file=out, color_system=None, soft_wrap=not console, **console)  # type: ignore[arg-type]
    sessions.print_sessions(found, shown, sessions.SessionQuery())
    return out.getvalue()


def test_a_session_is_a_line_with_its_whole_id_and_who_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    line = listed(monkeypatch, [ROW]).splitlines()[1]
    assert line.startswith("331ab85e-268a-5a26-9533-de21a57501a1  completed    scripted")
    assert line.rstrip().endswith("Checkout�[2J is [red]down[/red]")


def test_a_completed_session_whose_analysis_is_partial_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    line = listed(monkeypatch, [ROW | {"partial_reason": "the context is full"}]).splitlines()[1]
    assert line.split()[1] == "partial"


def test_on_a_terminal_of_100_columns_nothing_is_cropped(monkeypatch: pytest.MonkeyPatch) -> None:
    text = listed(monkeypatch, [ROW], width=100, force_terminal=True)
    assert "…" not in text
    assert "331ab85e-268a-5a26-9533-de21a57501a1" in text


def test_without_sessions_it_says_how_to_have_one(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "tarsy submit" in listed(monkeypatch, [])


def test_an_ordinary_session_is_one_line_of_100_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    row = ROW | {"title": "Checkout is crash looping"}
    assert len(listed(monkeypatch, [row], width=100, force_terminal=True).splitlines()) == 2


def test_facets_stand_below_the_alert(monkeypatch: pytest.MonkeyPatch) -> None:
    row = ROW | {"severity": "warning", "cluster": "lab", "namespace": "shop\x1b", "workload": "checkout"}
    assert listed(monkeypatch, [row]).splitlines()[2] == "    warning · lab/shop�/checkout"
    assert "    " not in listed(monkeypatch, [ROW | {"severity": None}]).splitlines()[-1][:4]


def test_only_the_conditions_that_are_given_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    answer = {"sessions": [], "pagination": PAGINATION}

    def get(url: str, **params: str | int) -> object:
        asked.append(params)
        return answer

    monkeypatch.setattr(sessions, "get", get)
    out = io.StringIO()
    query = sessions.SessionQuery(namespace="shop", severity="warning")
    sessions.print_sessions(sessions.read_sessions("", query), Console(file=out, color_system=None), query)
    assert asked == [{"page_size": 25, "namespace": "shop", "severity": "warning"}]
    assert "No session matches all these conditions." in out.getvalue()
