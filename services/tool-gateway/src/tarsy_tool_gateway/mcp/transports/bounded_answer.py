"""Answers of HTTP servers that are read whole, up to a limit."""

import httpx2

from tarsy_tool_gateway.results.bytes_in_flight import HeldBytes, TooLongError

UNDECODED = ("content-encoding", "content-length", "transfer-encoding")


async def read_whole(response: httpx2.Response, most: int, held: HeldBytes | None = None) -> bytes:
    """Closes the response. Raises TooLongError."""
    found = bytearray()
    try:
        async for chunk in response.aiter_bytes():
            found += chunk
            if len(found) > most:
                raise TooLongError(f"more than {most} bytes")
            if held is not None:
                held.grow(len(found))
    finally:
        await response.aclose()
    return bytes(found)


def with_content(response: httpx2.Response, content: bytes | bytearray) -> httpx2.Response:
    """The same answer, with what was read of it."""
    headers = [(name, value) for name, value in response.headers.multi_items() if name.lower() not in UNDECODED]
    return httpx2.Response(
        response.status_code, headers=headers, content=bytes(content), extensions=response.extensions
    )
