"""AWS event streams, by botocore's decoder: frames of an answer of Bedrock, as events of Anthropic's dialect."""

import base64
import binascii
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping

from pydantic import JsonValue

from tarsy_llm.http.endpoint import error_message
from tarsy_llm.http.lenient_model import parse_json
from tarsy_llm.http.sse import ServerSentEvent
from tarsy_llm.http.streaming_client import BrokenOffError

type ReadFrame = Callable[[str, JsonValue], JsonValue]
"""From the type of a frame and its content to an event of Anthropic's; None for a frame that has no event."""

ERRORS: Mapping[str, str] = {
    "throttlingexception": "rate_limit_error",
    "validationexception": "invalid_request_error",
    "accessdeniedexception": "permission_error",
    "resourcenotfoundexception": "not_found_error",
    "modeltimeoutexception": "timeout_error",
    "serviceunavailableexception": "overloaded_error",
}
"""Exceptions within an answer. All others are failures of the provider."""


async def decode_event_stream(chunks: AsyncIterator[bytes], *, read: ReadFrame) -> AsyncGenerator[ServerSentEvent]:
    """Raises BrokenOffError."""
    from botocore.eventstream import EventStreamBuffer, ParserError

    buffer = EventStreamBuffer()
    async for chunk in chunks:
        buffer.add_data(chunk)
        try:
            for frame in buffer:
                yield _event(frame.headers, frame.payload, read)
        except ParserError as problem:
            raise BrokenOffError from problem


def _event(headers: Mapping[str, object], payload: bytes, read: ReadFrame) -> ServerSentEvent:
    kind = headers.get(":message-type")
    content = _content(payload)
    if kind == "exception":
        name = str(headers.get(":exception-type", ""))
        return _error(name, error_message(content) or name)
    if kind == "error":
        name = str(headers.get(":error-code", ""))
        return _error(name, str(headers.get(":error-message") or name))
    found = read(str(headers.get(":event-type", "")), content)
    # Without data it is a sign of life.
    return ServerSentEvent("", "" if found is None else json.dumps(found))


def claude_event(kind: str, content: JsonValue) -> JsonValue:
    """A frame holds one event of Anthropic's, in base64."""
    match content:
        case {"bytes": str(encoded)}:
            try:
                return _content(base64.b64decode(encoded, validate=True))
            except binascii.Error:
                return encoded
        case _:
            return None


def _content(payload: bytes) -> JsonValue:
    if not payload:
        return None
    try:
        return parse_json(payload)
    except ValueError:
        return payload.decode(errors="replace")


def _error(name: str, message: str) -> ServerSentEvent:
    error: JsonValue = {"type": "error", "error": {"type": ERRORS.get(name.lower(), "api_error"), "message": message}}
    return ServerSentEvent("error", json.dumps(error))
