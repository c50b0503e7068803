"""Alert format: what its sender posts or writes, how it is recognised and how it is read; FORMATS lists them."""

from collections.abc import Callable
from dataclasses import dataclass

from pydantic import JsonValue

from tarsy_contracts.alert import AlertSource
from tarsy_ingest.alert_rules import AlertTypes
from tarsy_ingest.raw_alert import AlertResolution, Payload, RawAlert


@dataclass(frozen=True, slots=True)
class Notice:
    """One alert of a body: it is to be investigated, or it is over. `fingerprint`: how the sender names it.

    `message` is for the sender of one that is to be investigated.
    """

    source: AlertSource
    alert: RawAlert | AlertResolution
    message: str = ""
    fingerprint: str = ""


@dataclass(frozen=True, slots=True)
class Notices:
    """Outcome of one body. `truncated_alerts`: how many alerts the sender left out."""

    notices: tuple[Notice, ...]
    truncated_alerts: int = 0


@dataclass(frozen=True, slots=True)
class AlertFormat:
    """`source` names it: in sessions, in metrics, and in the path of its door.

    `matches` recognises it on the alerts topic. `read` gets the body, the known alert types, who sends it, and the type
    that the sender asked for, if any; it raises AlertRejectedError.
    """

    source: AlertSource
    body: type[Payload]
    matches: Callable[[dict[str, JsonValue]], bool]
    read: Callable[[JsonValue, AlertTypes, str, str | None], Notices]
