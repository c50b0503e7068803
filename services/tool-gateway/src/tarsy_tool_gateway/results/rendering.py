"""Rendering of a tool's answer as text."""

import json
from typing import assert_never

from mcp_types import (
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
)

from tarsy_tool_gateway.results.structured_copy import is_copy, is_long
from tarsy_tool_gateway.results.text import truncate_at_space

NOTHING = "The tool ran, and returned nothing."
NOTHING_BUT_FAILURE = "The tool failed, and did not say why."
MOST_OF_A_LINE = 500


def takes_long(result: CallToolResult) -> bool:
    """Whether `render_result` belongs into a thread: a large structured content is compared with the texts."""
    structured = result.structured_content
    return structured is not None and is_long(structured, *map(_plain_text, result.content))


def render_result(result: CallToolResult) -> str:
    """Text as it is; what is no text is described in one line; a sentence where there is nothing at all.

    Structured content is left out where the text says the same: servers send it as text as well, for older readers.
    """
    parts = [part for part in map(_render_block, result.content) if part]
    structured = result.structured_content
    if structured is not None and not is_copy(structured, [_plain_text(block) for block in result.content]):
        parts.append(json.dumps(structured, ensure_ascii=False))
    text = "\n".join(parts)
    if text and not text.isspace():
        return text
    return NOTHING_BUT_FAILURE if result.is_error else NOTHING


def _plain_text(block: ContentBlock) -> str:
    match block:
        case TextContent():
            return block.text
        case EmbeddedResource(resource=TextResourceContents() as resource):
            return resource.text
        case _:
            return ""


def _render_block(block: ContentBlock) -> str:
    match block:
        case TextContent():
            return block.text
        case ImageContent() | AudioContent():
            return f"[{block.type}: {_to_one_line(block.mime_type)}, {_decoded_size(block.data)} bytes, not shown]"
        case ResourceLink():
            return f"[link to a resource: {_to_one_line(block.name)}, {_to_one_line(str(block.uri))}]"
        case EmbeddedResource():
            return _render_resource(block.resource)
        case _:
            assert_never(block)


def _render_resource(resource: TextResourceContents | BlobResourceContents) -> str:
    uri = _to_one_line(str(resource.uri))
    if isinstance(resource, TextResourceContents):
        return f"[resource: {uri}]\n{resource.text}"
    return f"[resource: {uri}, {_decoded_size(resource.blob)} bytes, not shown]"


def _decoded_size(base64: str) -> int:
    return len(base64) * 3 // 4 - base64[-2:].count("=")


def _to_one_line(text: str) -> str:
    return truncate_at_space(" ".join(text.split()), MOST_OF_A_LINE)
