"""Alert format: what its sender posts or writes, how it is recognised and how it is read; FORMATS lists them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from tarsy_contracts.alert import AlertSource
from tarsy_contracts.api.alerts import WebhookAccepted
from tarsy_contracts.api.model import ApiModel
from tarsy_ingest.alert_rules import AlertTypes
from tarsy_ingest.media_types import JSON, MediaTypes
from tarsy_ingest.raw_alert import AlertResolution, Payload, RawAlert, parse_json


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
    """One alert of a body: it is to be investigated, or it is over; None when it changes nothing for us.

    `fingerprint`: how the sender names it. `message` is for the sender of one that is to be investigated or ignored.
    """

    source: AlertSource
    alert: RawAlert | AlertResolution | None
    message: str = ""
    fingerprint: str = ""


@dataclass(frozen=True, slots=True)
class Notices:
    """Outcome of one body. `truncated_alerts`: how many alerts the sender left out."""

    notices: tuple[Notice, ...]
    truncated_alerts: int = 0


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
