"""Each way to fail says what kind it is, in a sentence without the key."""

import asyncio
import socket
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from gemini import KEY, answer_of, asked, call, chunk, failed, gemini, request, streamed, text, thought
from pydantic import JsonValue
from wire import Cut, Reply, Silence, sse, without_tls

from tarsy_llm.protocol import ErrorKind, Llm, LlmCallError
from tarsy_llm.timeouts import LimitedLlm, StreamLimits

HELLO = streamed(chunk(text("Hi"), finish="STOP"))
BEGUN = sse(chunk(text("The pod ")))
KEY_INVALID: JsonValue = {
    "@type": "type.googleapis.com/google.rpc.ErrorInfo",
    "reason": "API_KEY_INVALID",
    "domain": "googleapis.com",
}
RETRY_INFO: JsonValue = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"}
NO_CHUNK = StreamLimits(first_chunk_seconds=0.3, stall_seconds=600)
NO_MORE = StreamLimits(first_chunk_seconds=600, stall_seconds=0.3)


async def failure_of(llm: Llm) -> LlmCallError:
    with pytest.raises(LlmCallError) as caught:
        await answer_of(llm, request())
    return caught.value


async def failure(*replies: Reply) -> LlmCallError:
    async with asked(*replies) as (llm, server):
        error = await failure_of(llm)
    assert len(server.asked) == 1, "it was asked again"
    return error


@pytest.fixture
async def loaded() -> None:
    """The SDK is imported, so that short limits are not about that."""
    async with asked(HELLO) as (llm, _):
        await answer_of(llm, request())


@pytest.mark.parametrize(
    ("reply", "kind", "seconds"),
    [
        (failed(400, "API key not valid.", KEY_INVALID), "credentials", None),
        (failed(400, "Unknown field."), "invalid_request", None),
        (failed(401, "Who are you?"), "credentials", None),
        (failed(403, "Not for you."), "credentials", None),
        (failed(404, "No such model."), "invalid_request", None),
        (failed(400, "The input token count (1200000) exceeds the maximum."), "context_full", None),
        (failed(413, "Too large."), "invalid_request", None),
        (failed(422, "Not like this."), "invalid_request", None),
        (failed(429, "Slower.", Retry_After="7"), "rate_limited", 7.0),
        (failed(429, "Slower.", RETRY_INFO), "rate_limited", 34.5),
        (failed(429, "Slower."), "rate_limited", None),
        (failed(500, "Internal."), "provider_error", None),
        (failed(503, "Overloaded.", Retry_After="2"), "provider_error", 2.0),
        (failed(504, "Too late.", RETRY_INFO), "provider_error", 34.5),
        (failed(529, "Overloaded."), "provider_error", None),
        (Reply([b"<html>Bad gateway</html>"], 502, "text/html"), "provider_error", None),
        (Reply([b"[]"], 500, "application/json"), "provider_error", None),
        (Reply([b'{"error": "no"}'], 500, "application/json"), "provider_error", None),
    ],
)
async def test_a_status_says_what_kind_of_failure_it_is(reply: Reply, kind: ErrorKind, seconds: float | None) -> None:
    error = await failure(reply)
    assert (error.kind, error.retry_after_seconds) == (kind, seconds)
    assert str(reply.status) in str(error) or "cannot be read" in str(error)


async def test_the_sentence_has_what_the_provider_said() -> None:
    assert str(await failure(failed(404, "No such model."))) == "Gemini answered 404 SOME_STATUS: No such model."


async def test_a_provider_that_repeats_the_key_does_not_bring_it_into_the_sentence() -> None:
    error = await failure(failed(400, f"API key {KEY} not valid. " + "x" * 1000, KEY_INVALID))
    assert KEY not in str(error)
    assert "API key [key] not valid." in str(error)
    assert len(str(error)) < 600
    assert error.__cause__ is None


@pytest.mark.parametrize("key", [None, "", " \n"])
async def test_without_a_key_the_sentence_says_where_it_is_looked_for(key: str | None) -> None:
    error = await failure_of(gemini(None, key=key))
    assert error.kind == "credentials"
    assert "GOOGLE_API_KEY or GEMINI_API_KEY" in str(error)


@pytest.mark.parametrize("key", ["plan\nted", "schlüssel"])
async def test_a_key_that_no_header_can_hold_is_refused_without_being_told(key: str) -> None:
    error = await failure_of(gemini(None, key=key))
    assert error.kind == "credentials"
    assert key not in str(error)


@pytest.mark.parametrize(
    ("event", "kind"),
    [
        ({"error": {"code": 503, "message": "Overloaded.", "status": "UNAVAILABLE"}}, "cut_off"),
        ({"error": {"code": 429, "message": "Slower.", "status": "RESOURCE_EXHAUSTED"}}, "rate_limited"),
        ({"error": {"code": 400, "message": "Bad.", "status": "INVALID_ARGUMENT"}}, "invalid_request"),
        ({"error": {"message": "without a code"}}, "cut_off"),
        ({"error": "words"}, "cut_off"),
        ("words", "cut_off"),
    ],
)
async def test_an_error_in_the_stream_ends_it(event: JsonValue, kind: ErrorKind) -> None:
    assert (await failure(Reply([*BEGUN, *sse(event)]))).kind == kind


async def test_an_error_as_the_only_event_is_the_providers() -> None:
    error = await failure(streamed({"error": {"code": 503, "message": "Overloaded.", "status": "UNAVAILABLE"}}))
    assert (error.kind, str(error)) == ("provider_error", "Gemini answered 503 UNAVAILABLE: Overloaded.")


async def test_what_is_no_json_ends_the_stream() -> None:
    assert (await failure(Reply([*BEGUN, b"data: {nonsense\n\n"]))).kind == "cut_off"


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (Reply([*BEGUN, Cut()]), "cut_off"),
        (Reply([*BEGUN, b'data: {"candidates": [', Cut()]), "cut_off"),
        (Reply([Cut()]), "provider_error"),
        (Reply(BEGUN), "cut_off"),
        (Reply([]), "cut_off"),
        (streamed(chunk(thought("Hm."))), "cut_off"),
    ],
)
async def test_a_stream_that_ends_too_early_is_no_answer(reply: Reply, kind: ErrorKind) -> None:
    assert (await failure(reply)).kind == kind


async def test_nobody_at_the_address_is_told_as_such() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        llm = gemini(f"http://127.0.0.1:{taken.getsockname()[1]}")
        error = await failure_of(llm)
        await llm.aclose()
    assert error.kind == "provider_error"
    assert str(error).startswith("Gemini cannot be reached: ConnectError")


async def test_a_name_that_nobody_knows_is_told_as_such() -> None:
    llm = gemini("http://models.invalid")
    error = await failure_of(llm)
    await llm.aclose()
    assert (error.kind, str(error).startswith("Gemini cannot be reached: ConnectError")) == ("provider_error", True)


async def test_a_server_without_tls_at_an_address_that_wants_it_is_not_reached() -> None:
    async with without_tls() as url:
        llm = gemini(url)
        error = await failure_of(llm)
        await llm.aclose()
    assert (error.kind, "SSL" in str(error)) == ("provider_error", True)


async def test_the_wait_may_be_told_as_a_date() -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=400), usegmt=True)
    seconds = (await failure(failed(429, "Slower.", Retry_After=date))).retry_after_seconds
    assert seconds is not None
    assert 100 < seconds <= 400


async def test_an_address_that_does_not_take_the_connection_is_given_up(
    monkeypatch: pytest.MonkeyPatch, loaded: None
) -> None:
    monkeypatch.setattr("tarsy_llm.http.http_client.CONNECT_SECONDS", 0.2)
    with socket.socket() as deaf, socket.socket() as queued, socket.socket() as queued_too:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen(0)
        for filler in (queued, queued_too):
            filler.setblocking(False)
            filler.connect_ex(deaf.getsockname())
        llm = gemini(f"http://127.0.0.1:{deaf.getsockname()[1]}")
        async with asyncio.timeout(90):
            error = await failure_of(llm)
        await llm.aclose()
    assert (error.kind, "ConnectTimeout" in str(error)) == ("provider_error", True)


async def test_silence_before_the_first_chunk_is_limited_and_leaves_no_request() -> None:
    async with asked(HELLO, Reply([Silence()])) as (llm, server), asyncio.timeout(90):
        await answer_of(llm, request())
        while len(server.asked) < 2:  # a busy machine may be given up before it has asked
            assert (await failure_of(LimitedLlm(llm, NO_CHUNK))).kind == "first_chunk_timeout"
        await server.left.wait()


async def test_silence_in_the_middle_is_limited_and_leaves_no_request() -> None:
    async with asked(HELLO, Reply([*BEGUN, Silence()])) as (llm, server), asyncio.timeout(90):
        await answer_of(llm, request())
        assert (await failure_of(LimitedLlm(llm, NO_MORE))).kind == "stalled"
        await server.left.wait()


@pytest.mark.parametrize(
    ("reason", "kind"),
    [
        *(
            (reason, "refused")
            for reason in ("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE")
        ),
        ("MALFORMED_FUNCTION_CALL", "malformed_call"),
        ("UNEXPECTED_TOOL_CALL", "malformed_call"),
        ("MAX_TOKENS", "truncated"),
        ("OTHER", "provider_error"),
        ("MISSING_THOUGHT_SIGNATURE", "invalid_request"),
    ],
)
async def test_an_end_without_an_answer_says_why(reason: str, kind: ErrorKind) -> None:
    ended: JsonValue = {"candidates": [{"finishReason": reason}]}
    error = await failure(streamed(chunk(thought("Hm.")), ended))
    assert error.kind == kind
    assert reason in str(error) or "max_output_tokens" in str(error) or "thought signature" in str(error)


async def test_an_answer_that_filled_max_output_tokens_with_thinking_is_told_so() -> None:
    error = await failure(streamed(chunk(thought("Hm.")), chunk(finish="MAX_TOKENS")))
    assert "used up its output tokens" in str(error)
    assert "max_output_tokens" in str(error)


@pytest.mark.parametrize("reason", ["SAFETY", "MALFORMED_FUNCTION_CALL"])
async def test_words_before_a_bad_end_are_no_answer(reason: str) -> None:
    assert reason in str(await failure(streamed(chunk(text("Half an")), chunk(finish=reason))))


async def test_a_conversation_that_is_blocked_is_refused() -> None:
    blocked: JsonValue = {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": {}}
    error = await failure(streamed(blocked))
    assert (error.kind, str(error)) == ("refused", "Gemini refused the conversation (PROHIBITED_CONTENT)")


@pytest.mark.parametrize("reason", ["MAX_TOKENS", "OTHER", "STOP"])
async def test_words_that_were_cut_at_the_limit_are_the_answer(reason: str) -> None:
    async with asked(streamed(chunk(text("Half an"), finish=reason))) as (llm, _):
        answer = await answer_of(llm, request())
    assert (answer.text, answer.cut) == ("Half an", reason == "MAX_TOKENS")


@pytest.mark.filterwarnings("ignore:FROM_THE_FUTURE is not a valid FinishReason")
async def test_after_an_unknown_end_what_came_is_the_answer() -> None:
    async with asked(streamed(chunk(text("All of it."), finish="FROM_THE_FUTURE"))) as (llm, _):
        assert (await answer_of(llm, request())).text == "All of it."


async def test_an_empty_answer_that_ends_well_is_for_the_agent_to_judge() -> None:
    async with asked(streamed(chunk(finish="STOP"))) as (llm, _):
        answer = await answer_of(llm, request())
    assert (answer.text, answer.tool_calls) == ("", ())


async def test_calls_without_an_end_are_taken() -> None:
    async with asked(streamed(chunk(call("kubernetes__logs", {})))) as (llm, _):
        assert len((await answer_of(llm, request())).tool_calls) == 1


async def test_after_a_failure_the_next_call_is_answered() -> None:
    async with asked(Reply([*BEGUN, Cut()]), HELLO) as (llm, _):
        await failure_of(llm)
        assert (await answer_of(llm, request())).text == "Hi"
