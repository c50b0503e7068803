"""Tools in a request to Anthropic, and the marks of what it caches."""

from pydantic import JsonValue

from tarsy_contracts.conversation import AssistantMessage, Conversation, ToolDefinition
from tarsy_llm.anthropic.web_search import search_tool
from tarsy_llm.protocol import LlmRequest
from tarsy_llm.tool_schemas import schema_for_provider

CACHED: dict[str, JsonValue] = {"type": "ephemeral"}
"""The end of a part that Anthropic caches: tools, then system, then messages, each with all before it, for 5 minutes.

A part shorter than 512 to 4,096 tokens (by model) is not cached, and the mark costs nothing then:
platform.claude.com/docs/en/build-with-claude/prompt-caching.
"""


def mark_for_cache(block: JsonValue) -> JsonValue:
    return {**block, "cache_control": CACHED} if isinstance(block, dict) else block


def concludes(request: LlmRequest) -> bool:
    """It is to answer in words, and has called tools before."""
    return not request.tools and bool(_tools_called(request.conversation))


def tools_of(request: LlmRequest) -> dict[str, JsonValue]:
    """Anthropic wants the tools described that a conversation holds calls of, also when none may be called."""
    if concludes(request):
        named: list[JsonValue] = [
            {"name": name, "input_schema": {"type": "object"}} for name in _tools_called(request.conversation)
        ]
        return {"tools": named, "tool_choice": {"type": "none"}}
    native = search_tool(request)
    if not request.tools:
        return {"tools": native} if native else {}
    *others, last = [_tool(tool) for tool in request.tools]
    # A mark of their own: agents that have the same tools share them, whatever their instructions are.
    tools: dict[str, JsonValue] = {"tools": [*native, *others, mark_for_cache(last)]}
    return {**tools, "tool_choice": {"type": "none"}} if request.is_last else tools


def _tools_called(conversation: Conversation) -> list[str]:
    calls = [
        call.name
        for message in conversation.messages
        if isinstance(message, AssistantMessage)
        for call in message.tool_calls
    ]
    return sorted(set(calls))


def _tool(tool: ToolDefinition) -> JsonValue:
    return {"name": tool.name, "description": tool.description, "input_schema": schema_for_provider(tool)}
