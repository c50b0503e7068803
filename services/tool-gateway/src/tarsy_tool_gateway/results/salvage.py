"""Salvage of a tool's result that the protocol does not allow: what is wrong with a part of it costs that part. Pure.

The SDK reads a result as a whole, so that one wrong block would cost all that the tool found.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from mcp_types import ContentBlock
from pydantic import TypeAdapter, ValidationError

from tarsy_tool_gateway.results.structured_copy import is_copy

BLOCK: TypeAdapter[ContentBlock] = TypeAdapter(ContentBlock)
OF_THE_PROTOCOL = frozenset({"content", "structuredContent", "isError", "resultType", "_meta"})
WITHOUT_DATA = frozenset({"data", "blob"})
"""Fields of a block that no model could read."""
ASKS = "inputRequests"
"""A result that has it is none yet: the server asks something back."""

type Result = dict[str, Any]


def salvage_result(result: Mapping[str, Any]) -> Result:
    """The result as the protocol has it, in any version. A part that cannot be a block of content becomes text."""
    if ASKS in result:
        return dict(result)
    within = result.get("toolResult")
    if "content" not in result and isinstance(within, dict) and "content" in within:
        # The shape of the protocol's first version.
        return salvage_result(within)
    content = list(_salvage_blocks(result.get("content")))
    salvaged: Result = {"resultType": "complete", **{name: result[name] for name in result if name in OF_THE_PROTOCOL}}
    structured = salvaged.pop("structuredContent", None)
    if isinstance(structured, dict):
        salvaged["structuredContent"] = structured
    elif structured is not None and not is_copy(structured, list(_texts_of_blocks(content))):
        content.append(_text_block(to_json_text(structured)))
    unknown = {name: value for name, value in result.items() if name not in OF_THE_PROTOCOL}
    if unknown and not content and structured is None:
        content.append(_text_block(to_json_text(unknown)))
    salvaged["content"] = content
    salvaged["isError"] = _is_true(result.get("isError"))
    if not isinstance(salvaged.get("_meta", {}), dict):
        del salvaged["_meta"]
    return salvaged


def to_json_text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _is_true(value: object) -> bool:
    return value is True or (isinstance(value, str) and value.lower() == "true")


def _salvage_blocks(content: object) -> Iterator[Result]:
    match content:
        case None:
            return
        case list():
            for each in content:
                yield from _salvage_blocks(each) if isinstance(each, list) else (_salvage_block(each),)
        case _:
            yield _salvage_block(content)


def _salvage_block(block: object) -> Result:
    match block:
        case {"type": "text", "text": str() as text, **more} if not more:
            return _text_block(text)
        case str():
            return _text_block(block)
        case dict():
            return block if _is_sound(block) else _text_block(_describe_block(block))
        case _:
            return _text_block(to_json_text(block))


def _is_sound(block: Result) -> bool:
    try:
        BLOCK.validate_python(block, by_name=False)
    except ValidationError:
        return False
    return True


def _describe_block(block: Result) -> str:
    kind = block.get("type", "text")
    match block.get("text"):
        case str() as text if kind == "text":
            return text
        case text if kind == "text" and text is not None:
            return to_json_text(text)
    shown = {name: value for name, value in block.items() if name not in WITHOUT_DATA | {"type"}}
    return f"[{kind}, which is no content of the protocol: {to_json_text(shown)}]"


def _texts_of_blocks(content: list[Result]) -> Iterator[str]:
    return (block["text"] for block in content if block.get("type") == "text")


def _text_block(text: str) -> Result:
    return {"type": "text", "text": text}
