"""Answers of HTTP servers that are read whole, up to a limit."""

import httpx2

from tarsy_tool_gateway.errors import ToolGatewayError

UNDECODED = ("content-encoding", "content-length", "transfer-encoding")


class TooLongError(ToolGatewayError):
    """More came than may be held. The caller gives the answer up."""


async def read_whole(response: httpx2.Response, most: int) -> bytes:
    """Closes the response. Raises TooLongError."""
    found = bytearray()
    try:
        async for chunk in response.aiter_bytes():
            found += chunk
            if len(found) > most:
                raise TooLongError
    finally:
        await response.aclose()
    return bytes(found)


def with_content(response: httpx2.Response, content: bytes | bytearray) -> httpx2.Response:
    """The same answer, with what was read of it."""
    headers = [(name, value) for name, value in response.headers.multi_items() if name.lower() not in UNDECODED]
    return httpx2.Response(
        response.status_code, headers=headers, content=bytes(content), extensions=response.extensions
    )
