"""Gemini for tests: chunks as `streamGenerateContent?alt=sse` sends them, and a model that asks our server."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from pydantic import JsonValue, SecretStr
from wire import ProviderServer, Reply, sse

from tarsy_contracts.conversation import Conversation, ConversationMessage, ToolDefinition, UserMessage
from tarsy_llm.google.adapter import GoogleLlm
from tarsy_llm.model_settings import ModelSettings, Thinking
from tarsy_llm.protocol import Answer, Delta, Llm, LlmRequest

KEY = "AIza-planted-key"
MODEL = "gemini-3-pro-preview"
LOGS = ToolDefinition(
    name="kubernetes__logs",
    description="Logs of a pod.",
    input_schema={"type": "object", "properties": {"pod": {"type": "string"}}, "required": ["pod"]},
)


def chunk(*parts: JsonValue, finish: str | None = None, **more: JsonValue) -> JsonValue:
    candidate: dict[str, JsonValue] = {"content": {"parts": list(parts), "role": "model"}, "index": 0}
    if finish is not None:
        candidate["finishReason"] = finish
    return {"candidates": [candidate], "modelVersion": "gemini-3-pro-0417", "responseId": "r-1", **more}


def text(words: str, signature: str | None = None) -> JsonValue:
    return _signed({"text": words}, signature)


def thought(words: str, signature: str | None = None) -> JsonValue:
    return _signed({"text": words, "thought": True}, signature)


def call(name: str, arguments: JsonValue, signature: str | None = None, call_id: str | None = None) -> JsonValue:
    asked: dict[str, JsonValue] = {"name": name, "args": arguments}
    if call_id is not None:
        asked["id"] = call_id
    return _signed({"functionCall": asked}, signature)


def streamed(*chunks: JsonValue) -> Reply:
    return Reply(sse(*chunks))


def failed(status: int, said: str, *details: JsonValue, **headers: str) -> Reply:
    error: JsonValue = {"code": status, "message": said, "status": "SOME_STATUS", "details": list(details)}
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(body({"error": error}), status, "application/json; charset=UTF-8", sent)


def body(value: JsonValue) -> Sequence[bytes]:
    return [step.removeprefix(b"data: ").strip() for step in sse(value)]


def request(*messages: ConversationMessage, tools: tuple[ToolDefinition, ...] = (LOGS,)) -> LlmRequest:
    said = messages or (UserMessage(content="Why does the pod crash?"),)
    return LlmRequest(agent="A", iteration=1, conversation=Conversation(system="Be brief.", messages=said), tools=tools)


def gemini(
    url: str | None, *, model: str = MODEL, key: str | None = KEY, thinking: Thinking | None = None
) -> GoogleLlm:
    secret = SecretStr(key) if key is not None else None
    return GoogleLlm(ModelSettings(model=model, api_key=secret, base_url=url, thinking=thinking))


@asynccontextmanager
async def asked(*replies: Reply, model: str = MODEL) -> AsyncIterator[tuple[GoogleLlm, ProviderServer]]:
    async with ProviderServer(replies).running() as server:
        llm = gemini(server.url, model=model)
        try:
            yield llm, server
        finally:
            await llm.aclose()


async def parts_of(llm: Llm, to: LlmRequest) -> tuple[list[Delta], Answer]:
    *deltas, last = [part async for part in llm.stream(to)]
    assert isinstance(last, Answer)
    return [delta for delta in deltas if isinstance(delta, Delta)], last


async def answer_of(llm: Llm, to: LlmRequest) -> Answer:
    return (await parts_of(llm, to))[1]


def _signed(part: dict[str, JsonValue], signature: str | None) -> JsonValue:
    return part if signature is None else {**part, "thoughtSignature": signature}
