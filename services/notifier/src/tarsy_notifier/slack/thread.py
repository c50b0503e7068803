"""Finds the thread of a notification in a channel, and whether it was already sent. Pure, over Slack's answers."""

from collections.abc import Iterable

from pydantic import BaseModel, Field, JsonValue

from tarsy_notifier.notification import Notification
from tarsy_notifier.slack.message import EVENT_TYPE


class Metadata(BaseModel):
    event_type: str = ""
    event_payload: dict[str, JsonValue] = Field(default_factory=dict)


class Attachment(BaseModel):
    text: str = ""
    fallback: str = ""


class ChannelMessage(BaseModel):
    """A message of the channel's history; `ts` is its name there."""

    ts: str
    text: str = ""
    thread_ts: str | None = None
    attachments: tuple[Attachment, ...] = ()
    metadata: Metadata = Metadata()

    @property
    def thread(self) -> str:
        return self.thread_ts or self.ts

    def payload(self, name: str) -> JsonValue:
        return self.metadata.event_payload.get(name) if self.metadata.event_type == EVENT_TYPE else None


def was_sent(messages: Iterable[ChannelMessage], event_id: str) -> bool:
    """An attempt before this one may have reached Slack, though nobody heard its answer."""
    return any(message.payload("event_id") == event_id for message in messages)


def thread_of(messages: Iterable[ChannelMessage], notification: Notification) -> str | None:
    """The thread of the message that told of the alert, or that of an earlier notification of the same session."""
    fingerprint = _normalize_text(notification.session.fingerprint or "")
    for message in messages:
        if message.payload("session_id") == notification.session.id:
            return message.thread
        if (
            fingerprint
            and message.payload("session_id") is None
            and fingerprint in _normalize_text(_text_of_message(message))
        ):
            return message.thread
    return None


def _text_of_message(message: ChannelMessage) -> str:
    return " ".join((message.text, *(f"{one.text} {one.fallback}" for one in message.attachments)))


def _normalize_text(text: str) -> str:
    return " ".join(text.lower().split())
