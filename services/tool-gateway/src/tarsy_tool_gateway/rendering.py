"""What a tool answered, as text."""

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


def text_of(result: CallToolResult) -> str:
    """Text as it is; what is no text is described in one line. Structured content only where there is nothing else."""
    if not result.content and result.structured_content is not None:
        return json.dumps(result.structured_content, ensure_ascii=False)
    return "\n".join(_block(block) for block in result.content)


def _block(block: ContentBlock) -> str:
    match block:
        case TextContent():
            return block.text
        case ImageContent() | AudioContent():
            return f"[{block.type}: {_line(block.mime_type)}, {_decoded_size(block.data)} bytes, not shown]"
        case ResourceLink():
            return f"[link to a resource: {_line(block.name)}, {_line(str(block.uri))}]"
        case EmbeddedResource():
            return _resource(block.resource)
        case _:
            assert_never(block)


def _resource(resource: TextResourceContents | BlobResourceContents) -> str:
    uri = _line(str(resource.uri))
    if isinstance(resource, TextResourceContents):
        return f"[resource: {uri}]\n{resource.text}"
    return f"[resource: {uri}, {_decoded_size(resource.blob)} bytes, not shown]"


def _decoded_size(base64: str) -> int:
    return len(base64) * 3 // 4


def _line(text: str) -> str:
    return " ".join(text.split())[:500]
