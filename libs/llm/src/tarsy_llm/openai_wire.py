"""Request body of OpenAI's chat completions."""

import json
from urllib.parse import urlsplit

from pydantic import JsonValue

from tarsy_contracts.conversation import (
    AssistantMessage,
    Conversation,
    ConversationMessage,
    ToolCall,
    ToolDefinition,
    ToolMessage,
    UserMessage,
)
from tarsy_llm.model_settings import ModelSettings, Thinking
from tarsy_llm.protocol import LlmRequest

PROVIDER = "openai"
REASONING_FIELDS = ("reasoning_content", "reasoning")
"""Where servers put what the model thinks. OpenAI's own puts it nowhere."""
EFFORT: dict[Thinking, str] = {"off": "none", "low": "low", "medium": "medium", "high": "high"}


def request_body(settings: ModelSettings, request: LlmRequest) -> dict[str, JsonValue]:
    """OpenAI caches what begins like an earlier request: nothing here depends on how far the conversation is.

    developers.openai.com/api/docs/guides/prompt-caching
    """
    body: dict[str, JsonValue] = {
        "model": settings.model,
        "stream": True,
        "stream_options": {"include_usage": True},
        **_tools(settings, request),
    }
    most = settings.output_limit(request.answer_tokens)
    if most is not None:
        body[_limit_key(settings.base_url)] = most
    if settings.thinking is not None:
        body["reasoning_effort"] = EFFORT[settings.thinking]
    return {**body, "messages": _messages(request.conversation)}


def opaque_reasoning(field: str, text: str) -> JsonValue:
    """DeepSeek and others want back what their model thought before it called a tool, in the field it came in."""
    return {"provider": PROVIDER, field: text} if text else None


def _limit_key(base_url: str | None) -> str:
    """OpenAI's reasoning models refuse the old key, and many servers know no other."""
    return "max_completion_tokens" if _is_openai(base_url) else "max_tokens"


def _is_openai(base_url: str | None) -> bool:
    host = urlsplit(base_url or "https://api.openai.com").hostname or ""
    return host.endswith(".openai.com")


def _tools(settings: ModelSettings, request: LlmRequest) -> dict[str, JsonValue]:
    """Some servers do not know that tools may be forbidden: they are not shown any when none may be called."""
    if not request.tools or (request.is_last and not _is_openai(settings.base_url)):
        return {}
    tools: dict[str, JsonValue] = {"tools": [_tool(tool) for tool in request.tools]}
    return {**tools, "tool_choice": "none"} if request.is_last else tools


def _messages(conversation: Conversation) -> list[JsonValue]:
    field = _reasoning_field(conversation)
    system: list[JsonValue] = [{"role": "system", "content": conversation.system}] if conversation.system else []
    return system + [_message(message, field) for message in conversation.messages]


def _reasoning_field(conversation: Conversation) -> str | None:
    """The first one used: who wants reasoning back wants it, if empty, with every message that calls tools."""
    answers = [message for message in conversation.messages if isinstance(message, AssistantMessage)]
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


def _tool(tool: ToolDefinition) -> JsonValue:
    return {
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": tool.input_schema},
    }
