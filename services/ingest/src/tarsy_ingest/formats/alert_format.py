"""Alert format: what its sender posts or writes, how it is recognised and how it is read; FORMATS lists them."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from tarsy_contracts.alert import AlertSource
from tarsy_contracts.api.alerts import WebhookAccepted
from tarsy_contracts.api.model import ApiModel
from tarsy_ingest.alert_rules import AlertTypes
from tarsy_ingest.formats.media_types import JSON, MediaTypes
from tarsy_ingest.raw_alert import (
    AlertRejectedError,
    AlertResolution,
    FieldError,
    Payload,
    RawAlert,
    RejectedAlert,
    parse_json,
)

FINGERPRINT = re.compile(r"[0-9a-f]{1,64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertBody:
    """Content of a request or a record. `value`: its JSON, or its text. The names of `headers` are in lower case.

    `author`: who sent it, where that is known. `session_id`: the session of an alert without an identity of its own.
    `alert_type`: the type that the sender asked for, for all alerts of the body.
    """

    value: JsonValue
    session_id: str
    author: str | None = None
    alert_type: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Notice:
    """One alert of a body: to be investigated, over, or wrong; None when it changes nothing for us.

    `fingerprint`: how the sender names it. `message` is for the sender of one that is to be investigated or ignored.
    """

    source: AlertSource
    alert: RawAlert | AlertResolution | RejectedAlert | None
    message: str = ""
    fingerprint: str = ""


@dataclass(frozen=True, slots=True)
class Notices:
    """Outcome of one body. `truncated_alerts`: how many alerts the sender left out."""

    notices: tuple[Notice, ...]
    truncated_alerts: int = 0


def each_alert(
    source: AlertSource,
    found: Sequence[JsonValue],
    read: Callable[[int, JsonValue], Notice | None],
    inside: str = "alerts",
) -> list[Notice]:
    """One wrong alert costs one alert. Raises AlertRejectedError when there is none but wrong ones.

    `read`: None for an alert that is told of later, in a group. `inside`: the field that the alerts are in.
    """
    notices: list[Notice] = []
    mistakes: list[FieldError] = []
    right = 0
    for index, value in enumerate(found):
        try:
            notice = read(index, value)
        except AlertRejectedError as problem:
            placed = problem.below(*((inside,) if inside else ()), index)
            if len(found) == 1:
                raise placed from None
            mistakes += placed.mistakes
            notice = Notice(source, RejectedAlert(placed.mistakes), fingerprint=_fingerprint_in(value))
        else:
            right += 1
        if notice is not None:
            notices.append(notice)
    if mistakes and not right:
        raise AlertRejectedError(*mistakes)
    return notices


def _fingerprint_in(value: JsonValue) -> str:
    """Only what looks like one: the answer repeats nothing else of a wrong alert."""
    found = value.get("fingerprint") if isinstance(value, dict) else None
    return found if isinstance(found, str) and FINGERPRINT.fullmatch(found) else ""


@dataclass(frozen=True, slots=True)
class DoorAnswer:
    """Answer of a door, for senders that expect another one than ours."""

    model: type[ApiModel] = WebhookAccepted
    of: Callable[[WebhookAccepted], ApiModel] = lambda accepted: accepted


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertFormat:
    """`source` names it: in sessions, in metrics, and in the path of its door, which `aliases` lead to, too.

    `summary` and `body`, its JSON (None for text), are for the API's document. `parse` makes a request's body and
    headers a value; `matches` recognises a value on the alerts topic. `parse` and `read` raise AlertRejectedError.
    `has_own_type`: whether the body may be of any media type, by the headers. `verify` raises SignatureError unless one
    of the secrets signed the body.
    """

    source: AlertSource
    summary: str
    body: type[Payload] | None
    matches: Callable[[JsonValue], bool]
    read: Callable[[AlertBody, AlertTypes], Notices]
    media_types: MediaTypes = JSON
    has_own_type: Callable[[Mapping[str, str]], bool] = lambda headers: False
    parse: Callable[[bytes, Mapping[str, str]], JsonValue] = lambda raw, headers: parse_json(raw)
    answer: DoorAnswer = DoorAnswer()
    aliases: tuple[str, ...] = ()
    verify: Callable[[bytes, Mapping[str, str], Sequence[bytes]], None] | None = None

    @property
    def paths(self) -> tuple[str, ...]:
        """Below `/api/v1/alerts/`."""
        return (self.source, *self.aliases)
