"""Decisions about the review of a finished investigation: who has claimed it, and what he says of it. Pure.

The first of two people wins, and the other is told. An act that would change nothing is granted, and changes nothing.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

from tarsy_contracts import events as e
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.review import NEEDS_REVIEW, ReviewAction
from tarsy_session.decisions.chat import accept, refuse
from tarsy_session.state import AtRest, Ending, Investigating, Review

MOST_CHANGES = 1_000
"""Limit of changes of one review: each stays on the log."""
RUNNING = "the investigation has not ended yet: there is nothing to review"
TOO_MANY = f"the review was changed {MOST_CHANGES} times, and takes no more"
OTHER_STATUS = "the status of the review is {status} now, and not {expected}: {who}"
CLAIMED = "{assignee} has claimed the review: reassign it first"
REVIEWED = "{author} has reviewed it already{rating}: reopen it first"
NOT_REVIEWED = "it is not reviewed yet: complete the review"
IN_PROGRESS = "{assignee} reviews it now: there is nothing to reopen"
NO_RATING = "a review is completed with a rating: accurate, partly or wrong"

type Outcome = Review | str
"""The review afterwards, or why it is refused."""


def decide_review(state: Investigating | AtRest, request: i.ReviewRequested) -> list[e.Event]:
    """The session may be at rest, or open for something that came after its end."""
    if request.request_id in state.answers:
        return []
    if state.ended is None:
        return [refuse(request, e.REVIEW, 409, RUNNING)]
    before = state.review or _first_review(state.ended)
    outcome = _refuse_unexpected(before, request) or ACTS[request.action](before, request)
    if isinstance(outcome, str):
        return [refuse(request, e.REVIEW, 409, outcome)]
    if outcome == before:
        return [accept(request, e.REVIEW)]
    if before.number >= MOST_CHANGES:
        return [refuse(request, e.REVIEW, 409, TOO_MANY)]
    return [accept(request, e.REVIEW), _make_change(before, outcome, request)]


def _first_review(ended: Ending) -> Review:
    """A person who cancelled a session has looked at it."""
    return Review("reviewed", author=ended.author) if isinstance(ended, e.SessionCancelled) else Review(NEEDS_REVIEW)


def _make_change(before: Review, after: Review, request: i.ReviewRequested) -> e.ReviewChanged:
    return e.ReviewChanged(
        request_id=request.request_id,
        number=before.number + 1,
        author=request.author,
        action=request.action,
        from_status=before.status,
        to_status=after.status,
        assignee=after.assignee,
        rating=after.rating,
        cause=after.cause,
        note=after.note,
    )


def _refuse_unexpected(before: Review, request: i.ReviewRequested) -> str:
    if request.expected_status in ("", before.status):
        return ""
    who = before.assignee or before.author or "nobody has claimed it"
    return OTHER_STATUS.format(status=before.status, expected=request.expected_status, who=who)


def _claim(before: Review, request: i.ReviewRequested) -> Outcome:
    return _taken(before, request) or _reassign(before, request.model_copy(update={"assignee": request.author}))


def _reassign(before: Review, request: i.ReviewRequested) -> Outcome:
    if before.status == "reviewed":
        return _describe_end(before)
    return replace(before, status="in_progress", assignee=request.assignee or request.author)


def _unclaim(before: Review, request: i.ReviewRequested) -> Outcome:
    return _describe_end(before) if before.status == "reviewed" else replace(before, status=NEEDS_REVIEW, assignee="")


def _complete(before: Review, request: i.ReviewRequested) -> Outcome:
    """A review without a rating, as of a session that was cancelled, can be given one."""
    if not request.rating:
        return NO_RATING
    if taken := _taken(before, request):
        return taken
    reviewer = before.assignee or request.author
    after = replace(
        before,
        status="reviewed",
        assignee=reviewer,
        rating=request.rating,
        cause=request.cause or before.cause,
        note=request.note or before.note,
    )
    return _describe_end(before) if before.rating and after != before else after


def _acknowledge(before: Review, request: i.ReviewRequested) -> Outcome:
    if before.status == "reviewed":
        return _describe_end(before) if before.rating else before
    note = request.note or before.note
    return _taken(before, request) or replace(before, status="reviewed", assignee=request.author, note=note)


def _reopen(before: Review, request: i.ReviewRequested) -> Outcome:
    """The words of before stay on the log; the review begins anew."""
    if before.status == "in_progress":
        return IN_PROGRESS.format(assignee=before.assignee)
    if before.status == NEEDS_REVIEW:
        return before
    return replace(before, status=NEEDS_REVIEW, assignee="", rating="", cause="", note="")


def _amend(before: Review, request: i.ReviewRequested) -> Outcome:
    if before.status != "reviewed":
        return NOT_REVIEWED
    return replace(
        before,
        rating=request.rating or before.rating,
        cause=request.cause or before.cause,
        note=request.note or before.note,
    )


def _taken(before: Review, request: i.ReviewRequested) -> str:
    if before.status == "in_progress" and before.assignee != request.author:
        return CLAIMED.format(assignee=before.assignee)
    return ""


def _describe_end(before: Review) -> str:
    rating = f" ({before.rating})" if before.rating else ""
    return REVIEWED.format(author=before.author or "somebody", rating=rating)


ACTS: Mapping[ReviewAction, Callable[[Review, i.ReviewRequested], Outcome]] = {
    "claim": _claim,
    "unclaim": _unclaim,
    "reassign": _reassign,
    "complete": _complete,
    "acknowledge": _acknowledge,
    "reopen": _reopen,
    "feedback": _amend,
}
