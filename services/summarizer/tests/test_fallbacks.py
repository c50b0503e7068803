"""When a provider fails, the next one writes the summary: within the same claim and the same time."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import CollectorRegistry
from summary_owner import Owner, summary

from tarsy_contracts.conversation import Usage
from tarsy_contracts.messages.chunks import SummaryChunk
from tarsy_contracts.messages.inputs import CallClaimed, SummaryReported
from tarsy_llm.protocol import Answer, Delta, Llm, LlmRequest
from tarsy_llm.scripted.script import load_scripts
from tarsy_llm.scripted.scripted_llm import ScriptedLlm
from tarsy_llm.timeouts import LimitedLlm, StreamLimits
from tarsy_summarizer.summary_text import CUT_MARK

type Running = Callable[..., AbstractAsyncContextManager[Any]]
type Scripted = Callable[..., Llm]

SECRET = "hunter2-very-secret"
LINES = "The first half is streamed.\nAnd it goes on.\n" * 10


@pytest.fixture
def scripted(tmp_path: Path) -> Scripted:
    def make(**turn: object) -> Llm:
        file = tmp_path / f"{len(list(tmp_path.iterdir()))}.yaml"
        # JSON is YAML.
        file.write_text(json.dumps({"turns": [{"agent": "Summarizer", "text": "It restarts.", **turn}]}), "utf-8")
        return ScriptedLlm(load_scripts([file]), asyncio.sleep)

    return make


class Saying:
    """A model that gives this answer, and says nothing at all without one."""

    def __init__(self, answer: Answer | None) -> None:
        self._answer = answer

    async def stream(self, request: LlmRequest) -> AsyncGenerator[Delta | Answer]:
        if self._answer is None:
            await asyncio.Event().wait()
            raise AssertionError
        yield self._answer

    async def aclose(self) -> None:
        pass


def answer(text: str, *, cut: bool = False) -> Answer:
    return Answer(thinking="", text=text, tool_calls=(), usage=Usage(), model="m", cut=cut)


@pytest.mark.parametrize("kind", ["credentials", "refused", "provider_error", "rate_limited", "stalled", "cut_off"])
async def test_the_next_provider_is_asked_under_the_same_claim(
    owner: Owner, running: Running, scripted: Scripted, kind: str
) -> None:
    registry = CollectorRegistry()
    llms = {"first": scripted(text=LINES, fail="not now", kind=kind), "second": scripted(text="It restarts.\n")}
    async with running(llms, registry=registry):
        request = summary(at=await owner.record("a log"), provider="first", fallbacks=("second",))
        await owner.ask(request)
        result = await owner.result(request)

    claim = await owner.claim(request)
    assert (result.content, result.error, result.claim_id) == ("It restarts.\n", "", claim.claim_id)
    assert len(owner.all(CallClaimed, request)) == len(owner.all(SummaryReported, request)) == 1
    calls = "tarsy_summarizer_llm_calls_total"
    assert registry.get_sample_value(calls, {"provider": "first", "outcome": kind}) == 1
    assert registry.get_sample_value(calls, {"provider": "second", "outcome": "ok"}) == 1


async def test_what_a_broken_answer_streamed_is_replaced_by_the_next_run(
    owner: Owner, running: Running, scripted: Scripted
) -> None:
    llms = {"first": scripted(text=LINES, fail="gone", kind="cut_off"), "second": scripted(text="It restarts.\n")}
    async with running(llms):
        request = summary(at=await owner.record("a log"), provider="first", fallbacks=("second",))
        await owner.ask(request)
        await owner.result(request)
    await owner.until_streamed(request, "It restarts.\n")
    chunks = owner.all(SummaryChunk, request)
    last = max(chunk.run for chunk in chunks)
    assert {chunk.run for chunk in chunks} != {last}
    assert [chunk.run for chunk in chunks] == sorted(chunk.run for chunk in chunks)


@pytest.mark.parametrize(
    "first",
    [
        LimitedLlm(Saying(None), StreamLimits(first_chunk_seconds=0.1, stall_seconds=0.1)),
        Saying(answer(" \n")),
    ],
    ids=["silent", "empty"],
)
async def test_what_is_no_answer_is_a_failure_of_its_provider(
    owner: Owner, running: Running, scripted: Scripted, first: Llm
) -> None:
    async with running({"first": first, "second": scripted()}):
        request = summary(at=await owner.record("a log"), provider="first", fallbacks=("second",))
        await owner.ask(request)
        assert (await owner.result(request)).content == "It restarts."


async def test_what_came_of_a_summary_that_was_cut_is_kept_with_a_mark(
    owner: Owner, running: Running, scripted: Scripted
) -> None:
    async with running({"first": Saying(answer("It restarts, becau", cut=True)), "second": scripted()}):
        request = summary(at=await owner.record("a log"), provider="first", fallbacks=("second",))
        await owner.ask(request)
        report = await owner.result(request)
        assert (report.content, report.cut) == (f"It restarts, becau{CUT_MARK}", True)


async def test_a_provider_that_is_not_configured_is_passed_over(
    owner: Owner, running: Running, scripted: Scripted
) -> None:
    async with running({"second": scripted()}):
        request = summary(at=await owner.record("a log"), provider="nobody", fallbacks=("second",))
        await owner.ask(request)
        assert (await owner.result(request)).content == "It restarts."


async def test_when_all_failed_each_is_named_with_its_reason_masked_and_short(
    owner: Owner, running: Running, scripted: Scripted
) -> None:
    llms = {
        "first": scripted(fail=f"no right, password: {SECRET}", kind="credentials"),
        "third": scripted(fail="too long " * 500, kind="invalid_request"),
    }
    async with running(llms):
        request = summary(at=await owner.record("a log"), provider="first", fallbacks=("second", "third"))
        await owner.ask(request)
        result = await owner.result(request)
    assert result.content == ""
    first, second, third = result.error.split("; ")
    assert first.startswith("first: no right, password: ")
    assert second == "second: the LLM provider second is not configured here"
    assert third.startswith("third: too long too long")
    assert len(third) < 500
    assert SECRET not in result.error


async def test_a_provider_that_asks_for_a_short_wait_is_asked_again_and_no_other(
    owner: Owner, running: Running, scripted: Scripted
) -> None:
    first = scripted(fail="slower", kind="rate_limited", retry_after_seconds=0.2, times=1)
    registry = CollectorRegistry()
    async with running({"first": first, "second": scripted(text="by the second")}, registry=registry):
        request = summary(at=await owner.record("a log"), provider="first", fallbacks=("second",))
        await owner.ask(request)
        result = await owner.result(request)
    assert result.content == "It restarts."
    assert result.duration_ms >= 200
    outcomes = {"provider": "first", "outcome": "rate_limited"}
    assert registry.get_sample_value("tarsy_summarizer_llm_calls_total", outcomes) == 1


async def test_it_is_waited_for_once(owner: Owner, running: Running, scripted: Scripted) -> None:
    first = scripted(fail="slower", kind="rate_limited", retry_after_seconds=0.1)
    registry = CollectorRegistry()
    async with running({"first": first, "second": scripted(text="by the second")}, registry=registry):
        request = summary(at=await owner.record("a log"), provider="first", fallbacks=("second",))
        await owner.ask(request)
        assert (await owner.result(request)).content == "by the second"
    outcomes = {"provider": "first", "outcome": "rate_limited"}
    assert registry.get_sample_value("tarsy_summarizer_llm_calls_total", outcomes) == 2


async def test_all_providers_share_one_limit_of_time(owner: Owner, running: Running, scripted: Scripted) -> None:
    llms = {"first": scripted(fail="overloaded", kind="provider_error"), "second": Saying(None), "third": scripted()}
    async with running(llms):
        at = await owner.record("a log")
        # A busy machine may take long until it has read the log and asked the first.
        for seconds in (1, 10, 80):
            request = summary(at=at, provider="first", fallbacks=("second", "third"), timeout=seconds, within=200)
            await owner.ask(request)
            result = await owner.result(request)
            if "first" in result.error:
                break
    assert result.error == f"no summary in {seconds} seconds; first: overloaded"
    assert result.duration_ms >= 900 * seconds


async def test_every_question_to_a_provider_is_reported_with_what_it_cost(
    owner: Owner, running: Running, scripted: Scripted
) -> None:
    registry = CollectorRegistry()
    llms = {
        "first": scripted(text=LINES, fail="gone", kind="cut_off", usage={"input_tokens": 900, "output_tokens": 40}),
        "second": scripted(
            text="It restarts.", usage={"input_tokens": 950, "output_tokens": 90, "thinking_tokens": 60}
        ),
    }
    async with running(llms, registry=registry):
        request = summary(at=await owner.record("a log"), provider="first", fallbacks=("unknown", "second"))
        await owner.ask(request)
        result = await owner.result(request)

    first, second = result.attempts
    assert (first.provider, first.error, first.model) == ("first", "gone", "")
    assert first.usage == Usage(input_tokens=900, output_tokens=40)
    assert (second.provider, second.error, second.model) == ("second", "", "scripted")
    assert second.usage == result.usage == Usage(input_tokens=950, output_tokens=90, thinking_tokens=60)
    assert (result.tokens_before, result.tokens_after) == (2, 30)
    spent = [
        registry.get_sample_value(f"tarsy_summarizer_llm_{kind}_tokens_total", {"provider": provider})
        for provider in ("first", "second")
        for kind in ("input", "output", "thinking")
    ]
    assert spent == [900, 40, 0, 950, 90, 60]


async def test_a_summary_that_failed_reports_its_attempts_too(
    owner: Owner, running: Running, scripted: Scripted
) -> None:
    thoughts = Usage(input_tokens=900, output_tokens=4_000, thinking_tokens=4_000)
    empty = answer("").model_copy(update={"usage": thoughts})
    async with running({"first": Saying(empty), "second": scripted(fail=f"password: {SECRET}", kind="refused")}):
        request = summary(at=await owner.record("a log"), provider="first", fallbacks=("second",))
        await owner.ask(request)
        result = await owner.result(request)

    assert result.error != ""
    assert [(one.provider, one.usage) for one in result.attempts] == [("first", thoughts), ("second", Usage())]
    assert [bool(one.error) for one in result.attempts] == [True, True]
    assert SECRET not in result.model_dump_json()
    assert result.tokens_before == 2


async def test_the_attempt_that_ran_when_the_time_was_up_is_reported(
    owner: Owner, running: Running, scripted: Scripted
) -> None:
    async with running({"first": scripted(fail="overloaded", kind="provider_error"), "second": Saying(None)}):
        at = await owner.record("a log")
        # A busy machine may take long until it has read the log and asked the first.
        for seconds in (1, 10, 80):
            request = summary(at=at, provider="first", fallbacks=("second",), timeout=seconds, within=200)
            await owner.ask(request)
            result = await owner.result(request)
            if len(result.attempts) == 2:
                break
    assert [one.provider for one in result.attempts] == ["first", "second"]
    assert result.attempts[1].error == "broken off: nobody waited any longer"
