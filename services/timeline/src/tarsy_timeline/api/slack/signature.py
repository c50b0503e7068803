"""Signature of a request of Slack: an HMAC-SHA256 of its time and body, by a secret that Slack and we know."""

import hashlib
import hmac
from collections.abc import Mapping, Sequence

from tarsy_timeline.errors import TimelineError

SIGNATURE_HEADER = "x-slack-signature"
TIME_HEADER = "x-slack-request-timestamp"
VERSION = "v0"
OLDEST_SECONDS = 300
"""Slack's own advice: whoever saw a request cannot send it again later."""
MOST_DIGITS = 12


class SlackSignatureError(TimelineError):
    """Slack did not send this, or not now. The operator configures the secret of the app, or sets the clock."""


def check_signature(body: bytes, headers: Mapping[str, str], secrets: Sequence[bytes], now: float) -> None:
    """Several secrets count while one is replaced. Raises SlackSignatureError."""
    written = headers.get(TIME_HEADER, "")
    if not (written.isascii() and written.isdecimal()) or len(written) > MOST_DIGITS:
        raise SlackSignatureError("The header X-Slack-Request-Timestamp is missing, or is no time.")
    if abs(now - int(written)) > OLDEST_SECONDS:
        raise SlackSignatureError("X-Slack-Request-Timestamp is more than five minutes from our clock.")
    signed = f"{VERSION}:{written}:".encode() + body
    sent = headers.get(SIGNATURE_HEADER, "").encode()
    own = [f"{VERSION}={hmac.new(secret, signed, hashlib.sha256).hexdigest()}".encode() for secret in secrets]
    if not any(hmac.compare_digest(sent, one) for one in own):
        raise SlackSignatureError("X-Slack-Signature was not made with a secret that is configured here.")
