"""Every type of provider, as its wire looks: for tests of what goes wrong there, whoever is asked."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from unittest.mock import patch

from clouds import on_cloud
from pydantic import JsonValue
from wire import Reply, named_sse, sse

from tarsy_llm.anthropic.adapter import AnthropicLlm
from tarsy_llm.clouds import vertex
from tarsy_llm.clouds.azure import azure_llm
from tarsy_llm.clouds.bedrock import bedrock_llm
from tarsy_llm.credentials.cache import CredentialCache, Lease
from tarsy_llm.google.adapter import GoogleLlm
from tarsy_llm.model_settings import ModelSettings
from tarsy_llm.openai.adapter import XAI, OpenAiLlm, house_server
from tarsy_llm.protocol import Llm
from tarsy_testing.servers.event_stream import claude_frame, event, exception, prelude

PIECE = "pod " * 25
SERVER = "the model server 127.0.0.1"


def openai(delta: JsonValue) -> JsonValue:
    return {"choices": [{"delta": delta}]}


def anthropic(**delta: JsonValue) -> JsonValue:
    return {"type": "content_block_delta", "index": 0, "delta": delta}


def google(part: JsonValue) -> JsonValue:
    return {"candidates": [{"content": {"role": "model", "parts": [part]}}]}


def converse(delta: JsonValue) -> JsonValue:
    return {"contentBlockIndex": 0, "delta": delta}


def in_an_event(value: JsonValue) -> bytes:
    return b"".join(sse(value))


def in_a_converse_frame(delta: JsonValue) -> bytes:
    return event("contentBlockDelta", delta)


type Noise = tuple[tuple[str, bytes, bytes], ...]
"""Bytes without a word of an answer: their name, what comes first, and what follows without an end."""
NOISE_OF_EVENTS: Noise = (
    ("comments", b"", b": still here\n\n"),
    ("unknown events", b"", in_an_event({"type": "from the future"})),
    ("empty lines", b"", b"\n"),
    ("lines of one event", b"", b'data: {"a":\n'),
    ("one line", b"data: ", b"x" * 1_000),
)
NOISE_OF_FRAMES: Noise = (
    ("unknown frames", b"", event("fromTheFuture", {"a": 1})),
    ("pings", b"", claude_frame({"type": "ping"})),
    ("one frame", prelude(15_000_000, 100), b"x" * 1_000),
)


@dataclass(frozen=True, slots=True, repr=False)
class Dialect:
    """`type`: as tarsy.yaml has it. `called`: the provider, in sentences. `key`: how a key is looked for and sent.

    `hello`: the first words of an answer that goes on. `text`, `thought`, `arguments`: a piece of each.
    """

    type: str
    adapter: Callable[[ModelSettings], Llm]
    hello: list[bytes]
    error: Callable[[str], JsonValue]
    text: bytes
    thought: bytes
    arguments: bytes
    called: str = SERVER
    model: str = "a-model"
    path: str = ""
    key: "Key | None" = None
    noise: Noise = NOISE_OF_EVENTS
    broken: Callable[[str], bytes] | None = None

    def refusal(self, status: int, said: str = "it said no", headers: dict[str, str] | None = None) -> Reply:
        return Reply([json.dumps(self.error(said)).encode()], status, "application/json", headers or {})

    def error_in_the_answer(self, said: str) -> bytes:
        return self.broken(said) if self.broken else b"".join(named_sse(("error", self.error(said))))


@dataclass(frozen=True, slots=True)
class Key:
    """`missing`: the sentence without one, where a provider needs it."""

    header: str = "authorization"
    prefix: str = "Bearer "
    missing: str = ""


def on_vertex(settings: ModelSettings) -> Llm:
    """The token is there, as how it is fetched is no part of a dialect."""
    token = settings.api_key.get_secret_value() if settings.api_key else "token"
    tokens = CredentialCache("Google Cloud", lambda: Lease(token))
    with patch.object(vertex, "google_tokens", lambda _: tokens):
        return vertex.vertex_llm(on_cloud(settings, project="shop", location="europe-west1"))


OPENAI = Dialect(
    type="openai",
    adapter=OpenAiLlm,
    hello=sse({"choices": [{"delta": {"content": "Hi"}}]}),
    error=lambda said: {"error": {"message": said, "type": "some_error", "param": None, "code": None}},
    text=in_an_event(openai({"content": PIECE})),
    thought=in_an_event(openai({"reasoning_content": PIECE})),
    arguments=in_an_event(openai({"tool_calls": [{"index": 0, "function": {"name": "a", "arguments": PIECE}}]})),
    path="/v1",
    key=Key(missing="there is no API key for OpenAI: set OPENAI_API_KEY"),
)
BEGUN: JsonValue = {"type": "message_start", "message": {"model": "claude", "usage": {"input_tokens": 1}}}
BLOCK: JsonValue = {"type": "content_block_start", "index": 0, "content_block": {"type": "text"}}
ANTHROPIC = Dialect(
    type="anthropic",
    adapter=AnthropicLlm,
    hello=[in_an_event(one) for one in (BEGUN, BLOCK, anthropic(type="text_delta", text="Hi"))],
    error=lambda said: {"type": "error", "error": {"type": "some_error", "message": said}, "request_id": "req_1"},
    text=in_an_event(anthropic(text=PIECE)),
    thought=in_an_event(anthropic(thinking=PIECE)),
    arguments=in_an_event(anthropic(partial_json=PIECE)),
    key=Key(missing="there is no API key for Anthropic: set ANTHROPIC_API_KEY"),
)
GOOGLE = Dialect(
    type="google",
    adapter=GoogleLlm,
    hello=[in_an_event(google({"text": "Hi"}))],
    error=lambda said: {"error": {"code": 500, "message": said}},
    text=in_an_event(google({"text": PIECE})),
    thought=in_an_event(google({"text": PIECE, "thought": True})),
    arguments=in_an_event(google({"functionCall": {"name": "a", "args": {"b": PIECE}}})),
    called="Gemini",
    broken=lambda said: in_an_event({"error": {"code": 500, "message": said}}),
    key=Key("x-goog-api-key", "", "there is no API key for Gemini: set GOOGLE_API_KEY or GEMINI_API_KEY"),
)
CLAUDE_ON_BEDROCK = replace(
    ANTHROPIC,
    type="bedrock",
    adapter=lambda settings: bedrock_llm(replace(settings, cloud={"region": "eu-west-1"})),
    model="eu.anthropic.claude-sonnet-4-6-v1:0",
    hello=[claude_frame(one) for one in (BEGUN, BLOCK, anthropic(type="text_delta", text="Hi"))],
    error=lambda said: {"message": said},
    text=claude_frame(anthropic(text=PIECE)),
    thought=claude_frame(anthropic(thinking=PIECE)),
    arguments=claude_frame(anthropic(partial_json=PIECE)),
    called="Amazon Bedrock",
    key=Key(),
    noise=NOISE_OF_FRAMES,
    broken=lambda said: exception("modelStreamErrorException", said),
)
DIALECTS: dict[str, Dialect] = {
    "OpenAI": OPENAI,
    "xAI": replace(
        OPENAI,
        type="xai",
        adapter=lambda settings: OpenAiLlm(settings, house_server(settings, XAI)),
        key=Key(missing="there is no API key for xAI: set XAI_API_KEY"),
    ),
    "Azure OpenAI": replace(
        OPENAI, type="azure", adapter=azure_llm, path="", called="Azure OpenAI", key=Key("api-key", "")
    ),
    "Anthropic": ANTHROPIC,
    "Claude on Vertex AI": replace(
        ANTHROPIC, type="vertexai", adapter=on_vertex, model="claude-sonnet-5", called="Claude on Vertex AI", key=None
    ),
    "Claude on Bedrock": CLAUDE_ON_BEDROCK,
    "Nova on Bedrock": replace(
        CLAUDE_ON_BEDROCK,
        model="eu.amazon.nova-2-lite-v1:0",
        hello=[event("messageStart", {"role": "assistant"}), in_a_converse_frame(converse({"text": "Hi"}))],
        text=in_a_converse_frame(converse({"text": PIECE})),
        thought=in_a_converse_frame(converse({"reasoningContent": {"text": PIECE}})),
        arguments=in_a_converse_frame(converse({"toolUse": {"input": PIECE}})),
    ),
    "Gemini": GOOGLE,
    "Gemini on Vertex AI": replace(GOOGLE, type="vertexai", adapter=on_vertex, model="gemini-3-pro-preview", key=None),
}
