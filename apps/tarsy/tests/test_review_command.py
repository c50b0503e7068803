"""`tarsy reviews` and `review`: the board is listed, and an act is sent once."""

import io
from pathlib import Path

import pytest
import typer
from pydantic import JsonValue
from rich.console import Console

from tarsy_cli import api as client
from tarsy_cli import review_commands
from tarsy_cli.api import ApiAnswer
from tarsy_cli.lists import reviews as listing
from tarsy_cli.lists.reviews import ReviewQuery, print_reviews, read_own_name, read_reviews
from tarsy_contracts.api.session_lists import Pagination, SessionList

SESSION = "5c10dd68-3c2e-5c1a-9d55-0f7c4a1c2b3d"
EMPTY = SessionList(sessions=(), pagination=Pagination(page=1, page_size=1, total_pages=0, total_items=0))


def test_the_board_is_asked_for_by_status_person_and_team(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[dict[str, str | int]] = []

    def get(url: str, **params: str | int) -> ApiAnswer:
        asked.append(params)
        if url.endswith("/me"):
            return {"name": "ann", "role": None, "door": None, "expires_at": None}
        return EMPTY.model_dump(mode="json")

    monkeypatch.setattr(listing, "get", get)
    found = read_reviews("", ReviewQuery(status="needs_review", assignee=read_own_name(""), team="shop"))
    assert asked[-1] == {"page_size": 100, "review_status": "needs_review", "assignee": "ann", "team": "shop"}
    out = io.StringIO()
    print_reviews(found, Console(file=out))
    assert out.getvalue().strip() == "No investigation waits for a review."


def test_an_act_is_sent_with_what_was_said(monkeypatch: pytest.MonkeyPatch) -> None:
    posted: list[tuple[str, JsonValue]] = []

    def post(url: str, body: JsonValue, *, idempotency_key: str) -> ApiAnswer:
        posted.append((url, body))
        return {"message": "It is on record."}

    monkeypatch.setattr(client, "post", post)
    monkeypatch.setattr(review_commands, "session_of", lambda api, given: SESSION)
    review_commands.review(SESSION, "complete", "wrong", "a full disk", home=Path("none"), url="http://t")
    [(url, body)] = posted
    assert url.endswith(f"/sessions/{SESSION}/review")
    assert isinstance(body, dict)
    assert (body["action"], body["rating"], body["cause"]) == ("complete", "wrong", "a full disk")


@pytest.mark.parametrize(("action", "rating"), [("complete", ""), ("like", ""), ("complete", "great")])
def test_what_is_no_act_is_refused_before_anything_is_sent(action: str, rating: str) -> None:
    with pytest.raises(typer.Exit):
        review_commands.review(SESSION, action, rating, home=Path("none"), url="http://t")
