"""Events with the answer to one request, checked: what is wrong with the answer becomes the answer."""

import asyncio
from collections.abc import AsyncIterator, Iterator

import httpx2

from tarsy_tool_gateway.mcp.messages.json_reading import SMALL_BYTES, Raw, UnreadableError
from tarsy_tool_gateway.mcp.messages.own_answer import check_message
from tarsy_tool_gateway.mcp.messages.shared_stream import unreadable_answer
from tarsy_tool_gateway.mcp.transports.bounded_answer import UNDECODED

PIECE_BYTES = 64 * 1024


def with_checked_events(response: httpx2.Response, id: int, method: str, *, most_bytes: int) -> httpx2.Response:
    """The same answer. `most_bytes`: of an event."""
    headers = [(name, value) for name, value in response.headers.multi_items() if name.lower() not in UNDECODED]
    return httpx2.Response(
        response.status_code,
        headers=headers,
        stream=_CheckedEvents(response, id, method, most_bytes),
        request=response.request,
        extensions=response.extensions,
    )


class _CheckedEvents(httpx2.AsyncByteStream):
    def __init__(self, response: httpx2.Response, id: int, method: str, most_bytes: int) -> None:
        self._response = response
        self._id = id
        self._method = method
        self._most_bytes = most_bytes

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for event in httpx2.EventSource(self._response, max_event_size=self._most_bytes):
            if event.event != "message" or not event.data:
                for piece in _encode_event(event, event.data.encode(errors="replace")):
                    yield piece
                continue
            data, is_last = await self._check_or_replace(event.data.encode(errors="replace"))
            for piece in _encode_event(event, data):
                yield piece
            if is_last:
                return

    async def aclose(self) -> None:
        await self._response.aclose()

    async def _check_or_replace(self, raw: bytes) -> tuple[Raw, bool]:
        try:
            if len(raw) <= SMALL_BYTES:
                return check_message(raw, self._id, self._method)
            return await asyncio.to_thread(check_message, raw, self._id, self._method)
        except UnreadableError as problem:
            answer = unreadable_answer(self._id, str(problem))
            return answer.model_dump_json(by_alias=True, exclude_unset=True).encode(), True


def _encode_event(event: httpx2.ServerSentEvent, data: Raw) -> Iterator[bytes]:
    """In pieces, so that a long one is not held as a whole once more."""
    fields = f"event: {event.event}\n" + (f"id: {event.id}\n" if event.id else "")
    fields += f"retry: {event.retry}\n" if event.retry is not None else ""
    yield fields.encode()
    for line in data.split(b"\n"):
        yield b"data: "
        for start in range(0, len(line), PIECE_BYTES):
            yield bytes(line[start : start + PIECE_BYTES])
        yield b"\n"
    yield b"\n"
