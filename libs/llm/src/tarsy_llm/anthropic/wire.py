"""Request body of Anthropic's messages."""

from itertools import groupby
from typing import Literal

from pydantic import JsonValue

from tarsy_contracts.conversation import (
    AssistantMessage,
    Conversation,
    ConversationMessage,
    ToolMessage,
    UserMessage,
)
from tarsy_llm.anthropic.blocks import HiddenThought, Kept, Thought, answer_blocks, restore_blocks
from tarsy_llm.anthropic.thinking import decides_itself, disable_thinking, enable_thinking
from tarsy_llm.anthropic.tools import CACHED, concludes, mark_for_cache, tools_of
from tarsy_llm.model_settings import ModelSettings
from tarsy_llm.protocol import LlmRequest

MAX_TOKENS = 32_000
"""Anthropic wants a limit, for thoughts and answer together. Every Claude since 4 can do so much."""

type Thoughts = Literal["kept", "left out"]


def request_body(settings: ModelSettings, request: LlmRequest, thoughts: Thoughts) -> dict[str, JsonValue]:
    """`thoughts`: whether those of earlier answers go back."""
    conversation = request.conversation
    max_tokens = output_limit(settings, request)
    if concludes(request):
        # Newer models bind their thoughts to the tools that were there, and refuse them without.
        thoughts = "left out"
    thinking = _thinking(settings, conversation, max_tokens, thoughts)
    if thinking.get("thinking") == {"type": "disabled"}:
        thoughts = "left out"
    turns = _turns(conversation, thoughts)
    _mark(turns, _newest_marks(request))
    body: dict[str, JsonValue] = {
        "model": settings.model,
        "max_tokens": max_tokens,
        "stream": True,
        **thinking,
        **tools_of(request),
    }
    if conversation.system.strip():
        body["system"] = [{"type": "text", "text": conversation.system, "cache_control": CACHED}]
    return {**body, "messages": [{"role": role, "content": list(blocks)} for role, blocks in turns]}


def continue_body(body: dict[str, JsonValue], blocks: list[JsonValue]) -> dict[str, JsonValue]:
    """The request again, with what the paused answer had until then."""
    messages = body["messages"]
    so_far: JsonValue = {"role": "assistant", "content": blocks}
    return {**body, "messages": [*(messages if isinstance(messages, list) else []), so_far]}


def output_limit(settings: ModelSettings, request: LlmRequest) -> int:
    return settings.output_limit(request.answer_tokens) or MAX_TOKENS


def _thinking(
    settings: ModelSettings, conversation: Conversation, max_tokens: int, thoughts: Thoughts
) -> dict[str, JsonValue]:
    if settings.thinking == "off":
        return disable_thinking(settings.model)
    on = enable_thinking(settings, max_tokens)
    if on and not decides_itself(settings.model) and not _may_think(conversation, thoughts):
        return {"thinking": {"type": "disabled"}}
    return on


def _may_think(conversation: Conversation, thoughts: Thoughts) -> bool:
    """Models with a budget refuse to think in the middle of a turn that did not begin with a thought of theirs.

    A turn begins with what a person says (not with results of tools) and goes on until the model calls no tools.
    """
    answers: list[AssistantMessage] = []
    before: ConversationMessage | None = None
    for message in conversation.messages:
        if isinstance(message, UserMessage) and not isinstance(before, ToolMessage):
            answers = []
        if isinstance(message, AssistantMessage):
            answers.append(message)
        before = message
    if not answers:
        return True
    first = restore_blocks(answers[0])
    return thoughts == "kept" and bool(first) and isinstance(first[0], Thought | HiddenThought)


def _turns(conversation: Conversation, thoughts: Thoughts) -> list[tuple[str, list[JsonValue]]]:
    """Neighbours of the same role become one message, as Anthropic wants; the results of one answer must."""
    turns = [(_role(message), _blocks(message, thoughts)) for message in conversation.messages]
    return [
        (role, [block for _, blocks in group for block in blocks])
        for role, group in groupby([turn for turn in turns if turn[1]], key=lambda turn: turn[0])
    ]


def _newest_marks(request: LlmRequest) -> slice:
    """The user's messages to mark. With those of tools and system they are four, which is the most.

    The part that was cached the last time is read from there; the part since then is cached for the next time. A
    conversation that ends here is only read: writing costs a quarter more. Other rules for tools end what was cached
    of messages, so that there is nothing to read then.
    """
    if not request.is_last:
        return slice(-2, None)
    return slice(0, 0) if request.tools else slice(-2, -1)


def _mark(turns: list[tuple[str, list[JsonValue]]], wanted: slice) -> None:
    requests = [blocks for role, blocks in turns if role == "user"]
    for blocks in requests[wanted]:
        blocks[-1] = mark_for_cache(blocks[-1])


def _role(message: ConversationMessage) -> str:
    return "assistant" if isinstance(message, AssistantMessage) else "user"


def _blocks(message: ConversationMessage, thoughts: Thoughts) -> list[JsonValue]:
    match message:
        case UserMessage():
            return [{"type": "text", "text": message.content}] if message.content.strip() else []
        case AssistantMessage():
            return _answer(message, restore_blocks(message) if thoughts == "kept" else ())
        case ToolMessage():
            result: dict[str, JsonValue] = {"type": "tool_result", "tool_use_id": message.tool_call_id}
            if message.content:
                result["content"] = message.content
            if message.is_error:
                result["is_error"] = True
            return [result]


def _answer(message: AssistantMessage, kept: tuple[Kept, ...]) -> list[JsonValue]:
    """Thoughts alone are no answer: such a message is left out."""
    if not message.content.strip() and not message.tool_calls:
        return []
    return answer_blocks(message, kept)
