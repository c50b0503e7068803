import pytest
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

from tarsy_tool_gateway.rendering import text_of


@pytest.mark.parametrize(
    ("block", "text"),
    [
        (ImageContent(type="image", data="QUJD", mime_type="image/png"), "[image: image/png, 3 bytes, not shown]"),
        (AudioContent(type="audio", data="QUJD", mime_type="audio/wav"), "[audio: audio/wav, 3 bytes, not shown]"),
        (
            ResourceLink(type="resource_link", name="a\nb", uri="file:///a"),
            "[link to a resource: a b, file:///a]",
        ),
        (
            EmbeddedResource(type="resource", resource=TextResourceContents(uri="file:///a", text="inside")),
            "[resource: file:///a]\ninside",
        ),
        (
            EmbeddedResource(type="resource", resource=BlobResourceContents(uri="file:///a", blob="QUJD")),
            "[resource: file:///a, 3 bytes, not shown]",
        ),
    ],
)
def test_what_is_no_text_is_described_in_a_line(block: ContentBlock, text: str) -> None:
    assert text_of(CallToolResult(content=[block])) == text


def test_texts_are_joined_by_lines() -> None:
    texts: list[ContentBlock] = [TextContent(type="text", text="one"), TextContent(type="text", text="two")]
    assert text_of(CallToolResult(content=texts, structured_content={"not": "needed"})) == "one\ntwo"


def test_an_empty_result_is_empty() -> None:
    assert text_of(CallToolResult(content=[])) == ""


def test_structured_content_stands_in_where_there_is_no_other() -> None:
    assert text_of(CallToolResult(content=[], structured_content={"é": 1})) == '{"é": 1}'
