"""`tarsy session`: what is set aside, as the timeline's own answers tell it, and the verbs."""

import io
from datetime import UTC, datetime

import pytest
from pydantic import JsonValue
from rich.console import Console
from typer.testing import CliRunner

from tarsy_cli.api import ApiAnswer, ApiError
from tarsy_cli.app import cli
from tarsy_cli.lists import held as showing
from tarsy_cli.session import requests as session_requests
from tarsy_timeline.system.held_watch import SessionAside
from tarsy_timeline.system.responses import create_held_session_list

BEGAN = datetime(2026, 11, 22, 10, 0, tzinfo=UTC)
URL = "http://127.0.0.1:1"
ONE, TWO = "331ab85e-268a-5a26-9533-de21a57501a1", "431ab85e-268a-5a26-9533-de21a57501a1"


def shown(monkeypatch: pytest.MonkeyPatch, *aside: SessionAside) -> list[str]:
    body = create_held_session_list(aside).model_dump(mode="json")
    monkeypatch.setattr(showing, "get", lambda url: body)
    out = io.StringIO()
    showing.print_held("", Console(file=out, color_system=None, soft_wrap=True))
    return out.getvalue().splitlines()


def test_each_session_is_a_line_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    heading, line = shown(monkeypatch, SessionAside("abc\x1b[2J", "decision", "KeyError at alert.received", 3, BEGAN))
    assert heading.split() == ["session", "since", "inputs", "why"]
    assert "\x1b" not in line
    assert line.endswith("     3  a decision on an input failed (KeyError at alert.received)")


def test_without_any_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(monkeypatch) == ["No session is set aside."]


def test_a_reason_that_is_not_known_here_is_told_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(monkeypatch, SessionAside("abc", "later", "", 0, None))[1].endswith("an unknown reason")


def test_a_verb_asks_for_each_session_and_fails_when_one_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, JsonValue]] = []

    def post(url: str, body: JsonValue, *, idempotency_key: str | None = None) -> ApiAnswer:
        assert idempotency_key
        asked.append((url, body))
        if TWO in url:
            raise ApiError("The session is not set aside.")
        return {"message": "The session has been ended."}

    monkeypatch.setattr(session_requests, "post", post)
    result = CliRunner().invoke(cli, ["held", "fail", ONE, TWO, "--reason", "no use", "--url", URL])
    assert asked == [
        (f"{URL}/api/v1/sessions/{ONE}/fail", {"reason": "no use"}),
        (f"{URL}/api/v1/sessions/{TWO}/fail", {"reason": "no use"}),
    ]
    assert result.exit_code == 1
    assert f"{ONE}: The session has been ended." in " ".join(result.output.split())
    assert f"{TWO}: The session is not set aside." in " ".join(result.output.split())
