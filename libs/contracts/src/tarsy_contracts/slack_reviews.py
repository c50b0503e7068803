"""Review from Slack: names on which the messages of the notifier and the door of the timeline agree."""

from typing import Literal

from pydantic import JsonValue, TypeAdapter, ValidationError

type SlackReviewAct = Literal["claim", "accurate", "partly", "wrong", "wrong_because"]
"""The act of a button. `wrong` asks for the real cause; `wrong_because` brings it."""

type Block = dict[str, JsonValue]
"""A block of a message, as Slack's Block Kit has it."""

PREFIX = "tarsy.review."
"""Other programs may write as the same app: their buttons begin otherwise."""
CAUSE = f"{PREFIX}cause"
"""Names the block and the field of the real cause."""
LONGEST_CAUSE = 3_000
"""Slack allows no more in a field."""
ACT = TypeAdapter[SlackReviewAct](SlackReviewAct)


def button(act: SlackReviewAct, text: str, session_id: str) -> Block:
    """A button of an `actions` block; its value is the session."""
    return {
        "type": "button",
        "action_id": f"{PREFIX}{act}",
        "text": {"type": "plain_text", "text": text},
        "value": session_id,
    }


def act_of(action_id: str) -> SlackReviewAct | None:
    """None for a button that is not one of ours."""
    if not action_id.startswith(PREFIX):
        return None
    try:
        return ACT.validate_python(action_id.removeprefix(PREFIX))
    except ValidationError:
        return None


def escape(text: str) -> str:
    """The three signs by which Slack tells its own marks: nobody is mentioned by the text of an alert."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
