"""Chat completions as deltas and one answer, from OpenAI and from servers that resemble it."""

import json
import subprocess
import sys

import pytest
from asking import answer_of, asked, failure_of, parts_of, request
from completions import USAGE, call, chunk, streamed, usage_at_the_end
from pydantic import JsonValue
from wire import Cut, Reply, sse

from tarsy_contracts.conversation import Usage
from tarsy_llm.openai.adapter import OpenAiLlm
from tarsy_llm.protocol import AskedTool, Delta, ErrorKind

KEEPALIVE = Delta(part="text", text="")


async def test_text_streams_as_it_comes_and_adds_up_to_the_answer() -> None:
    reply = streamed(
        chunk({"role": "assistant", "content": "", "refusal": None}, usage=None),
        chunk({"content": "The pod "}, usage=None),
        chunk({"content": "is out of memory."}, usage=None),
        chunk(finish="stop", usage=None),
        usage_at_the_end(),
    )
    async with asked(OpenAiLlm, reply) as (llm, _):
        deltas, answer = await parts_of(llm, request())
    assert [delta.text for delta in deltas] == ["", "The pod ", "is out of memory.", "", ""]
    assert {delta.part for delta in deltas} == {"text"}
    assert (answer.text, answer.thinking, answer.tool_calls, answer.opaque) == (
        "The pod is out of memory.",
        "",
        (),
        None,
    )
    assert answer.usage == Usage(input_tokens=1200, output_tokens=120, thinking_tokens=90, cached_input_tokens=1024)
    assert answer.model == "gpt-5.2-2026-01-01"


async def test_parallel_calls_whose_pieces_are_mixed_are_put_together_by_index() -> None:
    reply = streamed(
        chunk(call(0, "", "kubernetes__pods", "call_a")),
        chunk(call(1, "", "kubernetes__logs", "call_b")),
        chunk(call(0, '{"namespace"')),
        chunk(call(1, '{"pod": "checkout')),
        chunk(call(0, ': "shop"}')),
        chunk(call(1, '-1"}')),
        chunk(finish="tool_calls"),
    )
    async with asked(OpenAiLlm, reply) as (llm, _):
        deltas, answer = await parts_of(llm, request())
    assert answer.tool_calls == (
        AskedTool(name="kubernetes__pods", arguments={"namespace": "shop"}),
        AskedTool(name="kubernetes__logs", arguments={"pod": "checkout-1"}),
    )
    assert deltas == [KEEPALIVE] * 7


WHOLE: JsonValue = {"tool_calls": [{"id": "", "function": {"name": "a", "arguments": '{"x": 1}'}}]}
AN_OBJECT: JsonValue = {"tool_calls": [{"index": 0, "id": "1", "function": {"name": "a", "arguments": {"x": 1}}}]}
A = AskedTool(name="a", arguments={"x": 1})
B = AskedTool(name="b", arguments={})


@pytest.mark.parametrize(
    "pieces",
    [
        [WHOLE, call(None, "{}", "b", "")],
        [call(None, '{"x": ', "a", "1"), call(None, "1}"), call(None, "", "b", "2")],
        [call(0, '{"x": 1}', "a", "1"), call(0, "{}", "b", "2")],
        [call(None, '{"x": ', "a", "1"), call(None, "1}", "a", "1"), call(None, "{}", "b", "2")],
        [AN_OBJECT, call(1, "", "b")],
    ],
    ids=[
        "whole, no index, empty ids",
        "no index, in pieces",
        "one index for all",
        "name in each",
        "arguments as object",
    ],
)
async def test_calls_of_servers_that_leave_out_index_or_id_are_told_apart(pieces: list[JsonValue]) -> None:
    reply = streamed(*map(chunk, pieces), chunk(finish="tool_calls"))
    async with asked(OpenAiLlm, reply) as (llm, _):
        assert (await answer_of(llm, request())).tool_calls == (A, B)


@pytest.mark.parametrize(
    ("reply", "usage"),
    [
        (
            streamed(chunk({"content": "Hi"}, "stop", usage=USAGE)),
            Usage(input_tokens=1200, output_tokens=120, thinking_tokens=90, cached_input_tokens=1024),
        ),
        (streamed(chunk({"content": "Hi"}, "stop"), {"usage": {"prompt_tokens": 7}}), Usage(input_tokens=7)),
        (streamed(chunk({"content": "Hi"}, "stop")), Usage()),
    ],
    ids=["in the last chunk", "without choices, and in part", "not told"],
)
async def test_usage_is_what_the_server_says_and_unknown_where_it_does_not(reply: Reply, usage: Usage) -> None:
    async with asked(OpenAiLlm, reply) as (llm, _):
        assert (await answer_of(llm, request())).usage == usage


@pytest.mark.parametrize(
    "reply",
    [
        Reply([b": ping\n\n", b": ping\n\n", *sse(chunk({"content": "Hi"}, "stop"), done=True)]),
        Reply(sse({}, {"choices": [{}]}, chunk({"content": "Hi"}, "stop"), done=True)),
    ],
    ids=["comments", "empty chunks"],
)
async def test_what_has_no_words_is_a_sign_of_life(reply: Reply) -> None:
    async with asked(OpenAiLlm, reply) as (llm, _):
        deltas, _ = await parts_of(llm, request())
    assert deltas == [KEEPALIVE, KEEPALIVE, Delta(part="text", text="Hi")]


HELLO = sse(chunk({"content": "Grüße\u2028dort"}), chunk(finish="stop"))


@pytest.mark.parametrize(
    "reply",
    [
        Reply(HELLO),
        Reply([*HELLO, Cut()]),
        Reply([step.replace(b"\n", b"\r\n") for step in HELLO]),
        Reply([b"".join(HELLO).rstrip()]),
        Reply([bytes([byte]) for byte in b"".join(HELLO)]),
        Reply([step.replace(b"data: ", b"data:").replace(b"\\u2028", "\u2028".encode()) for step in HELLO]),
    ],
    ids=["no [DONE]", "hung up after the end", "CRLF", "no last empty line", "byte by byte", "raw U+2028"],
)
async def test_the_stream_may_be_written_and_end_in_many_ways(reply: Reply) -> None:
    async with asked(OpenAiLlm, reply) as (llm, _):
        assert (await answer_of(llm, request())).text == "Grüße\u2028dort"


async def test_without_a_name_in_the_answer_the_configured_model_answered() -> None:
    async with asked(OpenAiLlm, streamed({"choices": [{"delta": {"content": "Hi"}, "finish_reason": "stop"}]})) as (
        llm,
        _,
    ):
        assert (await answer_of(llm, request())).model == "a-model"


async def test_an_answer_cut_at_its_limit_is_kept_when_it_has_words() -> None:
    async with asked(OpenAiLlm, streamed(chunk({"content": "The pod is"}), chunk(finish="length"))) as (llm, _):
        answer = await answer_of(llm, request())
    assert (answer.text, answer.cut) == ("The pod is", True)


def test_the_sdks_are_imported_when_a_model_is_asked_not_before() -> None:
    look = "import sys, tarsy_llm.providers; print({'openai', 'anthropic', 'httpx2'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", look], check=True, capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize("arguments", ['{"x": ', "[1]"])
async def test_arguments_that_nobody_can_read_are_told_to_the_model(arguments: str) -> None:
    chunks = [chunk(call(0, arguments, "pods__list", "1")), chunk(finish="tool_calls")]
    async with asked(OpenAiLlm, streamed(*chunks)) as (llm, _):
        (asked_for,) = (await answer_of(llm, request())).tool_calls
    assert (asked_for.name, asked_for.arguments) == ("pods__list", {})
    assert arguments in asked_for.problem


@pytest.mark.parametrize(
    ("chunks", "kind", "said"),
    [
        ([chunk({"content": "I "}), chunk(finish="content_filter")], "refused", "content filter"),
        (
            [chunk({"refusal": "I cannot "}), chunk({"refusal": "do that."}), chunk(finish="stop")],
            "refused",
            "do that.",
        ),
        ([chunk({"reasoning": "Hm"}), chunk(finish="length")], "truncated", "max_output_tokens"),
        ([chunk(call(0, '{"names', "a", "1")), chunk(finish="length")], "truncated", "max_output_tokens"),
        ([chunk({"content": "I "}), chunk(call(0, "{}", "a")), chunk(finish="length")], "truncated", "max_output"),
        ([chunk(finish="error")], "provider_error", "ended the answer with an error"),
        ([chunk({"content": "I "}), chunk(finish="error")], "cut_off", "ended the answer with an error"),
        ([chunk({"content": "I "})], "cut_off", "before its end"),
        ([chunk(call(0, "{}")), chunk(finish="tool_calls")], "malformed_call", "without a name"),
    ],
)
async def test_an_end_that_is_no_answer_is_a_failure(chunks: list[JsonValue], kind: ErrorKind, said: str) -> None:
    async with asked(OpenAiLlm, streamed(*chunks)) as (llm, _):
        error = await failure_of(llm, request())
    assert error.kind == kind
    assert said in str(error)


@pytest.mark.parametrize("reason", ["stop", "tool_calls", "function_call", "eos"])
async def test_any_other_end_is_an_answer(reason: str) -> None:
    async with asked(OpenAiLlm, streamed(chunk({"content": "Hi"}), chunk(finish=reason))) as (llm, _):
        answer = await answer_of(llm, request())
    assert (answer.text, answer.cut) == ("Hi", False)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"message": "it said no", "code": 400}, "invalid_request"),
        ({"message": "it said no", "code": "429"}, "rate_limited"),
        ({"message": "it said no", "code": "rate_limit_exceeded"}, "rate_limited"),
        ({"message": "it said no", "type": "invalid_request_error", "code": None}, "invalid_request"),
        ({"message": "it said no", "type": "server_error"}, "cut_off"),
        ({"message": "it said no", "code": "context_length_exceeded"}, "invalid_request"),
        ({"message": "it said no", "code": "insufficient_quota"}, "credentials"),
        ("it said no", "cut_off"),
    ],
)
async def test_an_error_in_the_stream_is_told_as_what_it_is(error: JsonValue, kind: ErrorKind) -> None:
    async with asked(OpenAiLlm, streamed(chunk({"content": "I "}), {"error": error})) as (llm, _):
        failure = await failure_of(llm, request())
    assert failure.kind == kind
    assert str(failure) == "the model server 127.0.0.1 sent an error in its answer: it said no"


@pytest.mark.parametrize(
    ("status", "error", "kind"),
    [
        (429, {"message": "it said no", "code": "insufficient_quota"}, "credentials"),
        (429, {"message": "it said no", "type": "insufficient_quota", "code": None}, "credentials"),
        (429, {"message": "Rate limit reached.", "code": "rate_limit_exceeded"}, "rate_limited"),
        (
            429,
            {"message": "Request too large for m: Limit 30000, Requested 44000.", "type": "tokens"},
            "context_full",
        ),
        (400, {"message": "Too many tokens.", "code": "context_length_exceeded"}, "context_full"),
        (400, "Incorrect API key provided: na***ys.", "credentials"),
        (429, "Your team has either used all available credits or reached its monthly limit.", "credentials"),
    ],
)
async def test_a_status_that_misleads_is_told_as_what_is_meant(status: int, error: JsonValue, kind: ErrorKind) -> None:
    reply = Reply([json.dumps({"error": error}).encode()], status, "application/json")
    async with asked(OpenAiLlm, reply) as (llm, _):
        failure = await failure_of(llm, request())
    assert failure.kind == kind
    assert f"answered {status}: " in str(failure)


async def test_an_error_before_the_first_words_is_no_cut_answer() -> None:
    async with asked(OpenAiLlm, streamed({"error": {"message": "overloaded", "code": 503}})) as (llm, _):
        assert (await failure_of(llm, request())).kind == "provider_error"


async def test_milliseconds_to_wait_are_told_as_seconds() -> None:
    headers = {"retry-after-ms": "1500", "Retry-After": "9"}
    async with asked(OpenAiLlm, Reply([b"{}"], 429, "application/json", headers)) as (llm, _):
        assert (await failure_of(llm, request())).retry_after_seconds == 1.5
