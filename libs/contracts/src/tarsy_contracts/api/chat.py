"""REST: a question to the finished investigation, and what is answered to who asks it."""

from pydantic import Field, field_validator

from tarsy_contracts.api.model import ApiModel

LONGEST_QUESTION = 100_000


class ChatMessage(ApiModel):
    """A question; it is masked before anything else is done with it."""

    content: str = Field(min_length=1, max_length=LONGEST_QUESTION)

    @field_validator("content")
    @classmethod
    def _require_not_blank(cls, content: str) -> str:
        if not content.strip():
            raise ValueError("a question needs words")
        return content


class ChatMessageSent(ApiModel):
    """The question was accepted. The reply is the stage `stage_id`, which comes over the WebSocket and the timeline.

    `accepted` is false while the owner of the session has not decided yet: it may still refuse.
    """

    session_id: str
    chat_id: str
    message_id: str
    stage_id: str
    request_id: str
    accepted: bool
