"""Asking an `Llm`, and what is asked: for the tests of every adapter that goes through `ModelSettings`."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from pydantic import SecretStr
from wire import ProviderServer, Scripted

from tarsy_contracts.conversation import (
    AssistantMessage,
    Conversation,
    ConversationMessage,
    ToolCall,
    ToolDefinition,
    ToolMessage,
    UserMessage,
)
from tarsy_llm.model_settings import ModelSettings, Thinking
from tarsy_llm.protocol import Answer, Delta, Llm, LlmCallError, LlmRequest

KEY = "sk-planted-8f3a"
PODS = ToolDefinition(
    name="kubernetes__pods",
    description="Lists pods.",
    input_schema={"type": "object", "properties": {"namespace": {"type": "string"}}},
)
GOOGLES = {"provider": "google", "parts": [{"kind": "call", "signature": "c2ln"}]}


@asynccontextmanager
async def asked[L: Llm](
    adapter: Callable[[ModelSettings], L],
    *replies: Scripted,
    model: str = "a-model",
    path: str = "",
    thinking: Thinking | None = None,
    max_output_tokens: int | None = None,
    api_key: str | None = KEY,
) -> AsyncIterator[tuple[L, ProviderServer]]:
    async with ProviderServer(replies).running() as server:
        llm = adapter(
            ModelSettings(
                model=model,
                api_key=SecretStr(api_key) if api_key is not None else None,
                base_url=server.url + path,
                thinking=thinking,
                max_output_tokens=max_output_tokens,
            )
        )
        try:
            yield llm, server
        finally:
            await llm.aclose()


def request(*messages: ConversationMessage, tools: tuple[ToolDefinition, ...] = (PODS,)) -> LlmRequest:
    said = messages or (UserMessage(content="Why does the pod crash?"),)
    return LlmRequest(
        agent="KubernetesAgent",
        iteration=1,
        conversation=Conversation(system="Be brief.", messages=said),
        tools=tools,
    )


def two_calls(answer: Answer) -> AssistantMessage:
    """As the orchestrator makes a message of an answer: with ids of ours."""
    calls = tuple(
        ToolCall(id=f"call-{index}", name=call.name, arguments=call.arguments)
        for index, call in enumerate(answer.tool_calls, start=1)
    )
    return AssistantMessage(content=answer.text, tool_calls=calls, opaque=answer.opaque)


def through_the_log(message: AssistantMessage) -> AssistantMessage:
    return AssistantMessage.model_validate_json(message.model_dump_json())


RESULTS = (
    ToolMessage(tool_call_id="call-1", tool_name="kubernetes__pods", content="checkout-1 OOMKilled"),
    ToolMessage(tool_call_id="call-2", tool_name="kubernetes__pods", content="no such namespace", is_error=True),
)


async def parts_of(llm: Llm, asking: LlmRequest) -> tuple[list[Delta], Answer]:
    *deltas, answer = [part async for part in llm.stream(asking)]
    assert isinstance(answer, Answer)
    return [delta for delta in deltas if isinstance(delta, Delta)], answer


async def answer_of(llm: Llm, asking: LlmRequest) -> Answer:
    return (await parts_of(llm, asking))[1]


async def failure_of(llm: Llm, asking: LlmRequest) -> LlmCallError:
    with pytest.raises(LlmCallError) as caught:
        await answer_of(llm, asking)
    return caught.value


def words(deltas: list[Delta], part: str) -> str:
    return "".join(delta.text for delta in deltas if delta.part == part)
