"""Ids of sessions by their beginning, and the commands that take one."""

import pytest
from typer.testing import CliRunner

from tarsy_cli import session_ids
from tarsy_cli.app import cli
from tarsy_cli.lists import held
from tarsy_cli.session_ids import UnclearIdError, find_held_candidates, whole_id
from tarsy_testing.story.cli_answers import SESSION
from tarsy_timeline.system.held_watch import SessionAside
from tarsy_timeline.system.responses import create_held_session_list

A, B, C = (f"{beginning}5e-268a-5a26-9533-de21a57501a1" for beginning in ("331ab8", "331fb8", "c31ab8"))
PAGINATION = {"page": 1, "page_size": 25, "total_pages": 1, "total_items": 1}
URL = "http://127.0.0.1:1"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The prefixes that the API is asked for. It is an older one, which lists all sessions whatever is asked."""
    prefixes: list[str] = []

    def get(url: str, *, id_prefix: str = "", page_size: int = 0) -> dict[str, object]:
        if url.endswith("held-sessions"):
            return create_held_session_list([SessionAside(C, "decision", "", 1, None)]).model_dump(mode="json")
        prefixes.append(id_prefix)
        rows = [SESSION | {"id": id, "title": f"alert {id[:3]}"} for id in (A, B)]
        return {"sessions": rows, "pagination": PAGINATION}

    monkeypatch.setattr(session_ids, "get", get)
    monkeypatch.setattr(held, "get", get)
    return prefixes


def test_a_beginning_that_is_one_sessions_names_it(asked: list[str]) -> None:
    assert whole_id(URL, B[:4]) == B
    assert asked == [B[:4]]


def test_a_whole_id_is_not_looked_up(asked: list[str]) -> None:
    assert whole_id(URL, C) == C
    assert asked == []


def test_a_beginning_of_several_lists_them(asked: list[str]) -> None:
    with pytest.raises(UnclearIdError) as problem:
        whole_id(URL, "331")
    assert str(problem.value).splitlines() == [
        "More than one session begins with 331:",
        f"  {A}  alert 331",
        f"  {B}  alert 331",
    ]


@pytest.mark.parametrize("given", ["d", "", "a/b"])
def test_a_beginning_of_none_says_so(asked: list[str], given: str) -> None:
    with pytest.raises(UnclearIdError, match="`tarsy sessions` lists the latest"):
        whole_id(URL, given)


def test_of_those_set_aside_one_is_found_that_the_history_does_not_know(asked: list[str]) -> None:
    assert whole_id(URL, "c3", find_held_candidates) == C
    assert whole_id(URL, "331a", find_held_candidates) == A


@pytest.mark.parametrize("command", ["watch ID", "chat ID why", "result ID call"])
def test_commands_take_a_beginning_and_end_with_a_sentence_when_it_is_unclear(asked: list[str], command: str) -> None:
    result = CliRunner().invoke(cli, [*command.replace("ID", "331").split(), "--url", URL])
    assert result.exit_code == 1
    assert "More than one session begins with 331" in result.output
