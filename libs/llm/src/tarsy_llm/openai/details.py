"""Parts of a chat completion beside its plain text: content as a list, and fields that their server wants back."""

import json
from collections.abc import Iterator, Mapping, Sequence

from pydantic import JsonValue

from tarsy_contracts.thoughts import Part
from tarsy_llm.openai.calls import MOST_EXTRA_BYTES
from tarsy_llm.openai.messages import PROVIDER

WANTED_BACK = ("reasoning_details", "extra_content", "provider_specific_fields", "thinking_blocks", "thought_signature")
"""OpenRouter · Gemini · LiteLLM · LiteLLM · gateways before Gemini. Other fields of a message are for its reader."""
TEXTS = ("text", "thinking", "summary", "signature", "data")
"""Fields of a detail that come in pieces."""


def content_parts(content: str | list[JsonValue] | None) -> Iterator[tuple[Part, str]]:
    """Mistral sends thoughts and text as parts of one list."""
    match content:
        case str():
            if content:
                yield "text", content
        case list():
            for one in content:
                yield from _part(one)
        case None:
            return


def _part(one: JsonValue) -> Iterator[tuple[Part, str]]:
    match one:
        case str():
            yield "text", one
        case {"type": "thinking" | "reasoning"} if isinstance(one, dict):
            inner = one.get("thinking") or one.get("reasoning") or one.get("text")
            texts = [inner] if isinstance(inner, str) else inner if isinstance(inner, list) else []
            for _, piece in (found for part in texts for found in _part(part)):
                yield "thinking", piece
        case {"text": str(text)} if text:
            yield "text", text
        case _:
            return


class MessageDetails:
    def __init__(self) -> None:
        self.found: dict[str, JsonValue] = {}
        self._size = 0

    def take(self, fields: Mapping[str, JsonValue]) -> None:
        for key in WANTED_BACK:
            value = fields.get(key)
            if not value:
                continue
            self._size += len(json.dumps(value))
            if self._size > MOST_EXTRA_BYTES:
                self.found = {}
                return
            before = self.found.get(key)
            self.found[key] = _grown(before, value) if isinstance(before, list) and isinstance(value, list) else value


def _grown(before: list[JsonValue], pieces: list[JsonValue]) -> list[JsonValue]:
    """Pieces of the same detail follow each other."""
    found = list(before)
    for piece in pieces:
        last = found[-1] if found else None
        if isinstance(last, dict) and isinstance(piece, dict) and _continues(last, piece):
            found[-1] = {
                **last,
                **piece,
                **{key: _text(last, key) + _text(piece, key) for key in TEXTS if _text(piece, key)},
            }
        else:
            found.append(piece)
    return found


def _continues(last: dict[str, JsonValue], piece: dict[str, JsonValue]) -> bool:
    return "index" in piece and (last.get("index"), last.get("type")) == (piece["index"], piece.get("type"))


def _text(detail: dict[str, JsonValue], key: str) -> str:
    value = detail.get(key)
    return value if isinstance(value, str) else ""


def opaque_parts(
    field: str, reasoning: str, server: str, extras: Sequence[dict[str, JsonValue]], details: dict[str, JsonValue]
) -> JsonValue:
    """DeepSeek and others want back what their model thought before it called a tool, in the field it came in."""
    found: dict[str, JsonValue] = {field: reasoning} if reasoning else {}
    if any(extras) or details:
        found |= {"server": server, "calls": list[JsonValue](extras), "message": details}
    return {"provider": PROVIDER, **found} if found else None
