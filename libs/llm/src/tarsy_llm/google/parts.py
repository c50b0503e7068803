"""Parts of an answer that Gemini wants back: which there were, in order, and their signatures.

No text is kept here: text and arguments are those of the message, which are masked. The parts of Gemini's own tools are
an exception: who records the answer keeps them only where masking changes nothing in them.
"""

from typing import Literal

from pydantic import JsonValue, ValidationError

from tarsy_contracts.conversation import AssistantMessage
from tarsy_contracts.wire.message import Value


class PartKept(Value):
    """text: the words of the message, all of them, at most once. mark: a part without words. call: the next call.
    native: a part of a tool of Gemini's own, whole.

    `signature` is base64; `id` is what Gemini called the call, if it did.
    """

    kind: Literal["text", "thought", "mark", "call", "native"]
    signature: str | None = None
    id: str | None = None
    native: dict[str, JsonValue] | None = None


class PartsKept(Value):
    provider: Literal["google"] = "google"
    parts: tuple[PartKept, ...]


def opaque_of(parts: tuple[PartKept, ...]) -> JsonValue:
    """None when the message says it all."""
    if all(part.kind == "text" and part.signature is None for part in parts):
        return None
    kept: JsonValue = PartsKept(parts=parts).model_dump(mode="json", exclude_none=True)
    return kept


def restore_parts(message: AssistantMessage) -> tuple[PartKept, ...] | None:
    """None for an answer of another model, and for one whose calls are not those that were kept."""
    try:
        kept = PartsKept.model_validate(message.opaque)
    except ValidationError:
        return None
    calls = sum(part.kind == "call" for part in kept.parts)
    return kept.parts if calls == len(message.tool_calls) else None
