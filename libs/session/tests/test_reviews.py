"""Given a finished investigation, when people review it, then the first of two wins, and nothing is lost."""

from typing import Any

import pytest

from tarsy_contracts import events as e
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.messages.control import RequestAnswered
from tarsy_session.decide import decide
from tarsy_session.replies import replies_to
from tarsy_session.state import AtRest, Investigating
from tarsy_testing.story.story import READ, SESSION, Story, types

CHANGED = ["request.accepted", "review.changed"]
WRONG = {"rating": "wrong", "cause": "a full disk", "note": "it looked at the wrong node"}


def act(story: Story, action: str, by: str = "ann", **more: Any) -> list[e.Event]:
    wanted = {"request_id": f"r{story.offset}", "author": by, "action": action, **more}
    return story.when(i.ReviewRequested.model_validate(wanted))


def review(story: Story) -> tuple[str, str, str]:
    """Status, who has claimed it, and rating."""
    assert isinstance(story.state, AtRest | Investigating)
    found = story.state.review
    assert found is not None
    return found.status, found.assignee, found.rating


def refusal(events: list[e.Event]) -> tuple[int, str]:
    (refused,) = events
    assert isinstance(refused, e.RequestRefused)
    return refused.code, refused.reason


def reviewed(**said: str) -> Story:
    story = Story().ended()
    assert types(act(story, "complete", **(said or {"rating": "accurate"}))) == CHANGED
    return story


def cancelled() -> Story:
    story = Story().asking()
    story.when(i.CancelRequested(request_id="c", author="ann"))
    return story


@pytest.mark.parametrize(
    ("acts", "becomes"),
    [
        ([("claim", "ann")], ("in_progress", "ann", "")),
        ([("claim", "ann"), ("unclaim", "ben")], ("needs_review", "", "")),
        ([("claim", "ann"), ("reassign", "ben")], ("in_progress", "ben", "")),
        ([("claim", "ann"), ("acknowledge", "ann")], ("reviewed", "ann", "")),
        ([("acknowledge", "ann"), ("reopen", "ben")], ("needs_review", "", "")),
    ],
)
def test_a_person_claims_gives_up_hands_over_acknowledges_and_opens_again(
    acts: list[tuple[str, str]], becomes: tuple[str, str, str]
) -> None:
    story = Story().ended()
    for action, by in acts:
        assert types(act(story, action, by)) == CHANGED
    assert review(story) == becomes


def test_a_review_is_completed_with_a_rating_and_the_real_cause() -> None:
    story = Story().ended()
    changed = act(story, "complete", **WRONG)[-1]
    assert isinstance(changed, e.ReviewChanged)
    assert (changed.from_status, changed.to_status, changed.rating) == ("needs_review", "reviewed", "wrong")
    assert (changed.cause, changed.note, changed.assignee) == ("a full disk", "it looked at the wrong node", "ann")
    assert isinstance(story.state, AtRest)


def test_a_review_without_a_rating_is_not_completed() -> None:
    story = Story().ended()
    assert refusal(act(story, "complete")) == (409, "a review is completed with a rating: accurate, partly or wrong")


@pytest.mark.parametrize("action", ["claim", "complete", "acknowledge"])
def test_of_two_people_who_claim_the_first_one_wins_and_the_other_is_told(action: str) -> None:
    story = Story().ended()
    act(story, "claim", "ann")
    said = {"rating": "wrong"} if action == "complete" else {}
    assert refusal(act(story, action, "ben", **said)) == (409, "ann has claimed the review: reassign it first")
    assert review(story) == ("in_progress", "ann", "")


def test_of_two_people_who_rate_the_first_one_wins_and_the_other_is_told() -> None:
    story = reviewed(rating="wrong")
    code, reason = refusal(act(story, "complete", "ben", rating="accurate"))
    assert (code, reason) == (409, "ann has reviewed it already (wrong): reopen it first")


@pytest.mark.parametrize(
    ("action", "said"), [("claim", {}), ("complete", {"rating": "wrong", "cause": "a full disk"}), ("acknowledge", {})]
)
def test_the_same_act_twice_is_one_act(action: str, said: dict[str, str]) -> None:
    story = Story().ended()
    assert types(act(story, action, **said)) == CHANGED
    assert types(act(story, action, **said)) == ["request.accepted"]


def test_the_same_request_twice_is_decided_once_and_answered_twice() -> None:
    story = Story().ended()
    wanted = i.ReviewRequested(request_id="r", author="ann", action="claim")
    story.when(wanted)
    assert story.when(wanted) == []
    (answer,) = replies_to(story.state, wanted)
    assert isinstance(answer, RequestAnswered)
    assert (answer.accepted, answer.code) == (True, 200)
    assert decide(SESSION, story.state, story.given(wanted, offset=story.offset - 1)) == []


def test_whoever_saw_another_status_is_refused() -> None:
    story = Story().ended()
    act(story, "claim", "ann")
    code, reason = refusal(act(story, "reassign", "ben", expected_status="needs_review"))
    assert (code, reason) == (409, "the status of the review is in_progress now, and not needs_review: ann")


def test_opening_again_keeps_what_was_said_on_the_log() -> None:
    story = reviewed(**WRONG)
    act(story, "reopen", "ben")
    assert review(story) == ("needs_review", "", "")
    changes = [one.event for one in story.log if isinstance(one.event, e.ReviewChanged)]
    assert [(one.number, one.rating) for one in changes] == [(1, "wrong"), (2, "")]


def test_what_was_said_of_a_reviewed_investigation_can_be_amended() -> None:
    story = reviewed(**WRONG)
    assert types(act(story, "feedback", "ben", rating="partly")) == CHANGED
    assert isinstance(story.state, AtRest)
    assert story.state.review is not None
    assert (story.state.review.rating, story.state.review.cause) == ("partly", "a full disk")


def test_feedback_without_a_review_is_refused() -> None:
    story = Story().ended()
    assert refusal(act(story, "feedback", note="hm")) == (409, "it is not reviewed yet: complete the review")


def test_a_cancelled_session_is_reviewed_and_can_be_rated() -> None:
    story = cancelled()
    assert types(act(story, "acknowledge")) == ["request.accepted"]
    assert types(act(story, "complete", rating="partly")) == CHANGED
    assert review(story) == ("reviewed", "ann", "partly")


def test_an_investigation_that_runs_is_not_reviewed() -> None:
    story = Story().asking()
    assert refusal(act(story, "claim")) == (409, "the investigation has not ended yet: there is nothing to review")


def test_a_review_neither_waits_for_a_reply_nor_ends_it() -> None:
    story = Story().ended()
    story.when(story.question())
    assert types(act(story, "complete", rating="accurate")) == CHANGED
    assert isinstance(story.state, Investigating)
    story.offered(READ)
    story.when(story.answer("Since three."))
    assert isinstance(story.state, AtRest)
    assert review(story) == ("reviewed", "ann", "accurate")
