"""The blocks of an answer of Anthropic's that go back with it: kept as they came, but for what the log holds anyway.

Thoughts are signed and wanted back as they were, in their place among the other blocks. Text and tool calls are in
the message itself, masked; only their places are kept here.
"""

from collections.abc import Iterator
from itertools import accumulate, chain, pairwise
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter, ValidationError

from tarsy_contracts.conversation import AssistantMessage, ToolCall


class OpaqueBlock(BaseModel):
    model_config = ConfigDict(frozen=True)


class Thought(OpaqueBlock):
    type: Literal["thinking"] = "thinking"
    thinking: str
    signature: str


class HiddenThought(OpaqueBlock):
    type: Literal["redacted_thinking"] = "redacted_thinking"
    data: str


class TextPlace(OpaqueBlock):
    type: Literal["text"] = "text"
    length: int


class CallPlace(OpaqueBlock):
    type: Literal["tool_use"] = "tool_use"


type Kept = Annotated[Thought | HiddenThought | TextPlace | CallPlace, Field(discriminator="type")]


class Opaque(OpaqueBlock):
    provider: Literal["anthropic"] = "anthropic"
    blocks: tuple[Kept, ...]


OPAQUE: TypeAdapter[Opaque] = TypeAdapter(Opaque)


def opaque(blocks: tuple[Kept, ...]) -> JsonValue:
    """None without thoughts: then there is nothing to keep in place."""
    if not any(isinstance(block, Thought | HiddenThought) for block in blocks):
        return None
    found: JsonValue = Opaque(blocks=blocks).model_dump(mode="json")
    return found


def restore_blocks(message: AssistantMessage) -> tuple[Kept, ...]:
    """Nothing where another provider gave the answer, or the places do not fit the message."""
    try:
        blocks = OPAQUE.validate_python(message.opaque).blocks
    except ValidationError:
        return ()
    slots = sum(isinstance(block, CallPlace) for block in blocks)
    return blocks if slots == len(message.tool_calls) else ()


def answer_blocks(message: AssistantMessage, kept: tuple[Kept, ...]) -> list[JsonValue]:
    """The answer as it came; without `kept`, its text and its calls."""
    if not kept:
        return [*_text(message.content), *map(_call, message.tool_calls)]
    texts, calls = iter(_texts(message.content, kept)), iter(message.tool_calls)
    return list(chain.from_iterable(_block(block, texts, calls) for block in kept))


def _block(block: Kept, texts: Iterator[str], calls: Iterator[ToolCall]) -> list[JsonValue]:
    match block:
        case TextPlace():
            return _text(next(texts))
        case CallPlace():
            return [_call(next(calls))]
        case Thought() | HiddenThought():
            return [block.model_dump(mode="json")]


def _texts(content: str, kept: tuple[Kept, ...]) -> list[str]:
    """Masking may have changed the length: then all of it stands at the first place, none at the others."""
    lengths = [block.length for block in kept if isinstance(block, TextPlace)]
    if sum(lengths) != len(content):
        return [content] + [""] * len(lengths)
    ends = list(accumulate(lengths, initial=0))
    return [content[start:end] for start, end in pairwise(ends)]


def _text(text: str) -> list[JsonValue]:
    """Anthropic refuses a block of blanks."""
    return [{"type": "text", "text": text}] if text.strip() else []


def _call(call: ToolCall) -> JsonValue:
    return {"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments}
