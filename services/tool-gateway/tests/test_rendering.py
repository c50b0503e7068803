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

from tarsy_tool_gateway.results.rendering import NOTHING, NOTHING_BUT_FAILURE, render_result, takes_long


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
    assert render_result(CallToolResult(content=[block])) == text


def test_texts_are_joined_by_lines() -> None:
    texts: list[ContentBlock] = [TextContent(type="text", text="one"), TextContent(type="text", text="two")]
    assert render_result(CallToolResult(content=texts, structured_content={"result": ["one", "two"]})) == "one\ntwo"


@pytest.mark.parametrize("texts", [[], [""], [" ", "\n"]])
def test_a_result_of_nothing_says_so(texts: list[str]) -> None:
    content: list[ContentBlock] = [TextContent(type="text", text=text) for text in texts]
    assert render_result(CallToolResult(content=content)) == NOTHING
    assert render_result(CallToolResult(content=content, is_error=True)) == NOTHING_BUT_FAILURE


def test_structured_content_stands_in_where_there_is_no_other() -> None:
    assert render_result(CallToolResult(content=[], structured_content={"é": 1})) == '{"é": 1}'


@pytest.mark.parametrize(("text", "shown"), [("", '{"a": 1}'), ('{"a":1}', '{"a":1}'), ("one", 'one\n{"a": 1}')])
def test_structured_content_is_shown_once_and_beside_another_text(text: str, shown: str) -> None:
    content: list[ContentBlock] = [TextContent(type="text", text=text)]
    assert render_result(CallToolResult(content=content, structured_content={"a": 1})) == shown


def test_a_picture_hides_no_structured_content() -> None:
    picture: list[ContentBlock] = [ImageContent(type="image", data="QQ==", mime_type="image/png")]
    text = render_result(CallToolResult(content=picture, structured_content={"a": 1}))
    assert text == '[image: image/png, 1 bytes, not shown]\n{"a": 1}'


def test_an_address_too_long_for_its_line_is_left_out_whole() -> None:
    link = ResourceLink(type="resource_link", name="a", uri=f"https://a.example/?token={'x' * 600}")
    assert render_result(CallToolResult(content=[link])) == "[link to a resource: a, …]"


@pytest.mark.parametrize(
    ("text", "structured", "long"),
    [
        ("a" * 200_000, None, False),
        ("a", {"a": [1, True, None, "b"]}, False),
        ("a" * 200_000, {"a": 1}, True),
        ("a", {"a": ["b" * 200_000]}, True),
        ("a", {"a": [[0] * 200_000]}, True),
        ("a", {"a" * 200_000: 0}, True),
    ],
)
def test_only_a_large_structured_content_is_compared_in_a_thread(
    text: str, structured: dict[str, object] | None, long: bool
) -> None:
    content = [TextContent(type="text", text=text)]
    assert takes_long(CallToolResult(content=content, structured_content=structured)) is long
