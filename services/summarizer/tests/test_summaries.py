"""Summaries through the whole service: real Kafka and the scripted model; the test plays the owner."""

import asyncio
import json
import re
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
from tarsy_contracts.messages.requests import LogPosition
from tarsy_llm.protocol import Answer, Delta, Llm, LlmRequest
from tarsy_llm.scripted.script import load_scripts
from tarsy_llm.scripted.scripted_llm import ScriptedLlm
from tarsy_masking.masker import REDACTED, Masker
from tarsy_testing.broken_masker import broken_masker

type Running = Callable[..., AbstractAsyncContextManager[Any]]
type NewScript = Callable[..., dict[str, Llm]]

KEY = bytes(range(32))
"""As in conftest.py."""
SECRET = "hunter2-very-secret"


@pytest.fixture
def scripted(tmp_path: Path) -> NewScript:
    """A model that plays one turn as the Summarizer."""

    def make(**turn: object) -> dict[str, Llm]:
        file = tmp_path / "script.yaml"
        # JSON is YAML.
        script = {"turns": [{"agent": "Summarizer", "iteration": 1, "text": "It restarts.", **turn}]}
        file.write_text(json.dumps(script), encoding="utf-8")
        return {"scripted": ScriptedLlm(load_scripts([file]), asyncio.sleep)}

    return make


class Endless:
    """A model that says one line and then thinks for ever."""

    def __init__(self) -> None:
        self.asked = 0

    async def stream(self, request: LlmRequest) -> AsyncGenerator[Delta | Answer]:
        self.asked += 1
        yield Delta(part="text", text="One line.\n" * 20)
        await asyncio.Event().wait()
        yield Answer(thinking="", text="", tool_calls=(), usage=Usage(), model="")

    async def aclose(self) -> None:
        pass


async def test_a_result_in_the_log_is_summarised_streamed_and_reported_masked(
    owner: Owner, running: Running, scripted: NewScript
) -> None:
    text = f"It restarts: no such host db.\nThe log held password: {SECRET}\n" + "And so on, at length. " * 30
    needs = ["PodCrashLooping", "Why does it restart?", "pods_log", '{"pod": "checkout"}', "the whole log"]
    registry = CollectorRegistry()
    script = scripted(text=text, needs=needs, usage={"input_tokens": 7, "output_tokens": 3})
    async with running(script, registry=registry):
        request = summary(at=await owner.record("the whole log"))
        await owner.ask(request)
        result = await owner.result(request)

    claim = await owner.claim(request)
    await owner.until_streamed(request, result.content)
    chunks = owner.all(SummaryChunk, request)
    assert result.error == ""
    assert result.content.startswith("It restarts: no such host db.")
    assert SECRET not in result.content
    assert (result.claim_id, result.worker_id, result.model) == (claim.claim_id, claim.worker_id, "scripted")
    assert (result.usage.input_tokens, result.usage.output_tokens) == (7, 3)
    assert [chunk.index for chunk in chunks] == list(range(len(chunks)))
    assert len({chunk.run for chunk in chunks}) == 1
    assert registry.get_sample_value("tarsy_summarizer_summaries_total", {"outcome": "ok"}) == 1
    assert registry.get_sample_value("tarsy_summarizer_run_duration_seconds_count") == 1
    assert registry.get_sample_value("tarsy_summarizer_input_bytes_sum") == len("the whole log")


async def test_chunks_summary_and_error_have_the_placeholders_of_their_session(
    owner: Owner, running: Running, scripted: NewScript
) -> None:
    text = f"The log held password: {SECRET}\n"
    llms = scripted(text=text)
    async with running({**llms, "failing": scripted(fail=text)["scripted"]}):
        place = await owner.record("a log")
        said, another, failed = summary(at=place), summary(at=place), summary(at=place, provider="failing")
        for request in (said, another, failed):
            await owner.ask(request)
        contents = [(await owner.result(request)).content for request in (said, another)]
        error = (await owner.result(failed)).error
    expected = [Masker.default(KEY).for_session(each.session_id).mask(text) for each in (said, another, failed)]
    assert [*contents, error] == expected
    assert len(set(expected)) == 3
    for each, content in zip((said, another), contents, strict=True):
        await owner.until_streamed(each, content)


async def test_when_masking_fails_nothing_goes_out(owner: Owner, running: Running, scripted: NewScript) -> None:
    llms = scripted(text=f"The log held {SECRET}\n" * 30)
    failing = {**llms, "failing": scripted(fail=SECRET)["scripted"]}
    async with running(failing, masker=broken_masker()):
        place = await owner.record("a log")
        said, failed = summary(at=place), summary(at=place, provider="failing")
        for request in (said, failed):
            await owner.ask(request)
        assert ((await owner.result(said)).content, (await owner.result(failed)).error) == (REDACTED, REDACTED)
    await owner.until_streamed(said, REDACTED)
    assert [chunk.text for chunk in owner.all(SummaryChunk, said)] == [REDACTED]


async def test_of_a_large_stored_result_the_model_reads_an_excerpt_with_the_cause(
    owner: Owner, running: Running, scripted: NewScript
) -> None:
    log = [f"{number} routine ERROR of kind {'abcdef'[number % 6]}: é" for number in range(100_000)]
    log[70_000] = "FATAL: no such host db-primary"
    data = "\n".join(log).encode()
    async with running(
        scripted(needs=["no such host db-primary", "lines left out", "of kind 1"], refuses=["54321 routine"])
    ):
        request = summary(stored=await owner.store(data[:500_000], data[500_000:1_000_000], data[1_000_000:]))
        await owner.ask(request)
        content = (await owner.result(request)).content
    assert re.fullmatch(r"It restarts\.\n\n\[Of 100000 lines \d+ were left out .*line \d+ to line \d+.*\]", content)


async def test_what_is_no_longer_there_is_reported_as_an_error(
    owner: Owner, running: Running, scripted: NewScript
) -> None:
    async with running(scripted()):
        request = summary(at=LogPosition(partition=3, offset=1_000_000))
        await owner.ask(request)
        result = await owner.result(request)
    assert result.content == ""
    assert "no longer there" in result.error


async def test_a_failure_that_may_pass_is_tried_once_more(owner: Owner, running: Running, scripted: NewScript) -> None:
    async with running(scripted(fail="overloaded", retryable=True, times=1)):
        request = summary(at=await owner.record("a log"))
        await owner.ask(request)
        assert (await owner.result(request)).content == "It restarts."


@pytest.mark.parametrize("failure", [{"retryable": True}, {"retryable": False}])
async def test_a_failure_that_stays_is_reported_masked(
    owner: Owner, running: Running, scripted: NewScript, failure: dict[str, bool]
) -> None:
    async with running(scripted(fail=f"refused, password: {SECRET}", **failure)):
        request = summary(at=await owner.record("a log"))
        await owner.ask(request)
        result = await owner.result(request)
    assert result.error.startswith("refused")
    assert SECRET not in result.error


async def test_a_provider_that_is_not_configured_is_named(owner: Owner, running: Running) -> None:
    async with running({}):
        request = summary(at=await owner.record("a log"), provider="gemini")
        await owner.ask(request)
        assert "gemini" in (await owner.result(request)).error


async def test_beyond_its_bound_the_summarizer_is_busy_and_a_duplicate_is_ignored(
    owner: Owner, running: Running
) -> None:
    model, registry = Endless(), CollectorRegistry()
    async with running({"scripted": model}, at_once=1, registry=registry):
        place = await owner.record("a log")
        first, waiting, second = summary(at=place), summary(at=place), summary(at=place)
        await owner.ask(first)
        await owner.chunk(first)
        await owner.ask(first)
        await owner.ask(waiting)
        await owner.ask(second)

        assert (await owner.not_started(second)).reason == "busy"
        assert owner.all(CallClaimed, second) == owner.all(CallClaimed, waiting) == []
        await owner.claim(first)
        assert len(owner.all(CallClaimed, first)) == model.asked == 1
        assert registry.get_sample_value("tarsy_summarizer_busy_refusals_total") == 1
        assert registry.get_sample_value("tarsy_summarizer_summaries_running") == 1


async def test_a_cancelled_summary_ends_and_makes_room(owner: Owner, running: Running, scripted: NewScript) -> None:
    registry = CollectorRegistry()
    async with running({"scripted": Endless(), "quick": scripted()["scripted"]}, at_once=1, registry=registry):
        place = await owner.record("a log")
        endless, next_one = summary(at=place), summary(at=place, provider="quick")
        await owner.ask(endless)
        await owner.chunk(endless)

        await owner.cancel(endless)

        assert "cancelled" in (await owner.result(endless)).error
        await owner.ask(next_one)
        assert (await owner.result(next_one)).content == "It restarts."
    assert registry.get_sample_value("tarsy_summarizer_summaries_total", {"outcome": "cancelled"}) == 1
    assert registry.get_sample_value("tarsy_summarizer_summaries_running") == 0


async def test_a_summary_that_takes_too_long_is_an_error(owner: Owner, running: Running) -> None:
    async with running({"scripted": Endless()}):
        at = await owner.record("a log")
        # A busy machine may take long until it has read the log.
        for seconds in (1, 10, 80):
            request = summary(at=at, timeout=seconds)
            await owner.ask(request)
            result = await owner.result(request)
            if "Kafka" not in result.error:
                break
        assert result.error == f"no summary in {seconds} seconds"


async def test_at_the_stop_summaries_go_back_to_their_owners(owner: Owner, running: Running) -> None:
    async with running({"scripted": Endless()}) as summarizer:
        request = summary(at=await owner.record("a log"))
        await owner.ask(request)
        await owner.chunk(request)

        summarizer.cancel()

        assert (await owner.not_started(request)).reason == "not_started"
    assert owner.all(SummaryReported, request) == []
