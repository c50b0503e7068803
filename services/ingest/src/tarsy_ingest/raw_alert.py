"""Raw alerts: what every form of an alert is read into, not masked yet; and why one is rejected."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError
from pydantic_core import from_json

from tarsy_contracts.alert import DATA_LIMIT_BYTES, PRIORITIES, AlertSource, McpSelection, Priority
from tarsy_contracts.messages.inputs import Deduplication
from tarsy_ingest.errors import IngestError

UNKNOWN_UNTIL_YEAR = 1970
RFC3339 = re.compile(
    r"(?P<date>[1-9]\d{3}-\d\d-\d\d)[Tt ](?P<time>\d\d:\d\d:\d\d)(?:\.(?P<fraction>\d+))?(?P<zone>[Zz]|[+-]\d\d:\d\d)"
)
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
"""Some editors begin UTF-8 text with it. It has no meaning there."""

type FieldPath = tuple[str | int, ...]
type FieldError = tuple[FieldPath, str]


class AlertRejectedError(IngestError):
    """The caller sends something else. Each mistake is a place in what was sent and a sentence without its value.

    The payload is not masked yet: nothing of it may stand in the sentences.
    """

    def __init__(self, *mistakes: FieldError) -> None:
        self.mistakes = mistakes
        super().__init__("; ".join(f"/{'/'.join(str(part) for part in path)}: {text}" for path, text in mistakes))

    def below(self, *above: str | int) -> Self:
        """The same mistakes, where what was read stands inside of something else."""
        return type(self)(*(((*above, *path), text) for path, text in self.mistakes))


class AlertTooLargeError(AlertRejectedError):
    """More than the limits allow."""


class Payload(BaseModel):
    model_config = ConfigDict(frozen=True, hide_input_in_errors=True)


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The sender's own name of an alert, the same whenever it fires. `kind`: whose it is.

    `has_episodes`: the sender says when the alert began to fire, so that two times of firing are told apart.
    """

    kind: str
    value: str
    has_episodes: bool = True


type Sameness = Fingerprint | Literal["content"] | None
"""The sign by which two alerts are one at different times: a fingerprint, all that they say, or none."""


@dataclass(frozen=True, slots=True)
class RawMember:
    """One alert of a group. `id` names its episode."""

    id: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RawAlert:
    """An alert as it came, not masked: neither to be written nor logged. `data` that is not text becomes JSON text.

    `place`: where in what was sent the alert's data stands. `same`: by what it is known again. `members`: those of a
    group that is investigated as one; `deduplication` is set by AlertIdentities. `starts_at`: when its episode began.
    """

    session_id: str
    alert_type: str
    data: JsonValue
    source: AlertSource
    author: str
    title: str = ""
    severity: str | None = None
    runbook_url: str | None = None
    priority: Priority | None = None
    mcp: McpSelection | None = None
    llm_provider: str | None = None
    slack_message_fingerprint: str | None = None
    place: FieldPath = ()
    same: Sameness = None
    members: tuple[RawMember, ...] = ()
    deduplication: Deduplication | None = None
    starts_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class RejectedAlert:
    """One alert of several that is wrong; the others are taken."""

    mistakes: tuple[FieldError, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertResolution:
    """The sender's word that an alert is over, for the session that the alert opened or joined. `ends_at`: in UTC.

    `whole_group`: it says so of all alerts of a group. `start_unknown`: the sender does not say when its episode began.
    """

    session_id: str
    source: AlertSource
    ends_at: datetime | None
    alert_type: str = ""
    same: Sameness = None
    whole_group: bool = False
    start_unknown: bool = False
    deduplication_key: str = ""


def json_pointer(path: FieldPath) -> str:
    return "".join(f"/{part}" for part in path)


def parse_json(text: bytes | str) -> JsonValue:
    """Raises AlertRejectedError when it is not JSON."""
    try:
        value: JsonValue = from_json(text.removeprefix(BYTE_ORDER_MARK) if isinstance(text, bytes) else text)
    except ValueError as problem:
        raise AlertRejectedError(((), f"is not JSON: {problem}")) from None
    return value


def validate[F: Payload](form: type[F], value: JsonValue) -> F:
    """Raises AlertRejectedError with every mistake."""
    try:
        return form.model_validate(value)
    except ValidationError as problem:
        rows = problem.errors(include_url=False, include_input=False, include_context=False)
        raise AlertRejectedError(*((row["loc"], row["msg"]) for row in rows)) from None


def check_size(text: str, path: FieldPath) -> str:
    """Raises AlertTooLargeError above the limit of an alert's data, and AlertRejectedError when it is empty."""
    if len(text) > DATA_LIMIT_BYTES or len(text.encode()) > DATA_LIMIT_BYTES:
        raise AlertTooLargeError((path, f"is larger than {DATA_LIMIT_BYTES} bytes"))
    if not text.strip():
        raise AlertRejectedError((path, "is empty"))
    return text


def utc_time(text: str) -> datetime | None:
    """None for what is no time with a zone; also before 1970: senders write such a time for one that is not known."""
    try:
        at = datetime.fromisoformat(text)
        return at.astimezone(UTC) if at.tzinfo is not None and at.year > UNKNOWN_UNTIL_YEAR else None
    except (ValueError, OverflowError):
        return None


def instant(text: str) -> str:
    """The instant as Go writes it in UTC, which is how Alertmanager does; a text that is no time stays as it is."""
    found = RFC3339.fullmatch(text.strip())
    if found is None:
        return text
    try:
        at = datetime.fromisoformat(f"{found['date']}T{found['time']}{found['zone'].upper()}").astimezone(UTC)
    except (ValueError, OverflowError):
        return text
    fraction = (found["fraction"] or "").rstrip("0")
    return f"{at:%Y-%m-%dT%H:%M:%S}{f'.{fraction}' if fraction else ''}Z"


def web_address(text: str | None) -> str | None:
    """Only what a browser may be pointed to."""
    return text if text is not None and text.startswith(("http://", "https://")) else None


def find_priority(*names: str | None) -> Priority | None:
    """The first that is one, however it is written."""
    written = [name.strip().lower() for name in names if name is not None]
    return next((priority for name in written for priority in PRIORITIES if priority == name), None)
