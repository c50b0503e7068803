"""Streams of chat completions, as OpenAI and servers like it write them."""

from pydantic import JsonValue
from wire import Reply, sse

USAGE: JsonValue = {
    "prompt_tokens": 1200,
    "completion_tokens": 120,
    "total_tokens": 1320,
    "prompt_tokens_details": {"cached_tokens": 1024, "audio_tokens": 0},
    "completion_tokens_details": {"reasoning_tokens": 90, "audio_tokens": 0},
}


def chunk(delta: JsonValue = None, finish: str | None = None, **more: JsonValue) -> JsonValue:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1795000000,
        "model": "gpt-5.2-2026-01-01",
        "choices": [{"index": 0, "delta": delta or {}, "logprobs": None, "finish_reason": finish}],
        **more,
    }


def call(index: int | None, arguments: str, name: str | None = None, call_id: str | None = None) -> JsonValue:
    piece: dict[str, JsonValue] = {"function": {"arguments": arguments, **({"name": name} if name else {})}}
    if index is not None:
        piece["index"] = index
    if call_id is not None:
        piece |= {"id": call_id, "type": "function"}
    return {"tool_calls": [piece]}


def usage_at_the_end() -> JsonValue:
    return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": [], "usage": USAGE}


def streamed(*chunks: JsonValue, done: bool = True) -> Reply:
    return Reply(sse(*chunks, done=done))


HI = streamed(chunk({"role": "assistant", "content": "Hi"}), chunk(finish="stop"))
