"""Bounded reading of a request's body."""

from fastapi import Request

from tarsy_ingest.raw_alert import AlertTooLargeError

BODY_LIMIT_BYTES = 2 * 1024 * 1024


async def read_body(request: Request) -> bytes:
    """Raises AlertTooLargeError as soon as it is clear."""
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > BODY_LIMIT_BYTES:
        raise _too_large()
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > BODY_LIMIT_BYTES:
            raise _too_large()
    return bytes(body)


def _too_large() -> AlertTooLargeError:
    return AlertTooLargeError(((), f"the body is larger than {BODY_LIMIT_BYTES} bytes"))
