"""Reading a request's body, but not more than we want of it."""

from fastapi import Request

from tarsy_ingest.incoming import TooMuch

BODY_LIMIT_BYTES = 2 * 1024 * 1024


async def read_body(request: Request) -> bytes:
    """Raises TooMuch as soon as it is clear."""
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > BODY_LIMIT_BYTES:
        raise _too_large()
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > BODY_LIMIT_BYTES:
            raise _too_large()
    return bytes(body)


def _too_large() -> TooMuch:
    return TooMuch(((), f"the body is larger than {BODY_LIMIT_BYTES} bytes"))
