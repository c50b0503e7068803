"""Server-sent events, as models send them: read as bytes, because U+2028 inside JSON is no end of a line.

The SDKs read them too, but keep signs of life (comments, pings) to themselves, and those say that a model is thinking.
"""

from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass

from tarsy_llm.errors import LlmError

MOST_EVENT_BYTES = 4 * 1024 * 1024


class EventTooLongError(LlmError):
    """More than we are willing to hold came without an end of the event. The caller gives the stream up."""


@dataclass(frozen=True, slots=True)
class ServerSentEvent:
    """A comment has no data."""

    name: str
    data: str


async def events(chunks: AsyncIterator[bytes]) -> AsyncGenerator[ServerSentEvent]:
    """Comments come as events too. The last event of a stream counts also without its empty line."""
    name, data, size = "", list[str](), 0
    async for line in _lines(chunks):
        if line.startswith(":"):
            yield ServerSentEvent("", "")
            continue
        if line:
            field, _, value = line.partition(":")
            value = value.removeprefix(" ")
            name = value if field == "event" else name
            data += [value] if field == "data" else []
            size += len(line)
            if size > MOST_EVENT_BYTES:
                raise EventTooLongError(f"an event of more than {MOST_EVENT_BYTES} characters")
            continue
        if name or data:
            yield ServerSentEvent(name, "\n".join(data))
        name, data, size = "", [], 0
    if data:
        yield ServerSentEvent(name, "\n".join(data))


async def _lines(chunks: AsyncIterator[bytes]) -> AsyncGenerator[str]:
    rest = bytearray()
    async for chunk in chunks:
        *ended, open_line = chunk.split(b"\n")
        for piece in ended:
            rest += piece
            yield _text(rest)
            rest.clear()
        rest += open_line
        if len(rest) > MOST_EVENT_BYTES:
            raise EventTooLongError(f"a line of more than {MOST_EVENT_BYTES} bytes")
    if rest:
        yield _text(rest)


def _text(line: bytearray) -> str:
    return line.removesuffix(b"\r").decode("utf-8", errors="replace")
