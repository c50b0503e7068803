"""Evolution of the review of a session whose investigation has ended. Pure."""

from dataclasses import replace

from tarsy_contracts import events as e
from tarsy_session.state import AtRest, Investigating, Review


def apply_review_change(state: Investigating | AtRest, event: e.ReviewChanged) -> Investigating | AtRest:
    review = Review(
        status=event.to_status,
        number=event.number,
        author=event.author,
        assignee=event.assignee,
        rating=event.rating,
        cause=event.cause,
        note=event.note,
    )
    return replace(state, review=review)
