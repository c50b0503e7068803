"""Bodies of answers in the field: a stream of events, one JSON document, lines of JSON, or a page of HTML."""

import json
import re
from collections.abc import AsyncGenerator, AsyncIterator

from tarsy_llm.errors import LlmError
from tarsy_llm.http.lenient_model import parse_json
from tarsy_llm.http.sse import MOST_EVENT_BYTES, EventTooLongError, ServerSentEvent, events

TITLE = re.compile(r"<title[^>]*>\s*(.{1,200}?)\s*</title>", re.IGNORECASE | re.DOTALL)
BLANKS = b" \t\r\n\xef\xbb\xbf"


class HtmlAnswerError(LlmError):
    """A web page came instead of an answer: another server is at that address. The operator corrects it."""

    def __init__(self, text: str) -> None:
        found = TITLE.search(text)
        self.title = found[1] if found else ""
        super().__init__(self.title)


async def answer_events(chunks: AsyncIterator[bytes]) -> AsyncGenerator[ServerSentEvent]:
    """Yields a whole JSON answer as one event. Raises HtmlAnswerError, EventTooLongError."""
    head = b""
    async for chunk in chunks:
        head += chunk
        if head.strip(BLANKS):
            break
    first = head.lstrip(BLANKS)[:1]
    if first in (b"{", b"["):
        for event in _documents(await _whole(head, chunks)):
            yield event
        return
    if first == b"<":
        raise HtmlAnswerError(await _whole(head, chunks))
    async for event in events(_with_head(head, chunks)):
        for one in _separate(event):
            yield one


async def _with_head(head: bytes, chunks: AsyncIterator[bytes]) -> AsyncGenerator[bytes]:
    if head:
        yield head
    async for chunk in chunks:
        yield chunk


async def _whole(head: bytes, chunks: AsyncIterator[bytes]) -> str:
    found = bytearray(head)
    async for chunk in chunks:
        found += chunk
        if len(found) > MOST_EVENT_BYTES:
            raise EventTooLongError(f"a document of more than {MOST_EVENT_BYTES} bytes")
    return found.lstrip(BLANKS).decode("utf-8", errors="replace")


def _separate(event: ServerSentEvent) -> list[ServerSentEvent]:
    """Some servers put no empty line between their events: each line is one then."""
    if "\n" not in event.data or _is_json(event.data):
        return [event]
    return [ServerSentEvent(event.name, line) for line in event.data.split("\n") if line.strip()]


def _documents(text: str) -> list[ServerSentEvent]:
    """A list of documents is one after the other, as lines of them are."""
    try:
        found = parse_json(text)
    except ValueError:
        return [ServerSentEvent("", line) for line in text.splitlines() if line.strip()]
    if isinstance(found, list):
        return [ServerSentEvent("", json.dumps(one)) for one in found]
    return [ServerSentEvent("", text)]


def _is_json(text: str) -> bool:
    try:
        parse_json(text)
    except ValueError:
        return False
    return True
