"""Configuration of a request to Gemini; its contents: contents.py. Imports the SDK."""

from collections.abc import Mapping

from google.genai import types

from tarsy_contracts.chain import NativeTool
from tarsy_contracts.conversation import ToolDefinition
from tarsy_llm.google.models import choose_thinking, combines, native_tools_of
from tarsy_llm.model_settings import ModelSettings
from tarsy_llm.protocol import LlmRequest
from tarsy_llm.tool_schemas import schema_for_provider

NATIVE_TOOLS: Mapping[NativeTool, types.Tool] = {
    "google_search": types.Tool(google_search=types.GoogleSearch()),
    "url_context": types.Tool(url_context=types.UrlContext()),
    "code_execution": types.Tool(code_execution=types.ToolCodeExecution()),
}
"""Those that `native_tools_of` lets through."""


def config_of(request: LlmRequest, settings: ModelSettings) -> types.GenerateContentConfig:
    """Gemini caches what begins like an earlier request: nothing here depends on how far the conversation is.

    ai.google.dev/gemini-api/docs/caching
    """
    native = native_of(request, settings.model)
    declared = [] if request.is_last and native else [_declared(tool) for tool in request.tools]
    functions = [types.Tool(function_declarations=declared)] if declared else []
    return types.GenerateContentConfig(
        system_instruction=request.conversation.system or None,
        max_output_tokens=settings.output_limit(request.answer_tokens),
        tools=[*functions, *(NATIVE_TOOLS[tool] for tool in native)] or None,
        tool_config=_tool_config(native, request) if declared else None,
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
        automatic_continuation=False,
        thinking_config=choose_thinking(settings.model, settings.thinking),
    )


def _declared(tool: ToolDefinition) -> types.FunctionDeclaration:
    return types.FunctionDeclaration(
        name=tool.name, description=tool.description, parameters_json_schema=schema_for_provider(tool)
    )


def native_of(request: LlmRequest, model: str) -> tuple[NativeTool, ...]:
    """Where both are not allowed, the tools that the agent was given for its work go first."""
    return native_tools_of(model, request.native_tools) if combines(model) or not request.tools else ()


def _tool_config(native: tuple[NativeTool, ...], request: LlmRequest) -> types.ToolConfig:
    """Without a word about the mode Gemini takes the one that it wants for both kinds together."""
    if native:
        return types.ToolConfig(include_server_side_tool_invocations=True)
    mode = types.FunctionCallingConfigMode.NONE if request.is_last else types.FunctionCallingConfigMode.AUTO
    return types.ToolConfig(function_calling_config=types.FunctionCallingConfig(mode=mode))
