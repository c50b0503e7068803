"""Events of a chat: a question opens the session again, and its reply brings it to rest."""

from typing import ClassVar

from tarsy_contracts.events.execution import EndStatus
from tarsy_contracts.events.heads import Span
from tarsy_contracts.wire.message import Message
from tarsy_contracts.wire.numbers import Index

CHAT = "chat"
"""The value of `request` when a person asks the investigation a question."""
CANCEL_REPLY = "cancel_reply"
"""The value of `request` when a person wants the reply to end. The session stays as it ended."""


class SessionReopened(Message):
    """Another life of the session begins. `spans`: where its earlier lives lie in the log."""

    type: ClassVar[str] = "session.reopened"
    request_id: str
    spans: tuple[Span, ...]


class QuestionAsked(Message):
    """A person asks the finished investigation. The reply is the stage `stage_id`. `number` counts questions from 1."""

    type: ClassVar[str] = "question.asked"
    request_id: str
    chat_id: str
    message_id: str
    stage_id: str
    number: Index
    author: str
    content: str


class ReplyCompleted(Message):
    """The reply has ended, well or not, and the session is at rest again. Its own status and analysis stay."""

    type: ClassVar[str] = "reply.completed"
    message_id: str
    stage_id: str
    status: EndStatus
    error: str = ""
