"""Signature of a webhook, as Standard Webhooks has it: receivers verify it with the libraries of that standard."""

import base64
import binascii
import hmac
from collections.abc import Mapping
from datetime import datetime

PREFIX = "whsec_"


def secret_bytes(secret: str) -> bytes:
    """`whsec_` and base64, as the standard writes a secret, or any other text as it stands."""
    if secret.startswith(PREFIX):
        try:
            return base64.b64decode(secret.removeprefix(PREFIX), validate=True)
        except binascii.Error:
            pass
    return secret.encode()


def sign_headers(event_id: str, at: datetime, body: bytes, secret: bytes | None) -> Mapping[str, str]:
    """`webhook-id` is the same in every attempt: by it receivers drop repeats. Without a secret nothing is signed."""
    stamp = str(int(at.timestamp()))
    headers = {"webhook-id": event_id, "webhook-timestamp": stamp}
    if secret is not None:
        digest = hmac.digest(secret, b".".join((event_id.encode(), stamp.encode(), body)), "sha256")
        headers["webhook-signature"] = f"v1,{base64.b64encode(digest).decode()}"
    return headers
