"""`notifications`: who is told of investigations, and of what (docs/how-to/notifications.md)."""

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, ValidationInfo, field_validator, model_validator

from tarsy_config.sections.digest_time import DigestTime
from tarsy_config.values import Name, Seconds, Section, web_address, wrong

type NotificationKind = Literal[
    "started", "completed", "failed", "cancelled", "timed_out", "approval", "action", "budget"
]
"""Kinds of events that a receiver can be told of. `approval`: a call of a tool waits for a person. `action`: a stage
that acts has ended, and wanted to change something. `budget`: one is used up.
"""
type ReceiverType = Literal["slack", "webhook"]
type WebhookFormat = Literal["cloudevents", "alertmanager"]

SLACK_TOKEN = "SLACK_BOT_TOKEN"
SLACK_API = "https://slack.com/api"
KEYS = {"slack": ("channel", "token_env", "api_url"), "webhook": ("url", "secret_env", "format")}
REQUIRED = {"slack": "channel", "webhook": "url"}
RECEIVER_NAME = re.compile(r"[A-Za-z0-9._-]{1,100}")


def receiver_name(name: str) -> str:
    """It is a part of the name of a consumer group."""
    if RECEIVER_NAME.fullmatch(name) is None:
        raise wrong("cannot name a receiver", "use letters, digits, dots, - and _")
    return name


type ReceiverName = Annotated[str, AfterValidator(receiver_name)]


class Receiver(Section):
    """One place that is told, in a consumer group of its own: an outage of one holds up no other.

    `events`: what it is told of. A receiver in Slack is also told of the start of alerts that name a message there.
    `chains`: only investigations of these; empty for all. `labels`: of completed investigations, only those that have
    one of these; empty for all. `give_up_after`: how old an event may be of which it is told. `digest`: when it is sent
    that of a week; null for never.
    `token_env` and `secret_env` name variables of the notifier's environment. `secret_env` signs what a
    webhook gets. `api_url`: where Slack's API answers.

    One section for all types, so that every mistake is told at its own key.
    """

    type: ReceiverType
    events: tuple[NotificationKind, ...] = (
        "completed",
        "failed",
        "cancelled",
        "timed_out",
        "approval",
        "action",
        "budget",
    )
    chains: tuple[Name, ...] = ()
    labels: tuple[Name, ...] = ()
    give_up_after: Seconds = 3600.0
    digest: DigestTime | None = None
    channel: Name | None = Field(None, validate_default=True)
    token_env: Name = SLACK_TOKEN
    api_url: str = SLACK_API
    url: Name | None = Field(None, repr=False, validate_default=True)
    secret_env: Name | None = None
    format: WebhookFormat = "cloudevents"

    @field_validator("channel", "token_env", "api_url", "url", "secret_env", "format")
    @classmethod
    def _require_field_of_type(cls, value: str | None, info: ValidationInfo) -> str | None:
        kind = info.data.get("type")
        given = value is not None and value != cls.model_fields[str(info.field_name)].default
        if given and kind in KEYS and info.field_name not in KEYS[kind]:
            raise wrong(f"belongs to no receiver of the type {kind}", f"remove it, or choose another type than {kind}")
        if value is None and REQUIRED.get(str(kind)) == info.field_name:
            raise wrong("is missing", f"a receiver of the type {kind} needs it")
        return value

    @field_validator("api_url", "url")
    @classmethod
    def _require_address(cls, value: str | None) -> str | None:
        if value:
            web_address(value, "write it as https://HOST/PATH")
        return value

    @property
    def secret_variable(self) -> str | None:
        """The variable without which the notifier cannot tell this receiver anything; None when it needs none."""
        return self.token_env if self.type == "slack" else self.secret_env


class GoTarsySlack(Section):
    """Go TARSy's section: a receiver named `slack`, of every end."""

    enabled: bool = False
    token_env: Name = SLACK_TOKEN
    channel: str = ""

    @model_validator(mode="after")
    def _require_channel(self) -> "GoTarsySlack":
        if self.enabled and not self.channel:
            raise wrong("names no channel", "write the channel, or enabled: false", key="channel")
        return self

    def receiver(self) -> Receiver:
        return Receiver(type="slack", channel=self.channel, token_env=self.token_env)
