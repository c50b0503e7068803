"""Clicks: what Slack sends when somebody uses a button, read as far as we need it."""

import re
from dataclasses import dataclass, field
from urllib.parse import parse_qs

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from tarsy_contracts.slack_reviews import CAUSE, LONGEST_CAUSE, SlackReviewAct, act_of
from tarsy_timeline.errors import TimelineError

FIELD = "payload"
MOST_FIELDS = 10
BLOCK_ACTIONS = "block_actions"
SESSION_ID = re.compile(r"[A-Za-z0-9._-]{1,200}")


class NotAnInteractionError(TimelineError):
    """The body is not what Slack sends of a click. We read it wrongly, or somebody else has the secret."""


class SlackModel(BaseModel):
    """A part of Slack's payload: it has more fields than these, and will have others."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class SlackUser(SlackModel):
    """`team_id`: the workspace that the person belongs to."""

    id: str = Field(min_length=1, max_length=100)
    username: str = ""
    name: str = ""
    team_id: str = ""


class SlackTeam(SlackModel):
    """The workspace of the message. There is none where the app is installed for a whole organisation."""

    id: str = ""


class SlackChannel(SlackModel):
    id: str = ""


class SlackAction(SlackModel):
    """`action_ts`: the moment of the click, another one for each."""

    action_id: str = ""
    value: str = ""
    action_ts: str = Field("", max_length=100)


class TypedText(SlackModel):
    value: JsonValue = None


class SlackState(SlackModel):
    """Texts that people typed, by block and field."""

    values: dict[str, dict[str, TypedText]] = Field(default_factory=dict)


class Interaction(SlackModel):
    user: SlackUser
    team: SlackTeam | None = None
    channel: SlackChannel = SlackChannel()
    actions: tuple[SlackAction, ...] = ()
    state: SlackState | None = None
    response_url: str = Field("", repr=False)


class InteractionType(SlackModel):
    type: str


@dataclass(frozen=True, slots=True)
class Click:
    """`key` names the click: the same one that comes again has the same. `answer_url`: where its author is answered,
    by whoever knows it. `is_foreign`: the author belongs to another workspace, which shares the channel.
    """

    act: SlackReviewAct
    session_id: str
    author: str
    channel: str
    is_foreign: bool
    key: str
    cause: str
    answer_url: str = field(repr=False)


def read_click(body: bytes, hooks_url: str) -> Click | None:
    """None for what is no button of ours: it is nothing to us. Its author is answered below `hooks_url` alone.

    Raises NotAnInteractionError, which does not show what was sent: there are secrets in it.
    """
    try:
        (payload,) = parse_qs(body.decode(), max_num_fields=MOST_FIELDS).get(FIELD, [])
        if InteractionType.model_validate_json(payload).type != BLOCK_ACTIONS:
            return None
        found = Interaction.model_validate_json(payload)
    except ValidationError:
        raise NotAnInteractionError("The field `payload` is not what Slack sends of a click.") from None
    except ValueError:
        raise NotAnInteractionError("The body is no form with one field `payload`.") from None
    for action in found.actions:
        if (act := act_of(action.action_id)) is not None:
            return _to_click(found, action, act, hooks_url)
    return None


def _to_click(found: Interaction, action: SlackAction, act: SlackReviewAct, hooks_url: str) -> Click:
    if not SESSION_ID.fullmatch(action.value) or not action.action_ts:
        raise NotAnInteractionError("The button has no session, or the click no time.")
    # Compared as a whole, and not taken apart: two parsers of addresses seldom agree on a hostile one.
    if not found.response_url.startswith(f"{hooks_url}/"):
        raise NotAnInteractionError("`response_url` does not begin with TARSY_SLACK_HOOKS_URL.")
    return Click(
        act=act,
        session_id=action.value,
        author=_name_of(found.user),
        channel=found.channel.id,
        is_foreign=_is_foreign(found),
        key=f"{action.action_id}/{action.action_ts}",
        cause=_cause_of(found.state),
        answer_url=found.response_url,
    )


def _name_of(user: SlackUser) -> str:
    """Names change in Slack, and people choose them; the id does not, and comes first."""
    name = user.username or user.name
    return f"slack:{user.id}/{name}" if name else f"slack:{user.id}"


def _is_foreign(found: Interaction) -> bool:
    workspace = found.team.id if found.team is not None else ""
    return bool(workspace and found.user.team_id) and found.user.team_id != workspace


def _cause_of(state: SlackState | None) -> str:
    typed = state.values.get(CAUSE, {}).get(CAUSE) if state is not None else None
    return typed.value.strip()[:LONGEST_CAUSE] if typed is not None and isinstance(typed.value, str) else ""
