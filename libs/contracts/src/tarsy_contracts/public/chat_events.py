"""Public events of a chat with a finished investigation."""

from typing import ClassVar

from tarsy_contracts.public.model import PublicEvent, Status


class PublicChatAsked(PublicEvent):
    """A person asks the investigation a question. `number` counts from 1, `stage_id` is that of the answer."""

    type: ClassVar[str] = "tarsy.chat.asked"
    message_id: str
    stage_id: str
    number: int
    author: str
    content: str


class PublicChatAnswered(PublicEvent):
    """The answer has ended, well or not. Its text is the analysis of `tarsy.execution.completed` with this stage."""

    type: ClassVar[str] = "tarsy.chat.answered"
    message_id: str
    stage_id: str
    status: Status
    error: str = ""
