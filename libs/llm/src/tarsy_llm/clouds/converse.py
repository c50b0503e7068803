"""Converse of Bedrock: requests are translated from Anthropic's messages, and answers back to them.

docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html
"""

from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from tarsy_llm.http.endpoint import Body
from tarsy_llm.model_settings import ModelSettings

CACHE_POINT: JsonValue = {"cachePoint": {"type": "default"}}
CACHING = "amazon.nova"
"""Models that take cache points, but none behind tools. Others refuse the request; Claude is not asked by Converse."""
STOP_REASONS: Mapping[str, str] = {
    "guardrail_intervened": "refusal",
    "content_filtered": "refusal",
}
MALFORMED = ("malformed_model_output", "malformed_tool_use")


def to_converse(settings: ModelSettings, body: Body) -> Body:
    """From a body of Anthropic's messages. The limit of output is that of the configuration, else the model's own."""
    caches = CACHING in settings.model
    found: dict[str, JsonValue] = {"messages": [_message(one, caches) for one in _objects(body.get("messages"))]}
    if system := body.get("system"):
        found["system"] = list(_blocks(system, caches))
    if tools := _objects(body.get("tools")):
        found["toolConfig"] = {"tools": [_tool(tool) for tool in tools]}
    if settings.max_output_tokens is not None:
        found["inferenceConfig"] = {"maxTokens": body.get("max_tokens")}
    if more := _thinking(settings):
        found["additionalModelRequestFields"] = more
    return found


def _thinking(settings: ModelSettings) -> dict[str, JsonValue]:
    """Some models can be told. Nova thinks only when it is told."""
    effort = settings.thinking
    if effort is None or effort == "off":
        return {}
    if "amazon.nova-2" in settings.model:
        return {"reasoningConfig": {"type": "enabled", "maxReasoningEffort": effort}}
    return {"reasoning_effort": effort} if "openai.gpt-oss" in settings.model else {}


def _message(message: Mapping[str, JsonValue], caches: bool) -> JsonValue:
    return {"role": message.get("role"), "content": list(_blocks(message.get("content"), caches))}


def _blocks(blocks: JsonValue, caches: bool) -> Iterator[JsonValue]:
    for block in _objects(blocks):
        if (made := _block(block)) is not None:
            yield made
        if caches and "cache_control" in block:
            yield CACHE_POINT


def _block(block: Mapping[str, JsonValue]) -> JsonValue:
    match block:
        case {"type": "text", "text": text}:
            return {"text": text}
        case {"type": "thinking", "thinking": text, "signature": str(signature)} if signature:
            return {"reasoningContent": {"reasoningText": {"text": text, "signature": signature}}}
        case {"type": "redacted_thinking", "data": data}:
            return {"reasoningContent": {"redactedContent": data}}
        case {"type": "tool_use", "id": id, "name": name, "input": arguments}:
            return {"toolUse": {"toolUseId": id, "name": name, "input": arguments}}
        case {"type": "tool_result", "tool_use_id": id}:
            status = "error" if block.get("is_error") else "success"
            # Converse refuses a result without content.
            content: JsonValue = [{"text": block.get("content") or "(nothing)"}]
            return {"toolResult": {"toolUseId": id, "content": content, "status": status}}
        case _:
            # Thoughts without a signature are wanted back by nobody.
            return None


def _tool(tool: Mapping[str, JsonValue]) -> JsonValue:
    name = tool.get("name")
    schema: JsonValue = {"json": tool.get("input_schema")}
    return {"toolSpec": {"name": name, "description": tool.get("description") or name, "inputSchema": schema}}


def _objects(value: JsonValue) -> list[Mapping[str, JsonValue]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def to_anthropic_event(kind: str, content: JsonValue) -> JsonValue:
    """From a frame of ConverseStream. None for one that has no event; Anthropic's end comes with the usage."""
    if not isinstance(content, dict):
        return None
    index = content.get("contentBlockIndex") or 0
    match kind, content:
        case "messageStart", _:
            return {"type": "message_start", "message": {}}
        case "contentBlockStart", {"start": {"toolUse": {"name": name}}}:
            return {"type": "content_block_start", "index": index, "content_block": {"type": "tool_use", "name": name}}
        case "contentBlockDelta", {"delta": dict(delta)}:
            return _delta(index, delta)
        case "messageStop", {"stopReason": str(reason)} if reason in MALFORMED:
            error: JsonValue = {"type": "api_error", "message": f"the model made an invalid tool call ({reason})"}
            return {"type": "error", "error": error}
        case "messageStop", {"stopReason": str(reason)}:
            return {"type": "message_delta", "delta": {"stop_reason": STOP_REASONS.get(reason, reason)}}
        case "metadata", _:
            return {"type": "message_delta", "usage": _usage(content.get("usage"))}
        case _:
            return None


def _delta(index: JsonValue, delta: Mapping[str, JsonValue]) -> JsonValue:
    """The first piece of a text or a thought begins its block: Converse announces only calls."""
    match delta:
        case {"text": str(text)}:
            piece: JsonValue = {"text": text}
        case {"toolUse": {"input": str(arguments)}}:
            piece = {"partial_json": arguments}
        case {"reasoningContent": {"text": str(text)}}:
            piece = {"thinking": text}
        case {"reasoningContent": {"signature": str(signature)}}:
            piece = {"signature": signature}
        case {"reasoningContent": {"redactedContent": str(data)}}:
            return {
                "type": "content_block_start",
                "index": index,
                "content_block": {"type": "redacted_thinking", "data": data},
            }
        case _:
            return None
    return {"type": "content_block_delta", "index": index, "delta": piece}


def _usage(usage: JsonValue) -> JsonValue:
    counted = usage if isinstance(usage, dict) else {}
    return {
        "input_tokens": counted.get("inputTokens"),
        "output_tokens": counted.get("outputTokens"),
        "cache_read_input_tokens": counted.get("cacheReadInputTokens"),
        "cache_creation_input_tokens": counted.get("cacheWriteInputTokens"),
    }
