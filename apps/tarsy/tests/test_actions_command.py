"""`tarsy actions`, `pause` and `resume`: the switch is asked, thrown, and told in a line."""

import pytest
from pydantic import JsonValue

from tarsy_cli.api import ApiAnswer
from tarsy_cli.lists import actions
from tarsy_cli.lists.actions import describe_actions, switch_actions
from tarsy_contracts.api.actions import ActionsState

PAUSED = ActionsState(paused=True, author="ev\x1be", comment="Change\nfreeze.", at="2026-11-29T17:40:00Z")


def test_who_paused_actions_and_why_stands_in_one_line_without_marks_of_the_terminal() -> None:
    line = describe_actions(PAUSED)
    assert line.startswith("Actions are paused since 2026-11-29T17:40:00Z, by ev")
    assert "\x1b" not in line
    assert "\n" not in line


def test_before_anybody_said_anything_actions_go_on() -> None:
    assert describe_actions(ActionsState(paused=False)) == "Actions go on."


def test_the_switch_is_thrown_with_the_comment(monkeypatch: pytest.MonkeyPatch) -> None:
    posted: list[tuple[str, JsonValue]] = []

    def post(url: str, body: JsonValue, *, idempotency_key: str) -> ApiAnswer:
        posted.append((url, body))
        return PAUSED.model_dump(mode="json")

    monkeypatch.setattr(actions, "post", post)
    assert switch_actions("http://t/api/v1", "pause", "Freeze.") == PAUSED
    assert posted == [("http://t/api/v1/system/actions/pause", {"comment": "Freeze."})]
