"""HTTP errors of providers as `LlmCallError`: one table for all adapters."""

import math
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from tarsy_llm.protocol import ErrorKind, LlmCallError

SAID_CHARACTERS = 500
HIDDEN = "[key]"

KINDS: dict[int, ErrorKind] = {
    401: "credentials",
    402: "credentials",
    403: "credentials",
    408: "provider_error",
    409: "provider_error",
    424: "provider_error",
    425: "provider_error",
    429: "rate_limited",
    499: "provider_error",
}

SPENT = re.compile(
    r"insufficient_quota|billing_(hard_limit|not_active)|used all available credits|spending limit"
    r"|credit balance is too low",
    re.IGNORECASE,
)
WRONG_KEY = re.compile(r"(incorrect|invalid) api key", re.IGNORECASE)
MISSING_NOW = re.compile(r"publisher model .*(?:not found|does not have access)", re.IGNORECASE)
TOO_LARGE = re.compile(r"request too large", re.IGNORECASE)


def utc_now() -> datetime:
    return datetime.now(UTC)


def error_of_status(
    status: int, headers: Mapping[str, str], message: str, *, now: Callable[[], datetime] = utc_now
) -> LlmCallError:
    """`message` becomes the message as it is: make it with `sentence`."""
    return LlmCallError(message, kind=kind_of_status(status), retry_after_seconds=retry_after_seconds(headers, now=now))


def correct_status(status: int, message: str) -> int:
    """The status that fits what was `message`: some providers take another, and what cannot pass would be waited for.

    OpenAI and xAI answer 429 when the credit is used up, OpenAI also when one request exceeds its limit per minute. xAI
    answers 400 to a wrong key, Anthropic to an empty account. Vertex AI at times does not know a model that it has.
    """
    if status in (400, 403, 429) and SPENT.search(message):
        return 402
    if status == 400 and WRONG_KEY.search(message):
        return 401
    if status == 404 and MISSING_NOW.search(message):
        return 503
    if status == 429 and TOO_LARGE.search(message):
        return 413
    return status


def kind_of_status(status: int) -> ErrorKind:
    fallback: ErrorKind = "invalid_request" if 400 <= status < 500 else "provider_error"
    return KINDS.get(status, fallback)


def retry_after_seconds(headers: Mapping[str, str], *, now: Callable[[], datetime] = utc_now) -> float | None:
    """Seconds or a date. None where it says nothing that can be read; never negative."""
    lowered = {name.lower(): value.strip() for name, value in headers.items()}
    milliseconds = _number(lowered.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    text = lowered.get("retry-after", "")
    seconds = _number(text)
    return seconds if seconds is not None else _until(text, now)


def sentence(what: str, detail: str, *, secret: str | None = None) -> str:
    """`what` happened, and the first of what the provider said of it, in one line and without the secret."""
    hidden = detail.replace(secret, HIDDEN) if secret else detail
    line = " ".join(hidden.split())
    if len(line) > SAID_CHARACTERS:
        line = f"{line[:SAID_CHARACTERS]} ..."
    return f"{what}: {line}" if line else what


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return max(number, 0.0) if math.isfinite(number) else None


def _until(text: str, now: Callable[[], datetime]) -> float | None:
    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return None
    if date.tzinfo is None:
        date = date.replace(tzinfo=UTC)
    return max((date - now()).total_seconds(), 0.0)
