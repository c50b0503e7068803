"""Plain text: an alert as somebody writes it, with `curl --data-binary @file`. It is headed by its first line."""

from pydantic import JsonValue

from tarsy_ingest.alert_rules import AlertTypes
from tarsy_ingest.formats.alert_format import AlertBody, AlertFormat, Notice, Notices
from tarsy_ingest.formats.media_types import TEXT
from tarsy_ingest.raw_alert import BYTE_ORDER_MARK, AlertRejectedError, RawAlert, check_size
from tarsy_service.access.caller import NOBODY

SOURCE = "text"


def text_of(raw: bytes) -> str:
    """Raises AlertRejectedError unless it is UTF-8 text that an alert can hold."""
    try:
        return check_size(raw.removeprefix(BYTE_ORDER_MARK).decode(), ())
    except UnicodeDecodeError:
        raise AlertRejectedError(((), "is not UTF-8 text")) from None


def text_alert(
    text: str, types: AlertTypes, *, session_id: str, author: str | None, alert_type: str | None
) -> RawAlert:
    """Raises AlertRejectedError."""
    return RawAlert(
        session_id=session_id,
        alert_type=types.require(alert_type or None),
        data=text,
        source=SOURCE,
        author=author or NOBODY,
        same="content",
    )


def read_text(body: AlertBody, types: AlertTypes) -> Notices:
    """Raises AlertRejectedError."""
    text = body.value if isinstance(body.value, str) else ""
    alert = text_alert(text, types, session_id=body.session_id, author=body.author, alert_type=body.alert_type)
    return Notices((Notice(SOURCE, alert, f"The alert is queued as {alert.alert_type}.", body.session_id),))


def _match_nothing(value: JsonValue) -> bool:
    return False  # On the topic, text is what is nothing else.


FORMAT = AlertFormat(
    source=SOURCE,
    summary="Send a text to be investigated",
    body=None,
    matches=_match_nothing,
    read=read_text,
    media_types=TEXT,
    parse=lambda raw, headers: text_of(raw),
)
