"""Streams of messages, as Anthropic writes them."""

from pydantic import JsonValue
from wire import Reply, named_sse

type Said = tuple[str, JsonValue]


def event(kind: str, **fields: JsonValue) -> Said:
    return kind, {"type": kind, **fields}


def start(**usage: JsonValue) -> Said:
    message: JsonValue = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "content": [],
        "model": "claude-opus-5-20260801",
        "stop_reason": None,
        "usage": {"input_tokens": 25, "output_tokens": 1, **usage},
    }
    return event("message_start", message=message)


def block(index: int, kind: str, *deltas: dict[str, JsonValue], **begun: JsonValue) -> list[Said]:
    return [
        event("content_block_start", index=index, content_block={"type": kind, **begun}),
        *(event("content_block_delta", index=index, delta=dict(delta)) for delta in deltas),
        event("content_block_stop", index=index),
    ]


def text(index: int, *pieces: str) -> list[Said]:
    deltas: list[dict[str, JsonValue]] = [{"type": "text_delta", "text": piece} for piece in pieces]
    return block(index, "text", *deltas, text="")


def thought(index: int, signature: str, *pieces: str) -> list[Said]:
    deltas: list[dict[str, JsonValue]] = [{"type": "thinking_delta", "thinking": piece} for piece in pieces]
    signed: dict[str, JsonValue] = {"type": "signature_delta", "signature": signature}
    return block(index, "thinking", *deltas, signed, thinking="", signature="")


def call(index: int, name: str, *pieces: str) -> list[Said]:
    deltas: list[dict[str, JsonValue]] = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
    return block(index, "tool_use", *deltas, id=f"toolu_{index}", name=name, input={})


def stop(reason: str, usage: JsonValue = None, **more: JsonValue) -> list[Said]:
    delta: JsonValue = {"stop_reason": reason, "stop_sequence": None, **more}
    return [event("message_delta", delta=delta, usage=usage or {"output_tokens": 15}), event("message_stop")]


def streamed(*said: Said) -> Reply:
    return Reply(named_sse(*said))


SAID_HI = (start(), *text(0, "Hi"), *stop("end_turn"))
HI = streamed(*SAID_HI)
CALLS = (
    start(),
    *thought(0, "c2lnMQ==", "Which ", "pod?"),
    *text(1, "I look."),
    *block(2, "redacted_thinking", data="aGlkZGVu"),
    *call(3, "kubernetes__pods", "", '{"namespace"', ': "shop"}'),
    *call(4, "kubernetes__pods", '{"namespace": "x"}'),
    *stop("tool_use"),
)
