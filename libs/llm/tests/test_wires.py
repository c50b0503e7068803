"""Wires of the field: each file of `wires` is one answer as some server sends it, with the page that tells of it."""

import gzip
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from asking import answer_of, asked, failure_of, request
from pydantic import JsonValue
from structlog.testing import capture_logs
from wire import Reply, sse

from tarsy_contracts.conversation import AssistantMessage, ToolCall, ToolMessage, UserMessage
from tarsy_llm.errors import LlmError
from tarsy_llm.http.answer_bodies import answer_events
from tarsy_llm.openai.adapter import OpenAiLlm
from tarsy_llm.openai.chunks import DONE, OpenAiAccumulator
from tarsy_llm.openai.messages import wire_id

WIRES = Path(__file__).parent / "wires"
REFUSALS: list[dict[str, Any]] = json.loads((WIRES / "refusals.json").read_text())
ANSWERS: dict[str, dict[str, Any]] = {
    path.stem: json.loads(path.read_text()) for path in sorted(WIRES.glob("*.json")) if path.name != "refusals.json"
}
HI = Reply(sse({"choices": [{"delta": {"content": "Hi"}, "finish_reason": "stop"}]}, done=True))


def reply_of(case: dict[str, Any]) -> Reply:
    steps = [case["raw"].encode()] if "raw" in case else sse(*case["chunks"], done=case["done"])
    return Reply(steps, content_type=case["content_type"])


@pytest.mark.parametrize("case", ANSWERS.values(), ids=ANSWERS.keys())
async def test_an_answer_of_the_field_is_read(case: dict[str, Any]) -> None:
    assert case["source"]
    expected = case["expected"]
    async with asked(OpenAiLlm, reply_of(case), HI) as (llm, server):
        if "error" in expected:
            problem = await failure_of(llm, request())
            assert (problem.kind, expected["said"] in str(problem)) == (expected["error"], True)
            return
        answer = await answer_of(llm, request())
        calls = tuple(
            ToolCall(id=f"ours-{n}", name=one.name, arguments=one.arguments) for n, one in enumerate(answer.tool_calls)
        )
        results = [ToolMessage(tool_call_id=one.id, tool_name=one.name, content="fine") for one in calls]
        said = AssistantMessage(content=answer.text, tool_calls=calls, opaque=answer.opaque)
        await answer_of(llm, request(UserMessage(content="Why?"), said, *results))
    if "problem" in expected:
        assert expected["problem"] in answer.tool_calls[0].problem
        return
    assert [[one.name, one.arguments] for one in answer.tool_calls] == expected.get("calls", [])
    assert (answer.text, answer.cut) == (expected.get("text", ""), expected.get("cut", False))
    assert answer.thinking == expected.get("thinking", "")
    again: Any = server.asked[1].json
    back = again["messages"][2]
    assert expected.get("returned", {}).items() <= back.items()
    assert all(expected.get("call_returned", {}).items() <= call.items() for call in back.get("tool_calls", []))
    ids = [call["id"] for call in back.get("tool_calls", [])]
    assert ids == [message["tool_call_id"] for message in again["messages"][3:]] == [wire_id(one.id) for one in calls]


async def read_in_pieces(raw: bytes, size: int) -> object:
    """What comes of an answer that arrives in pieces of so many bytes."""

    async def pieces() -> AsyncIterator[bytes]:
        for start in range(0, len(raw), size):
            yield raw[start : start + size]

    accumulator = OpenAiAccumulator("the server", "m", None)
    try:
        async for event in answer_events(pieces()):
            if event.data == DONE:
                accumulator.end()
                break
            accumulator.take(event)
        return accumulator.answer()
    except LlmError as problem:
        return type(problem), str(problem)


@pytest.mark.parametrize("case", ANSWERS.values(), ids=ANSWERS.keys())
async def test_an_answer_is_the_same_however_the_network_divides_it(case: dict[str, Any]) -> None:
    raw = b"".join(step for step in reply_of(case).steps if isinstance(step, bytes))
    whole = await read_in_pieces(raw, len(raw) or 1)
    assert [await read_in_pieces(raw, size) for size in (1, 7)] == [whole, whole]


def test_the_manual_names_each_case() -> None:
    page = (Path(__file__).parents[3] / "docs/reference/tested-with.md").read_text("utf-8")
    rows = {line.split("|")[1].strip(): line for line in page.splitlines() if line.startswith("| ")}
    known = {
        **{name: case["source"] for name, case in ANSWERS.items()},
        **{one["name"]: one["source"] for one in REFUSALS},
    }
    assert [name for name, source in known.items() if source not in rows.get(name, "")] == []


PLANTED = b'{"error": {"message": "This model does not exist: m", "code": "model_not_found"}}'


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (gzip.compress(PLANTED), "This model does not exist: m"),
        (gzip.compress(PLANTED)[:20], "answered 404"),
        (b"no gzip at all", "answered 404"),
    ],
    ids=["whole", "cut", "none"],
)
async def test_a_compressed_refusal_is_read_as_far_as_it_goes(body: bytes, said: str) -> None:
    refusal = Reply([body], 404, "application/json", {"content-encoding": "gzip"})
    async with asked(OpenAiLlm, refusal) as (llm, _):
        assert said in str(await failure_of(llm, request()))


async def test_a_compressed_stream_is_read() -> None:
    body = gzip.compress(b"".join(step for step in HI.steps if isinstance(step, bytes)))
    async with asked(OpenAiLlm, Reply([body], headers={"content-encoding": "gzip"})) as (llm, _):
        assert (await answer_of(llm, request())).text == "Hi"


@pytest.mark.parametrize("case", REFUSALS, ids=lambda case: case["name"])
async def test_a_refusal_is_told_as_what_it_means(case: dict[str, Any]) -> None:
    refusal = Reply([json.dumps(case["body"]).encode()], case["status"], "application/json")
    async with asked(OpenAiLlm, refusal) as (llm, _):
        problem = await failure_of(llm, request())
    assert problem.kind == case["kind"]
    assert problem.context_tokens == case.get("context_tokens")
    assert list(problem.refused_tools) == case.get("refused_tools", [])
    assert problem.most_tools == case.get("most_tools")


LESSONS: dict[str, tuple[str, dict[str, JsonValue]]] = {
    "openai.com, o-series": (
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        {"max_completion_tokens": 9_000, "max_tokens": None},
    ),
    "vLLM": (
        "'max_tokens' or 'max_completion_tokens' is too large: 9000. This model's maximum context length is 8192 tokens"
        " and your request has 1000 input tokens (9000 > 8192 - 1000).",
        {"max_tokens": 7_192},
    ),
    "OpenAI": (
        "max_tokens is too large: 9000. This model supports at most 4096 completion tokens",
        {"max_tokens": 4096},
    ),
    "Groq": ("`max_tokens` must be less than or equal to `8192`, the maximum for this model", {"max_tokens": 8192}),
}


@pytest.mark.parametrize(("said", "sent"), LESSONS.values(), ids=LESSONS.keys())
async def test_what_is_refused_in_the_form_of_a_request_is_learned(said: str, sent: dict[str, JsonValue]) -> None:
    refusal = Reply([json.dumps({"error": {"message": said}}).encode()], 400, "application/json")
    async with asked(OpenAiLlm, refusal, HI, HI, max_output_tokens=9_000) as (llm, server):
        with capture_logs() as lines:
            for _ in range(2):
                assert (await answer_of(llm, request())).text == "Hi"
    assert [line["event"] for line in lines] == ["llm.form_learned"]
    assert len(server.asked) == 3
    for again in server.asked[1:]:
        assert isinstance(again.json, dict)
        assert {key: again.json.get(key) for key in sent} == sent


@pytest.mark.parametrize(
    "said",
    [
        "Unexpected role 'user' after role 'tool'",
        "Conversation roles must alternate user/assistant/user/assistant/...",
        "After the optional system message, conversation roles must alternate user/assistant",
    ],
)
async def test_a_strict_template_gets_roles_that_alternate(said: str) -> None:
    refusal = Reply([json.dumps({"object": "error", "message": said}).encode()], 400, "application/json")
    call = ToolCall(id="one", name="kubernetes__pods", arguments={})
    history = (
        UserMessage(content="Why?"),
        UserMessage(content="Quickly."),
        AssistantMessage(content="", tool_calls=(call,)),
        ToolMessage(tool_call_id="one", tool_name=call.name, content="fine"),
        UserMessage(content="Conclude."),
    )
    async with asked(OpenAiLlm, refusal, HI) as (llm, server):
        await answer_of(llm, request(*history))
    again: Any = server.asked[1].json
    assert [message["role"] for message in again["messages"]] == ["system", "user", "assistant", "tool"]
    assert "Conclude." in again["messages"][-1]["content"]


async def test_calls_without_a_signature_get_one_where_the_server_wants_it() -> None:
    body = [{"error": {"code": 400, "message": "Function call is missing a thought_signature in functionCall parts."}}]
    refusal = Reply([json.dumps(body).encode()], 400, "application/json")
    call = ToolCall(id="one", name="kubernetes__pods", arguments={})
    history = (
        UserMessage(content="Why?"),
        AssistantMessage(content="", tool_calls=(call,)),
        ToolMessage(tool_call_id="one", tool_name=call.name, content="fine"),
    )
    async with asked(OpenAiLlm, refusal, HI) as (llm, server):
        await answer_of(llm, request(*history))
    again: Any = server.asked[1].json
    assert again["messages"][2]["tool_calls"][0]["extra_content"]["google"]["thought_signature"]
