"""Timeline of a review: what people did about it."""

from tarsy_contracts import events as e
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_contracts.timeline.model import TimelineCreated, create_event

ACTS = {
    "claim": "{author} reviews this investigation.",
    "unclaim": "{author} does not review this investigation any longer.",
    "reassign": "{author} gave the review of this investigation to {assignee}.",
    "complete": "{author} reviewed this investigation: {rating}.",
    "acknowledge": "{author} has seen this investigation, without a rating.",
    "reopen": "{author} opened the review of this investigation again.",
    "feedback": "{author} amended the review of this investigation: {rating}.",
}


def review_change(record: RecordedEvent, event: e.ReviewChanged) -> TimelineCreated:
    rating = event.rating or "no rating"
    act = ACTS[event.action].format(author=event.author, assignee=event.assignee, rating=rating)
    cause = f"The real cause: {event.cause}" if event.cause else ""
    text = "\n\n".join(part for part in (act, cause, event.note) if part)
    return create_event(
        record, "review", text, cause=record.envelope.id, metadata={"review": event.model_dump(mode="json")}
    )
