"""Messages of a conversation in OpenAI's chat completions, and their JSON, which is made once for each message."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
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

PROVIDER = "openai"
REASONING_FIELDS = ("reasoning_content", "reasoning")
"""Where servers put what the model thinks. OpenAI's own puts it nowhere."""
MOST_BYTES = 32 * 1024 * 1024
"""Limit of the JSON of all conversations that is kept. A conversation without it is encoded as a whole."""


def list_messages(conversation: Conversation) -> list[JsonValue]:
    field = _reasoning_field(conversation.messages)
    return _system(conversation) + [_message(message, field) for message in conversation.messages]


@dataclass(frozen=True, slots=True)
class EncodedMessages:
    """`reasoning_field`: the one that these messages were written with. `json`: a list without its brackets."""

    messages: tuple[ConversationMessage, ...]
    reasoning_field: str | None
    json: bytes


NO_MESSAGES = EncodedMessages((), None, b"")


class MessageEncoder:
    """Keeps the JSON of conversations that go on."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._kept: RecentValues[str, EncodedMessages] = RecentValues(most_bytes)

    def encode(self, conversation: Conversation, conversation_id: str = "") -> bytes:
        """Returns the JSON of `list_messages`, whatever is kept. A conversation without an id is not kept."""
        before = self._kept.get(conversation_id) if conversation_id else None
        encoded = _continue(before or NO_MESSAGES, conversation.messages)
        if conversation_id:
            self._kept.put(conversation_id, encoded, len(encoded.json))
        system = [to_json(message) for message in _system(conversation)]
        return b"[" + b",".join(part for part in (*system, encoded.json) if part) + b"]"


def _continue(before: EncodedMessages, messages: tuple[ConversationMessage, ...]) -> EncodedMessages:
    """Messages are the ones from before if they are the same objects: equal ones may differ in JSON (1 and 1.0)."""
    count = len(before.messages)
    if len(messages) < count or not all(map(is_, before.messages, messages)):
        before, count = NO_MESSAGES, 0
    new = messages[count:]
    field = before.reasoning_field or _reasoning_field(new)
    if field != before.reasoning_field:
        # Every message that calls tools gets the field.
        before, new = NO_MESSAGES, messages
    encoded = b",".join(to_json(_message(message, field)) for message in new)
    return EncodedMessages(messages, field, b",".join(part for part in (before.json, encoded) if part))


def _system(conversation: Conversation) -> list[JsonValue]:
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


def _message(message: ConversationMessage, reasoning_field: str | None) -> JsonValue:
    match message:
        case UserMessage():
            return {"role": "user", "content": message.content}
        case AssistantMessage():
            return _answer(message, reasoning_field)
        case ToolMessage():
            # There is no place for "it failed" but the text.
            content = f"The tool call failed.\n{message.content}" if message.is_error else message.content
            return {"role": "tool", "tool_call_id": message.tool_call_id, "content": content}


def _answer(message: AssistantMessage, reasoning_field: str | None) -> JsonValue:
    said: dict[str, JsonValue] = {"role": "assistant", "content": message.content}
    if message.tool_calls:
        said["tool_calls"] = [_call(call) for call in message.tool_calls]
        if reasoning_field is not None:
            said[reasoning_field] = _reasoning(message, reasoning_field)
    return said


def _call(call: ToolCall) -> JsonValue:
    arguments = json.dumps(call.arguments, ensure_ascii=False)
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}
