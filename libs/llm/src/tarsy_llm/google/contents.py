"""Contents of a request to Gemini: the messages of a conversation, each made once. Imports the SDK."""

import base64
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import is_
from typing import assert_never

from google.genai import types

from tarsy_contracts.conversation import AssistantMessage, ConversationMessage, ToolCall, ToolMessage, UserMessage
from tarsy_llm.google.models import combines, wants_signatures
from tarsy_llm.google.parts import PartKept, restore_parts
from tarsy_llm.google.request import native_of
from tarsy_llm.protocol import LlmRequest
from tarsy_llm.recent_values import RecentValues

FOREIGN_SIGNATURE = b"skip_thought_signature_validator"
"""Documented for calls that Gemini did not make itself: ai.google.dev/gemini-api/docs/thought-signatures, FAQ."""
MOST_CHARACTERS = 32 * 1024 * 1024
"""Limit of the conversations whose contents are kept, together. One that is not kept is made as a whole."""


@dataclass(frozen=True, slots=True)
class MadeContents:
    """Contents of `messages`, and the ids that Gemini gave its calls. `native`: its own tools may go back, too."""

    messages: tuple[ConversationMessage, ...]
    native: bool
    contents: Sequence[types.Content]
    ids: Mapping[str, str | None]
    size: int


class ContentMaker:
    """Keeps the contents of conversations that go on: the SDK's models cost some 50 us a message."""

    def __init__(self, model: str, most_characters: int = MOST_CHARACTERS) -> None:
        self._model = model
        self._kept: RecentValues[str, MadeContents] = RecentValues(most_characters)

    def make(self, request: LlmRequest) -> list[types.Content]:
        """A conversation without an id is not kept."""
        key = request.conversation_id
        before = self._kept.get(key) if key else None
        made = _continue(before, request, self._model)
        if key:
            self._kept.put(key, made, made.size)
        return list(made.contents)


def _continue(before: MadeContents | None, request: LlmRequest, model: str) -> MadeContents:
    messages = request.conversation.messages
    # Parts of its own tools go back only to a model that may use them together with ours: others may refuse them.
    native = bool(native_of(request, model)) and combines(model)
    if before is None or before.native != native or not _begins(messages, before.messages):
        before = MadeContents((), native, (), {}, 0)
    foreign = FOREIGN_SIGNATURE if wants_signatures(model) else None
    ids, contents, new = dict(before.ids), list(before.contents), messages[len(before.messages) :]
    for message in new:
        match message:
            case UserMessage():
                contents.append(types.Content(role="user", parts=[types.Part(text=message.content)]))
            case AssistantMessage():
                kept = tuple(part for part in _kept(message) if native or part.kind != "native")
                ids |= zip((call.id for call in message.tool_calls), _call_ids(kept), strict=True)
                parts = _answer(message, kept, foreign)
                contents += [types.Content(role="model", parts=parts)] if parts else []
            case ToolMessage():
                _add_result(contents, _result(message, ids.get(message.tool_call_id)))
            case _:
                assert_never(message)
    return MadeContents(messages, native, contents, ids, before.size + sum(len(message.content) for message in new))


def _begins(messages: Sequence[ConversationMessage], before: Sequence[ConversationMessage]) -> bool:
    """The very same objects, which nobody changes."""
    return len(before) <= len(messages) and all(map(is_, before, messages))


def _kept(message: AssistantMessage) -> tuple[PartKept, ...]:
    """An answer of another model gets our ids: calls and results must show which belongs to which."""
    kept = restore_parts(message)
    if kept is not None:
        return kept
    calls = (PartKept(kind="call", id=call.id) for call in message.tool_calls)
    return (PartKept(kind="text"), *calls)


def _call_ids(kept: tuple[PartKept, ...]) -> list[str | None]:
    return [part.id for part in kept if part.kind == "call"]


def _answer(message: AssistantMessage, kept: tuple[PartKept, ...], foreign: bytes | None) -> list[types.Part]:
    calls = iter(message.tool_calls)
    parts = [part for kept_part in kept if (part := _part(kept_part, message.content, calls)) is not None]
    if foreign and not any(part.thought_signature for part in parts):
        for part in parts:
            if part.function_call is not None:
                part.thought_signature = foreign
                break
    return parts


def _part(part: PartKept, words: str, calls: Iterator[ToolCall]) -> types.Part | None:
    signature = base64.b64decode(part.signature) if part.signature else None
    match part.kind:
        case "text":
            return types.Part(text=words, thought_signature=signature) if words or signature else None
        case "mark":
            return types.Part(text="", thought_signature=signature)
        case "native":
            return types.Part.model_validate({**(part.native or {}), "thought_signature": signature})
        case "thought":
            return types.Part(text="", thought=True, thought_signature=signature)
        case "call":
            call = next(calls)
            made = types.FunctionCall(id=part.id, name=call.name, args=call.arguments)
            return types.Part(function_call=made, thought_signature=signature)
        case _:
            assert_never(part.kind)


def _result(message: ToolMessage, call_id: str | None) -> types.Part:
    answer = {"error" if message.is_error else "result": message.content}
    response = types.FunctionResponse(id=call_id, name=message.tool_name, response=answer)
    return types.Part(function_response=response)


def _add_result(contents: list[types.Content], result: types.Part) -> None:
    """The results of calls that were made together go into one content. One that is kept stays as it is."""
    last = (contents[-1].parts or []) if contents else []
    if last and last[-1].function_response is not None:
        contents[-1] = types.Content(role="user", parts=[*last, result])
    else:
        contents.append(types.Content(role="user", parts=[result]))
