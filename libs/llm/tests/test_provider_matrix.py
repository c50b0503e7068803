"""Every provider, whatever it does in the middle of an investigation: it ends with an analysis, whole or partial.

The wires are real sockets, the session is the pure core. The first answer is a call, so that something has been found.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import claude
import gemini
import pytest
from asking import KEY
from clouds import converse, converse_block, converse_call, converse_text
from dialects import DIALECTS
from pydantic import JsonValue, SecretStr
from wire import ProviderServer, Reply, sse

from tarsy_contracts import events as e
from tarsy_contracts.conversation import ToolCall
from tarsy_contracts.messages.inputs import LlmCallReported
from tarsy_contracts.wire.ids import tool_call_id
from tarsy_llm.anthropic.adapter import AnthropicLlm
from tarsy_llm.model_settings import ModelSettings
from tarsy_llm.protocol import Answer, Llm, LlmCallError, LlmRequest
from tarsy_llm.providers import PROVIDER_TYPES
from tarsy_session.conversations.model_request import compose_request
from tarsy_session.state import AtRest
from tarsy_testing.servers.event_stream import EVENT_STREAM, claude_frame, exception
from tarsy_testing.story.story import READ, Story

NAME, FOUND, CAUSE = READ.definition.name, "api-7 was killed: out of memory", "The cause is a leak."
MOST_QUESTIONS = 40

type Situations = dict[str, Reply]


@dataclass(frozen=True, slots=True)
class Provider:
    """`type`: as tarsy.yaml has it."""

    type: str
    adapter: Callable[[ModelSettings], Llm]
    model: str
    call: Reply
    conclusion: Reply
    situations: Situations


def refused(status: int, body: JsonValue) -> Reply:
    return Reply([json.dumps(body).encode()], status, "application/json")


def openai_like(
    context_full: Reply,
    malformed: Reply,
    refusal: Reply,
    *,
    house: str = "OpenAI",
    ids: bool = True,
    whole: bool = False,
) -> Provider:
    def answer(delta: dict[str, JsonValue], finish: str | None) -> Reply:
        if whole:
            choice: JsonValue = {"index": 0, "message": delta, "finish_reason": finish}
            return refused(200, {"object": "chat.completion", "model": "m", "choices": [choice]})
        said: JsonValue = {"model": "m", "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
        end: JsonValue = {"model": "m", "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}
        return Reply(sse(said, end, done=True))

    def calls(*arguments: str) -> Reply:
        asked: list[JsonValue] = [
            {"index": index, "function": {"name": NAME, "arguments": given}, **({"id": f"c{index}"} if ids else {})}
            for index, given in enumerate(arguments)
        ]
        return answer({"tool_calls": asked}, "tool_calls")

    return Provider(
        DIALECTS[house].type,
        DIALECTS[house].adapter,
        "m",
        calls('{"namespace": "shop"}'),
        answer({"content": CAUSE}, "stop"),
        {
            "plain": answer({"content": CAUSE}, "stop"),
            "parallel calls": calls('{"namespace": "a"}', '{"namespace": "b"}'),
            "context full": context_full,
            "malformed call": malformed,
            "reasoning only": answer({"reasoning_content": CAUSE}, "stop"),
            "refusal": refusal,
            "cut": answer({"content": "The cause is"}, "length"),
        },
    )


def told(status: int, said: str, **more: JsonValue) -> Reply:
    return refused(status, {"error": {"message": said, **more}})


def filtered(finish: str = "content_filter") -> Reply:
    return Reply(sse({"choices": [{"delta": {}, "finish_reason": finish}]}, done=True))


def broken_arguments() -> Reply:
    call: JsonValue = {"index": 0, "id": "c", "function": {"name": NAME, "arguments": '{"namespace": '}}
    return Reply(sse({"choices": [{"delta": {"tool_calls": [call]}, "finish_reason": "tool_calls"}]}, done=True))


FULL = "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."
UNPARSED = Reply(
    sse({"choices": [{"delta": {"content": '<tool_call>\n{"name": "kube'}, "finish_reason": "stop"}]}, done=True)
)


def anthropic() -> Provider:
    def message(*blocks: claude.Said, reason: str) -> Reply:
        return claude.streamed(claude.start(), *blocks, *claude.stop(reason))

    return Provider(
        "anthropic",
        AnthropicLlm,
        "claude-opus-5",
        message(*claude.call(0, NAME, '{"namespace": "shop"}'), reason="tool_use"),
        message(*claude.text(0, CAUSE), reason="end_turn"),
        {
            "plain": message(*claude.text(0, CAUSE), reason="end_turn"),
            "parallel calls": message(
                *claude.call(0, NAME, '{"namespace": "a"}'),
                *claude.call(1, NAME, '{"namespace": "b"}'),
                reason="tool_use",
            ),
            "context full": told(
                400, "prompt is too long: 212345 tokens > 200000 maximum", type="invalid_request_error"
            ),
            "malformed call": message(*claude.call(0, NAME, '{"namespace": '), reason="tool_use"),
            "reasoning only": message(*claude.thought(0, "c2ln", CAUSE), reason="end_turn"),
            "refusal": message(*claude.text(0, "I "), reason="refusal"),
            "cut": message(*claude.text(0, "The cause is"), reason="max_tokens"),
        },
    )


def claude_on(cloud: str, wrap: Callable[[Reply], Reply] = lambda reply: reply) -> Provider:
    """Claude as a cloud serves it: what `wrap` does to an answer, and refusals as they are."""
    own, dialect = anthropic(), DIALECTS[f"Claude on {cloud}"]
    situations = {name: wrap(one) if one.status == 200 else one for name, one in own.situations.items()}
    return Provider(dialect.type, dialect.adapter, dialect.model, wrap(own.call), wrap(own.conclusion), situations)


def in_frames(reply: Reply) -> Reply:
    events = [json.loads(step.split(b"data: ")[1]) for step in reply.steps if isinstance(step, bytes)]
    return Reply([claude_frame(one) for one in events], content_type=EVENT_STREAM)


def bedrock() -> Provider:
    dialect = DIALECTS["Nova on Bedrock"]
    return Provider(
        dialect.type,
        dialect.adapter,
        dialect.model,
        converse(*converse_call(0, NAME, '{"namespace": "shop"}'), reason="tool_use"),
        converse(*converse_text(0, CAUSE)),
        {
            "plain": converse(*converse_text(0, CAUSE)),
            "parallel calls": converse(
                *converse_call(0, NAME, '{"namespace": "a"}'),
                *converse_call(1, NAME, '{"namespace": "b"}'),
                reason="tool_use",
            ),
            "context full": refused(400, {"message": "The model returned: Input is too long for requested model."}),
            "malformed call": converse(*converse_call(0, NAME, '{"namespace": '), reason="malformed_tool_use"),
            "odd arguments": converse(*converse_call(0, NAME, '{"namespace": '), reason="tool_use"),
            "reasoning only": converse(*converse_block(0, {"reasoningContent": {"text": CAUSE}})),
            "refusal": converse(*converse_text(0, "I "), reason="guardrail_intervened"),
            "cut": converse(*converse_text(0, "The cause is"), reason="max_tokens"),
            "throttled": Reply([exception("throttlingException", "slow down")]),
        },
    )


def google(house: str = "Gemini") -> Provider:
    def message(*parts: JsonValue, finish: str = "STOP") -> Reply:
        return gemini.streamed(gemini.chunk(*parts, finish=finish))

    return Provider(
        DIALECTS[house].type,
        DIALECTS[house].adapter,
        gemini.MODEL,
        message(gemini.call(NAME, {"namespace": "shop"}, "c2ln")),
        message(gemini.text(CAUSE)),
        {
            "plain": message(gemini.text(CAUSE)),
            "parallel calls": message(
                gemini.call(NAME, {"namespace": "a"}, "c2ln"), gemini.call(NAME, {"namespace": "b"})
            ),
            "context full": gemini.failed(
                400, "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."
            ),
            "malformed call": message(finish="MALFORMED_FUNCTION_CALL"),
            "reasoning only": message(gemini.thought(CAUSE)),
            "refusal": message(finish="SAFETY"),
            "cut": message(gemini.text("The cause is"), finish="MAX_TOKENS"),
        },
    )


PROVIDERS: dict[str, Provider] = {
    "OpenAI": openai_like(told(400, FULL, code="context_length_exceeded"), broken_arguments(), filtered()),
    "Azure": openai_like(
        told(400, FULL, code="context_length_exceeded"),
        broken_arguments(),
        told(400, "The response was filtered due to the prompt triggering Azure's policy.", code="content_filter"),
        house="Azure OpenAI",
    ),
    "xAI": openai_like(
        told(400, "This model's maximum prompt length is 131072 but the request contains 140000 tokens."),
        broken_arguments(),
        told(403, "Content violates usage guidelines.", code="The caller does not have permission"),
        house="xAI",
    ),
    "vLLM": openai_like(refused(400, {"object": "error", "message": FULL, "code": 400}), UNPARSED, filtered("stop")),
    "Ollama": openai_like(
        told(400, "the input length exceeds the context length"),
        told(500, "error parsing tool call: raw='{\"a\": ', err=unexpected end of JSON input"),
        filtered("stop"),
        ids=False,
    ),
    "llama.cpp": openai_like(
        told(400, "request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it"),
        told(500, "Failed to parse input at pos 52: <tool_call>"),
        filtered("stop"),
    ),
    "LiteLLM": openai_like(
        told(400, f"litellm.ContextWindowExceededError: {FULL}"), broken_arguments(), filtered(), whole=True
    ),
    "OpenRouter": openai_like(
        refused(
            400,
            {
                "error": {
                    "message": "Provider returned error",
                    "code": 400,
                    "metadata": {"raw": json.dumps({"message": FULL})},
                }
            },
        ),
        Reply(sse({"error": {"message": "Failed to call a function", "code": 502}})),
        told(403, "Your chosen model requires moderation and your input was flagged"),
    ),
    "Mistral": openai_like(
        refused(
            400,
            {
                "object": "error",
                "message": "Prompt contains 40000 tokens too large for model with 32768 maximum context length",
            },
        ),
        Reply(sse({"choices": [{"delta": {"content": "[TOOL_CALLS][{"}, "finish_reason": "stop"}]}, done=True)),
        told(400, "Unexpected role 'user' after role 'tool'"),
    ),
    "Gemini": google(),
    "Gemini on Vertex AI": google("Gemini on Vertex AI"),
    "Anthropic": anthropic(),
    "Claude on Vertex AI": claude_on("Vertex AI"),
    "Claude on Bedrock": claude_on("Bedrock", in_frames),
    "Bedrock": bedrock(),
}
CASES = [(name, situation) for name, provider in PROVIDERS.items() for situation in provider.situations]


async def report(llm: Llm, story: Story) -> LlmCallReported:
    """What the orchestrator makes of an answer, without its masking."""
    execution = story.execution()
    asked = compose_request(story.investigating, execution)
    request = LlmRequest(
        agent=execution.agent.name,
        iteration=1,
        conversation=asked.conversation,
        tools=asked.tools,
        is_last=asked.is_last,
    )
    try:
        *_, answer = [part async for part in llm.stream(request)]
    except LlmCallError as problem:
        failed = story.answer(error=str(problem), kind=problem.kind)
        return failed.model_copy(
            update={
                "refused_tools": problem.refused_tools,
                "most_tools": problem.most_tools,
                "context_tokens": problem.context_tokens,
            }
        )
    assert isinstance(answer, Answer)
    id = story.llm_call_id
    calls = {tool_call_id(id, index): one for index, one in enumerate(answer.tool_calls)}
    return story.answer(answer.text).model_copy(
        update={
            "thinking": answer.thinking,
            "tool_calls": tuple(ToolCall(id=key, name=one.name, arguments=one.arguments) for key, one in calls.items()),
            "unreadable_calls": {key: one.problem for key, one in calls.items() if one.problem},
            "opaque": answer.opaque,
            "cut": answer.cut,
        }
    )


def test_every_type_of_provider_has_its_row() -> None:
    assert {one.type for one in PROVIDERS.values()} == PROVIDER_TYPES.keys() - {"scripted"}


@pytest.mark.parametrize(("name", "situation"), CASES, ids=[f"{name}: {situation}" for name, situation in CASES])
async def test_an_investigation_ends_with_an_analysis(name: str, situation: str) -> None:
    provider = PROVIDERS[name]
    then: list[Any] = [provider.situations[situation]]
    # Parallel calls are made once; all else is how the provider answers from now on.
    then = [*then, provider.conclusion] if situation == "parallel calls" else then * MOST_QUESTIONS
    async with ProviderServer([provider.call, *then]).running() as server:
        llm = provider.adapter(ModelSettings(model=provider.model, api_key=SecretStr(KEY), base_url=server.url))
        story = Story(max_iterations=5).asking()
        for _ in range(MOST_QUESTIONS):
            if isinstance(story.state, AtRest):
                break
            story.when(await report(llm, story))
            if not isinstance(story.state, AtRest):
                for call in [one for one in story.investigating.calls.values() if one.open]:
                    story.when(story.result(call.requested.call_id, FOUND))
        await llm.aclose()
    assert isinstance(story.state, AtRest)
    assert isinstance(story.state.ended, e.SessionCompleted), story.state.ended
    assert CAUSE in story.state.ended.final_analysis or "Partial analysis" in story.state.ended.final_analysis
