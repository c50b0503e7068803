"""Clicks: what Slack sends when somebody uses a button, read as far as we need it."""

import re
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from tarsy_auth.loopback import is_loopback
from tarsy_contracts.slack_reviews import CAUSE, SlackReviewAct, act_of
from tarsy_service.errors import ServiceError

FIELD = "payload"
MOST_FIELDS = 10
SESSION_ID = re.compile(r"[A-Za-z0-9._-]{1,200}")


class NotAnInteractionError(ServiceError):
    """The body is not what Slack sends of a click. Nobody but a developer mends it."""


class SlackModel(BaseModel):
    """A part of Slack's payload: it has more fields than these, and will have others."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class SlackUser(SlackModel):
    id: str = Field(min_length=1, max_length=100)
    username: str = ""
    name: str = ""


class SlackChannel(SlackModel):
    id: str = ""


class SlackAction(SlackModel):
    """`action_ts`: the moment of the click, another one for each."""

    action_id: str = ""
    value: str = ""
    action_ts: str = ""


class TypedText(SlackModel):
    value: JsonValue = None


class SlackState(SlackModel):
    """What people typed, by block and field."""

    values: dict[str, dict[str, TypedText]] = Field(default_factory=dict)


class Interaction(SlackModel):
    type: str
    user: SlackUser
    channel: SlackChannel = SlackChannel()
    actions: tuple[SlackAction, ...] = ()
    state: SlackState | None = None
    response_url: str = ""


@dataclass(frozen=True, slots=True)
class Click:
    """`key` names the click: the same one that comes again has the same. `answer_url`: where its author is answered."""

    act: SlackReviewAct
    session_id: str
    author: str
    channel: str
    key: str
    cause: str
    answer_url: str


def read_click(body: bytes) -> Click | None:
    """None for what is no button of ours: it is nothing to us. Raises NotAnInteractionError."""
    try:
        (payload,) = parse_qs(body.decode(), max_num_fields=MOST_FIELDS).get(FIELD, [])
        found = Interaction.model_validate_json(payload)
    except ValidationError as problem:
        raise NotAnInteractionError("The field `payload` is not what Slack sends of a click.") from problem
    except ValueError as problem:
        raise NotAnInteractionError("The body is no form with one field `payload`.") from problem
    action = next((one for one in found.actions if act_of(one.action_id) is not None), None)
    if found.type != "block_actions" or action is None or (act := act_of(action.action_id)) is None:
        return None
    if not SESSION_ID.fullmatch(action.value) or not action.action_ts or not _is_answerable(found.response_url):
        raise NotAnInteractionError("The button has no session, no time, or nobody to answer.")
    return Click(
        act=act,
        session_id=action.value,
        author=_name_of(found.user),
        channel=found.channel.id,
        key=f"{action.action_id}/{action.action_ts}",
        cause=_cause_of(found.state),
        answer_url=found.response_url,
    )


def _name_of(user: SlackUser) -> str:
    """Names change in Slack, and the id does not."""
    name = user.username or user.name
    return f"slack:{user.id}/{name}" if name else f"slack:{user.id}"


def _cause_of(state: SlackState | None) -> str:
    typed = state.values.get(CAUSE, {}).get(CAUSE) if state is not None else None
    return typed.value.strip() if typed is not None and isinstance(typed.value, str) else ""


def _is_answerable(url: str) -> bool:
    return urlsplit(url).scheme == "https" or is_loopback(url)
