"""Messages of a conversation in OpenAI's chat completions, and their JSON, which is made once for each message."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from operator import is_

from pydantic import JsonValue
from pydantic_core import to_json

from tarsy_contracts.conversation import (
    AssistantMessage,
    Conversation,
    ConversationMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from tarsy_llm.recent_values import RecentValues

type Message = dict[str, JsonValue]

PROVIDER = "openai"
REASONING_FIELDS = ("reasoning_content", "reasoning")
"""Where servers put what the model thinks. OpenAI's own puts it nowhere."""
MOST_BYTES = 32 * 1024 * 1024
"""Limit of the JSON of all conversations that is kept. A conversation without it is encoded as a whole."""


FOREIGN_SIGNATURE: dict[str, JsonValue] = {"google": {"thought_signature": "skip_thought_signature_validator"}}
"""Documented for calls without one: ai.google.dev/gemini-api/docs/thought-signatures."""
KNOWN_IDS = 4_096
"""Calls whose id is kept: a conversation that is encoded as a whole asks for each again."""
DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


@lru_cache(KNOWN_IDS)
def wire_id(call_id: str) -> str:
    """Nine letters and digits, made of ours: Mistral takes no other ids, and everybody takes these."""
    number = int.from_bytes(sha256(call_id.encode(errors="surrogatepass")).digest()[:8])
    signs = []
    for _ in range(9):
        number, digit = divmod(number, len(DIGITS))
        signs.append(DIGITS[digit])
    return "".join(signs)


def list_messages(conversation: Conversation, server: str = "", *, signed: bool = False) -> list[Message]:
    field = _reasoning_field(conversation.messages)
    writer = MessageWriter(server, field, signed=signed)
    return _system(conversation) + [writer.write(message) for message in conversation.messages]


@dataclass(frozen=True, slots=True)
class EncodedMessages:
    """`reasoning_field`: the one that these messages were written with. `json`: a list without its brackets."""

    messages: tuple[ConversationMessage, ...]
    reasoning_field: str | None
    json: bytes


NO_MESSAGES = EncodedMessages((), None, b"")


class MessageEncoder:
    """Keeps the JSON of conversations that go on. `server`: who gets back what it has put beside its calls."""

    def __init__(self, most_bytes: int = MOST_BYTES, server: str = "") -> None:
        self._server = server
        self._kept: RecentValues[str, EncodedMessages] = RecentValues(most_bytes)

    def encode(self, conversation: Conversation, conversation_id: str = "") -> bytes:
        """Returns the JSON of `list_messages`, whatever is kept. A conversation without an id is not kept."""
        before = self._kept.get(conversation_id) if conversation_id else None
        encoded = _continue(before or NO_MESSAGES, conversation.messages, self._server)
        if conversation_id:
            self._kept.put(conversation_id, encoded, len(encoded.json))
        system = [to_json(message) for message in _system(conversation)]
        return b"[" + b",".join(part for part in (*system, encoded.json) if part) + b"]"


def _continue(before: EncodedMessages, messages: tuple[ConversationMessage, ...], server: str) -> EncodedMessages:
    """Messages are the ones from before if they are the same objects: equal ones may differ in JSON (1 and 1.0)."""
    count = len(before.messages)
    if len(messages) < count or not all(map(is_, before.messages, messages)):
        before, count = NO_MESSAGES, 0
    new = messages[count:]
    field = before.reasoning_field or _reasoning_field(new)
    if field != before.reasoning_field:
        # Every message that calls tools gets the field.
        before, new = NO_MESSAGES, messages
    writer = MessageWriter(server, field)
    encoded = b",".join(to_json(writer.write(message)) for message in new)
    return EncodedMessages(messages, field, b",".join(part for part in (before.json, encoded) if part))


def _system(conversation: Conversation) -> list[Message]:
    return [{"role": "system", "content": conversation.system}] if conversation.system else []


def _reasoning_field(messages: Iterable[ConversationMessage]) -> str | None:
    """The first one used: who wants reasoning back wants it, if empty, with every message that calls tools."""
    answers = (message for message in messages if isinstance(message, AssistantMessage))
    used = (field for answer in answers for field in REASONING_FIELDS if _reasoning(answer, field))
    return next(used, None)


def _reasoning(message: AssistantMessage, field: str) -> str:
    opaque = message.opaque
    if not isinstance(opaque, dict) or opaque.get("provider") != PROVIDER:
        return ""
    text = opaque.get(field)
    return text if isinstance(text, str) else ""


@dataclass(frozen=True, slots=True)
class MessageWriter:
    """`signed`: calls without a thought signature get one that says so."""

    server: str
    reasoning_field: str | None
    signed: bool = False

    def write(self, message: ConversationMessage) -> Message:
        match message:
            case UserMessage():
                return {"role": "user", "content": message.content}
            case AssistantMessage():
                return self._answer(message)
            case ToolMessage():
                # There is no place for "it failed" but the text.
                content = f"The tool call failed.\n{message.content}" if message.is_error else message.content
                return {"role": "tool", "tool_call_id": wire_id(message.tool_call_id), "content": content}

    def _answer(self, message: AssistantMessage) -> Message:
        answer: Message = {"role": "assistant", "content": message.content}
        if message.tool_calls:
            extras, details = self._returned(message)
            answer |= details
            answer["tool_calls"] = [
                {**_call(call), **extra} for call, extra in zip(message.tool_calls, extras, strict=True)
            ]
            if self.reasoning_field is not None:
                answer[self.reasoning_field] = _reasoning(message, self.reasoning_field)
        return answer

    def _returned(self, message: AssistantMessage) -> tuple[list[Message], Message]:
        """Returns the fields that this server has put beside its calls and the message. Others do not get them."""
        opaque, count = message.opaque, len(message.tool_calls)
        extras: list[Message] = [{} for _ in message.tool_calls]
        details: Message = {}
        if isinstance(opaque, dict) and opaque.get("provider") == PROVIDER and opaque.get("server") == self.server:
            calls, found = opaque.get("calls"), opaque.get("message")
            if isinstance(calls, list) and len(calls) == count:
                extras = [one if isinstance(one, dict) else {} for one in calls]
            details = found if isinstance(found, dict) else {}
        if self.signed and extras and not any(extras):
            extras[0] = {"extra_content": FOREIGN_SIGNATURE}
        return extras, details


def _call(call: ToolCall) -> Message:
    arguments = json.dumps(call.arguments, ensure_ascii=False)
    return {"id": wire_id(call.id), "type": "function", "function": {"name": call.name, "arguments": arguments}}
