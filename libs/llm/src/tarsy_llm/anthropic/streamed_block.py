"""A block of an answer of Anthropic's while it comes, piece by piece."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from pydantic import JsonValue

from tarsy_contracts.native_calls import TextCitation, WebSource, key_of
from tarsy_llm.anthropic.blocks import CallPlace, HiddenThought, Kept, TextPlace, Thought


@dataclass(slots=True)
class StreamedBlock:
    """Text comes in pieces."""

    type: str
    data: str = ""
    name: str = ""
    text: list[str] = field(default_factory=list)
    thinking: list[str] = field(default_factory=list)
    signature: list[str] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)
    id: str = ""
    content: JsonValue = None
    citations: list[WebSource] = field(default_factory=list)

    @property
    def input(self) -> JsonValue:
        try:
            found: JsonValue = json.loads("".join(self.arguments) or "{}")
        except ValueError:
            return {}
        return found

    def to_raw(self) -> JsonValue:
        """The block as it came, for the continuation of a paused answer; None for one that cannot go back."""
        match self.type:
            case "thinking" | "redacted_thinking" if (kept := self.to_kept()) is not None:
                return kept.model_dump(mode="json")
            case "text":
                text = "".join(self.text)
                return {"type": "text", "text": text} if text.strip() else None
            case "server_tool_use" | "tool_use":
                return {"type": self.type, "id": self.id, "name": self.name, "input": self.input}
            case "web_search_tool_result":
                return {"type": self.type, "tool_use_id": self.id, "content": self.content}
            case _:
                return None

    def to_kept(self) -> Kept | None:
        match self.type:
            case "thinking":
                return Thought(thinking="".join(self.thinking), signature="".join(self.signature))
            case "redacted_thinking":
                return HiddenThought(data=self.data)
            case "text":
                return TextPlace(length=sum(map(len, self.text)))
            case "tool_use":
                return CallPlace()
            case _:
                return None


def list_citations(blocks: Iterable[StreamedBlock]) -> Iterator[TextCitation]:
    """A block of text is what rests on its citations: they stand at its end."""
    at = 0
    for block in blocks:
        at += sum(map(len, block.text))
        if block.citations:
            yield TextCitation(at=at, sources=tuple(key_of(source) for source in block.citations))
