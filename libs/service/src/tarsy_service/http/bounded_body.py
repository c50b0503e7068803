"""Limits of request bodies: what is longer is refused before it is parsed, which holds the event loop."""

from starlette.requests import Request
from starlette.types import Message, Receive


async def read_at_most(request: Request, limit_bytes: int) -> bytes | None:
    """The body; None as soon as it is clear that it is longer."""
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > limit_bytes:
        return None
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > limit_bytes:
            return None
    return bytes(body)


def read_again(body: bytes, receive: Receive) -> Receive:
    """Receives a body that was read already, and then what follows it."""
    unread: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_again() -> Message:
        return unread.pop() if unread else await receive()

    return receive_again
