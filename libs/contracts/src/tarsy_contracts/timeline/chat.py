"""Timeline of questions and of other requests of people."""

from collections.abc import Iterator

from tarsy_contracts import events as e
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_contracts.timeline.model import (
    ChatCreated,
    ChatMessageAdded,
    SessionChanged,
    TimelineChange,
    create_event,
)
from tarsy_contracts.wire.same_fields import copy_fields


def question(record: RecordedEvent, event: e.QuestionAsked) -> Iterator[TimelineChange]:
    if event.number == 1:
        yield ChatCreated(chat_id=event.chat_id, created_by=event.author)
    yield copy_fields(ChatMessageAdded, event)
    yield create_event(
        record,
        "user_question",
        event.content,
        cause=event.message_id,
        metadata={"author": event.author, "message_id": event.message_id, "stage_id": event.stage_id},
    )


def show_accepted_request(record: RecordedEvent, event: e.RequestAccepted) -> Iterator[TimelineChange]:
    """Questions, and decisions about calls, budgets, reviews and scores, are shown themselves."""
    if event.request in (e.CHAT, e.APPROVE, e.DENY, e.EXTEND, e.CONCLUDE, e.REVIEW, e.SCORE):
        return
    why = f" Reason: {event.comment}" if event.comment else ""
    yield create_event(
        record, "request", f"{event.author} asked: {_to_words(event.request)}.{why}", cause=event.request_id
    )
    if event.request == e.CANCEL:
        yield SessionChanged(status="cancelling")


def show_refused_request(record: RecordedEvent, event: e.RequestRefused) -> TimelineChange:
    text = f"{event.author} asked: {_to_words(event.request)}. Refused: {event.reason}"
    return create_event(record, "request", text, cause=event.request_id)


def _to_words(request: str) -> str:
    return request.replace("_", " ")
