"""From our request to one that Gemini understands. Imports the SDK."""

import base64
from collections.abc import Iterator, Mapping
from typing import assert_never

from google.genai import types

from tarsy_contracts.chain import NativeTool
from tarsy_contracts.conversation import AssistantMessage, ToolCall, ToolDefinition, ToolMessage, UserMessage
from tarsy_llm.google_models import combines, native_tools_of, thinking_of, wants_signatures
from tarsy_llm.google_parts import PartKept, parts_kept
from tarsy_llm.model_settings import ModelSettings
from tarsy_llm.protocol import LlmRequest

FOREIGN_SIGNATURE = b"skip_thought_signature_validator"
"""Documented for calls that Gemini did not make itself: ai.google.dev/gemini-api/docs/thought-signatures, FAQ."""

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
    native = _native(request, settings.model)
    declared = [] if request.is_last and native else [_declared(tool) for tool in request.tools]
    functions = [types.Tool(function_declarations=declared)] if declared else []
    return types.GenerateContentConfig(
        system_instruction=request.conversation.system or None,
        max_output_tokens=settings.output_limit(request.answer_tokens),
        tools=[*functions, *(NATIVE_TOOLS[tool] for tool in native)] or None,
        tool_config=_tool_config(native, request) if declared else None,
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
        automatic_continuation=False,
        thinking_config=thinking_of(settings.model, settings.thinking),
    )


def _declared(tool: ToolDefinition) -> types.FunctionDeclaration:
    return types.FunctionDeclaration(
        name=tool.name, description=tool.description, parameters_json_schema=tool.input_schema
    )


def _native(request: LlmRequest, model: str) -> tuple[NativeTool, ...]:
    """Where both are not allowed, the tools that the agent was given for its work go first."""
    return native_tools_of(model, request.native_tools) if combines(model) or not request.tools else ()


def _tool_config(native: tuple[NativeTool, ...], request: LlmRequest) -> types.ToolConfig:
    """Without a word about the mode Gemini takes the one that it wants for both kinds together."""
    if native:
        return types.ToolConfig(include_server_side_tool_invocations=True)
    mode = types.FunctionCallingConfigMode.NONE if request.is_last else types.FunctionCallingConfigMode.AUTO
    return types.ToolConfig(function_calling_config=types.FunctionCallingConfig(mode=mode))


def contents_of(request: LlmRequest, model: str) -> list[types.Content]:
    conversation = request.conversation
    # Parts of its own tools go back only to a model that may use them together with ours: others may refuse them.
    native = _native(request, model) if combines(model) else ()
    foreign = FOREIGN_SIGNATURE if wants_signatures(model) else None
    ids: dict[str, str | None] = {}
    contents: list[types.Content] = []
    for message in conversation.messages:
        match message:
            case UserMessage():
                contents.append(types.Content(role="user", parts=[types.Part(text=message.content)]))
            case AssistantMessage():
                kept = tuple(place for place in _kept(message) if native or place.kind != "native")
                ids |= zip((call.id for call in message.tool_calls), _call_ids(kept), strict=True)
                parts = _answer(message, kept, foreign)
                contents += [types.Content(role="model", parts=parts)] if parts else []
            case ToolMessage():
                _add_result(contents, _result(message, ids.get(message.tool_call_id)))
            case _:
                assert_never(message)
    return contents


def _kept(message: AssistantMessage) -> tuple[PartKept, ...]:
    """An answer of another model gets our ids: calls and results must show which belongs to which."""
    kept = parts_kept(message)
    if kept is not None:
        return kept
    calls = (PartKept(kind="call", id=call.id) for call in message.tool_calls)
    return (PartKept(kind="text"), *calls)


def _call_ids(kept: tuple[PartKept, ...]) -> list[str | None]:
    return [part.id for part in kept if part.kind == "call"]


def _answer(message: AssistantMessage, kept: tuple[PartKept, ...], foreign: bytes | None) -> list[types.Part]:
    calls = iter(message.tool_calls)
    parts = [part for place in kept if (part := _part(place, message.content, calls)) is not None]
    if foreign and not any(part.thought_signature for part in parts):
        for part in parts:
            if part.function_call is not None:
                part.thought_signature = foreign
                break
    return parts


def _part(place: PartKept, words: str, calls: Iterator[ToolCall]) -> types.Part | None:
    signature = base64.b64decode(place.signature) if place.signature else None
    match place.kind:
        case "text":
            return types.Part(text=words, thought_signature=signature) if words or signature else None
        case "mark":
            return types.Part(text="", thought_signature=signature)
        case "native":
            return types.Part.model_validate({**(place.native or {}), "thought_signature": signature})
        case "thought":
            return types.Part(text="", thought=True, thought_signature=signature)
        case "call":
            call = next(calls)
            made = types.FunctionCall(id=place.id, name=call.name, args=call.arguments)
            return types.Part(function_call=made, thought_signature=signature)
        case _:
            assert_never(place.kind)


def _result(message: ToolMessage, call_id: str | None) -> types.Part:
    said = {"error" if message.is_error else "result": message.content}
    response = types.FunctionResponse(id=call_id, name=message.tool_name, response=said)
    return types.Part(function_response=response)


def _add_result(contents: list[types.Content], result: types.Part) -> None:
    """The results of calls that were made together go into one content."""
    last = (contents[-1].parts or []) if contents else []
    if last and last[-1].function_response is not None:
        last.append(result)
    else:
        contents.append(types.Content(role="user", parts=[result]))
