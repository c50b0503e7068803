"""Reader of a stream that carries the answers to all calls: each wrong answer ends its own call, with the reason."""

import asyncio
from collections.abc import Iterator
from typing import Any

from mcp.shared.message import SessionMessage
from mcp_types import ErrorData, JSONRPCError, JSONRPCMessage

from tarsy_tool_gateway.mcp.gateway_errors import MOST_ANSWER_BYTES, gateway_error
from tarsy_tool_gateway.mcp.messages.addressee import Addressee, look_at
from tarsy_tool_gateway.mcp.messages.answers import answer_in, id_in, is_from_server, message_in, sender_of_none
from tarsy_tool_gateway.mcp.messages.garbage import GarbageCount
from tarsy_tool_gateway.mcp.messages.json_reading import SMALL_BYTES, Raw, UnreadableError, read_json
from tarsy_tool_gateway.mcp.messages.listings import LISTING, MOST_LISTING_BYTES, read_listing
from tarsy_tool_gateway.mcp.messages.open_requests import CALL, OpenRequests

MOST_IN_BATCH = 100


class SharedStreamReader:
    """`requests` are told what is sent; `garbage` counts what is no message."""

    def __init__(self, garbage: GarbageCount) -> None:
        self.requests = OpenRequests()
        self._garbage = garbage

    @property
    def most_bytes(self) -> int:
        """The limit of a message. Only results of tools may be large, also when nobody waits for them any longer."""
        return MOST_ANSWER_BYTES if self.requests.asked_a_tool else MOST_LISTING_BYTES

    async def read(self, raw: Raw) -> list[SessionMessage]:
        """The messages for the SDK: this one, and the ends of calls that it decides."""
        addressee = look_at(raw)
        read = read_listing if self.requests.method_of(addressee.id) == LISTING else read_json
        try:
            found = (read(raw) if len(raw) <= SMALL_BYTES else await asyncio.to_thread(read, raw)).value
        except UnreadableError as problem:
            messages = self._answer_unreadable(addressee, str(problem), len(raw))
        else:
            messages = self._read_messages(found, len(raw))
        return [SessionMessage(message) for message in (*messages, *self._answers_to_strays())]

    def refuse(self, beginning: Raw, why: str) -> list[SessionMessage]:
        """For a message that is too long, and ends the session. Other calls than its own have had no answer."""
        id = look_at(beginning).id
        ended = [one for one in self.requests.ids() if one == id or self.requests.method_of(one) != CALL]
        return [SessionMessage(unreadable_answer(one, why)) for one in ended]

    def _read_messages(self, found: Any, size: int) -> list[JSONRPCMessage]:
        try:
            if is_from_server(found):
                return [message_in(found)]
            return [message for one in _split_batch(found) for message in self._read_answer(one, found, size)]
        except UnreadableError:
            self._garbage.add(size)
            return []

    def _read_answer(self, one: Any, found: Any, size: int) -> list[JSONRPCMessage]:
        id = id_in(one)
        if id is None or self.requests.method_of(id) is None:
            self._note_stray(one, size)
            return []
        self.requests.note_answered(id, size)
        try:
            return [answer_in(found, id)]
        except UnreadableError as problem:
            return [unreadable_answer(id, str(problem))]

    def _note_stray(self, found: Any, size: int) -> None:
        self._garbage.add(size)
        if not isinstance(found, dict) or "jsonrpc" not in found:
            return
        if not self.requests.has_ended(id_in(found), size):
            self.requests.note_stray(sender_of_none(found), of_error="error" in found)

    def _answer_unreadable(self, addressee: Addressee, why: str, size: int) -> list[JSONRPCMessage]:
        if self.requests.method_of(addressee.id) is not None and addressee.id is not None:
            self.requests.note_answered(addressee.id, size)
            return [unreadable_answer(addressee.id, why)]
        self._garbage.add(size)
        if addressee.is_answer:
            self.requests.note_stray(why, of_error=False)
        return []

    def _answers_to_strays(self) -> Iterator[JSONRPCMessage]:
        for id, why in self.requests.match_strays():
            yield unreadable_answer(id, why)


def unreadable_answer(id: int, why: str) -> JSONRPCError:
    """Known to failures.py as an answer that came, and cannot be read."""
    return JSONRPCError(jsonrpc="2.0", id=id, error=ErrorData.model_validate(gateway_error("unreadable", why)))


def _split_batch(found: Any) -> list[Any]:
    return found[:MOST_IN_BATCH] if isinstance(found, list) else [found]
