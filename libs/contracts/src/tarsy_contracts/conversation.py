"""A conversation with a model, in nobody's dialect. Each LLM adapter translates it."""

from typing import Literal

from pydantic import JsonValue

from tarsy_contracts.wire.message import Value
from tarsy_contracts.wire.numbers import Count


class ToolDefinition(Value):
    """A tool as a model sees it. `name` is `server__tool`, as function names may not hold a dot."""

    name: str
    description: str
    input_schema: dict[str, JsonValue]


class ToolCall(Value):
    """A tool call that the model asked for. `id` is ours (ids.tool_call_id), whatever the provider called it."""

    id: str
    name: str
    arguments: dict[str, JsonValue]


class UserMessage(Value):
    role: Literal["user"] = "user"
    content: str


class AssistantMessage(Value):
    """`opaque` is what the provider wants back unchanged (thought signatures); nobody else reads it."""

    role: Literal["assistant"] = "assistant"
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    opaque: JsonValue = None


class ToolMessage(Value):
    role: Literal["tool"] = "tool"
    tool_call_id: str
    tool_name: str
    content: str
    is_error: bool = False


type ConversationMessage = UserMessage | AssistantMessage | ToolMessage


class Conversation(Value):
    system: str
    messages: tuple[ConversationMessage, ...]


class Usage(Value):
    """Tokens as the provider counted them; None where it did not say. All providers mean the same by them.

    `input_tokens`: all that the model was given. They include `cached_input_tokens`, which were read from the
    provider's cache, and `cache_written_tokens`, which were written to it; both have prices of their own.
    `output_tokens`: all that the model produced. They include `thinking_tokens`, its thoughts; records of 0.1.0 have
    those of Gemini and xAI beside them. `web_searches`: searches of its own web tool, which have a price each.
    """

    input_tokens: Count | None = None
    output_tokens: Count | None = None
    thinking_tokens: Count | None = None
    cached_input_tokens: Count | None = None
    cache_written_tokens: Count | None = None
    web_searches: Count | None = None
