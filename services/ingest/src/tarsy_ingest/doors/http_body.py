"""Bounded reading of a request's body."""

from fastapi import Request

from tarsy_ingest.raw_alert import AlertTooLargeError
from tarsy_service.http.bounded_body import read_at_most

BODY_LIMIT_BYTES = 2 * 1024 * 1024


async def read_body(request: Request) -> bytes:
    """Raises AlertTooLargeError as soon as it is clear."""
    body = await read_at_most(request, BODY_LIMIT_BYTES)
    if body is None:
        raise AlertTooLargeError(((), f"the body is larger than {BODY_LIMIT_BYTES} bytes"))
    return body
