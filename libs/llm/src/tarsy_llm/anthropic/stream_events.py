"""Events of a streamed message of Anthropic, as it sends them."""

from pydantic import JsonValue

from tarsy_llm.http.lenient_model import LenientModel


class AnthropicOutputDetails(LenientModel):
    thinking_tokens: int | None = None


class AnthropicServerToolUse(LenientModel):
    web_search_requests: int | None = None


class AnthropicUsage(LenientModel):
    """Totals so far. `input_tokens` leaves out what was read from the cache or written to it."""

    input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    output_tokens: int | None = None
    output_tokens_details: AnthropicOutputDetails | None = None
    server_tool_use: AnthropicServerToolUse | None = None


class MessageStarted(LenientModel):
    model: str | None = None
    usage: AnthropicUsage | None = None


class BlockStarted(LenientModel):
    type: str = ""
    text: str = ""
    thinking: str = ""
    signature: str = ""
    data: str = ""
    name: str = ""
    input: dict[str, JsonValue] | None = None
    id: str = ""
    tool_use_id: str = ""
    content: JsonValue = None
    citations: tuple[dict[str, JsonValue], ...] | None = None


class RefusalDetails(LenientModel):
    category: str | None = None
    explanation: str | None = None


class BlockDelta(LenientModel):
    """Delta of a block, or of the message: then it has the reason of the end."""

    text: str = ""
    thinking: str = ""
    signature: str = ""
    partial_json: str = ""
    citation: dict[str, JsonValue] | None = None
    stop_reason: str | None = None
    stop_details: RefusalDetails | None = None


class WholeMessage(LenientModel):
    model: str | None = None
    content: tuple[BlockStarted, ...] = ()
    stop_reason: str | None = None
    usage: AnthropicUsage | None = None


class StreamEvent(LenientModel):
    type: str = ""
    index: int = 0
    message: MessageStarted | None = None
    content_block: BlockStarted | None = None
    delta: BlockDelta | None = None
    usage: AnthropicUsage | None = None
