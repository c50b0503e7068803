"""A session learns from the usage on its log how its providers count, and summarises by what it has learned."""

import json
from dataclasses import dataclass

import pytest

from tarsy_contracts import events as e
from tarsy_contracts.conversation import Usage
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.token_rates import BYTES_PER_TOKEN, MOST_BYTES_PER_TOKEN, TextKind
from tarsy_session.evolve import evolve
from tarsy_session.state import NOT_STARTED, Investigating, SessionState
from tarsy_testing.story.story import DELETE, READ, Story, types

LOG = "".join(f"2026-11-23T10:{number % 60:02}:00Z INFO request {number} took 12 ms\n" for number in range(200))
PODS = json.dumps([{"name": f"checkout-{number}", "restarts": number} for number in range(250)])
PROVIDER = "scripted"
BEFORE = 1_000
SAID = 50


@dataclass(frozen=True, slots=True)
class Counts:
    """The provider's counts with the first answer of an iteration and with the next one."""

    first: Usage
    second: Usage


def counted(results: int, *, thoughts: int = 0) -> Counts:
    """As a provider counts that does not take its thoughts back."""
    first = Usage(input_tokens=BEFORE, output_tokens=SAID + thoughts, thinking_tokens=thoughts)
    return Counts(first, Usage(input_tokens=BEFORE + SAID + results, output_tokens=SAID))


def investigated(counts: Counts, *results: str) -> Story:
    """The model asks for as many results, reads them, and asks for another one."""
    story = Story(max_iterations=10).asking()
    story.when(story.answer("I look.", tools=(READ,) * len(results)).model_copy(update={"usage": counts.first}))
    for call, result in zip(story.call_ids, results, strict=True):
        story.when(story.result(call, result))
    story.when(story.answer("Again.", tools=(READ,)).model_copy(update={"usage": counts.second}))
    return story


def learned(story: Story, kind: TextKind = "logs") -> float:
    return story.investigating.token_rates.bytes_per_token(PROVIDER, kind)


def test_what_a_result_added_to_the_input_corrects_the_estimate_for_its_kind() -> None:
    story = investigated(counted(len(LOG) // 2), LOG)
    assert 2.0 < learned(story) < 2.4
    assert learned(story, "json") == BYTES_PER_TOKEN["json"]


def test_several_results_of_one_kind_teach_together() -> None:
    assert 2.0 < learned(investigated(counted(len(PODS)), PODS, PODS), "json") < 2.4


def test_an_outcome_that_became_known_late_is_not_taken_for_tokens_of_the_results() -> None:
    counts = counted(len(LOG))
    story = Story(max_iterations=10).asking()
    story.when(story.answer("I look.", tools=(DELETE, READ)).model_copy(update={"usage": counts.first}))
    delete, read = story.call_ids
    story.when(story.claim(delete))
    story.when(i.WorkerDied(call_id=delete, claim_id="claim-1", worker_id="worker-1"))
    story.when(story.result(delete, LOG))
    story.when(story.result(read, LOG))
    story.when(story.answer("Again.", tools=(READ,)).model_copy(update={"usage": counts.second}))
    assert 2.0 < learned(story) < 2.4


@pytest.mark.parametrize(
    ("counts", "results"),
    [
        (counted(8_000), (LOG, PODS)),
        (counted(100), ("a short log",)),
        (counted(8_000, thoughts=2_000), (LOG,)),
        (Counts(Usage(), Usage(input_tokens=8_000)), (LOG,)),
        (Counts(Usage(input_tokens=8_000), Usage()), (LOG,)),
        (Counts(Usage(input_tokens=8_000), Usage(input_tokens=500)), (LOG,)),
    ],
    ids=["two kinds", "too little", "thoughts among it", "not counted", "not counted later", "became less"],
)
def test_what_cannot_be_told_apart_teaches_nothing(counts: Counts, results: tuple[str, ...]) -> None:
    story = investigated(counts, *results)
    assert story.investigating.token_rates.learned == {}


def test_another_provider_that_goes_on_teaches_nothing() -> None:
    story = Story(max_iterations=10).asking()
    counts = counted(8_000)
    story.when(story.answer("I look.", tools=(READ,)).model_copy(update={"usage": counts.first}))
    story.when(story.result(story.call_ids[0], LOG))
    fell_back = e.ProviderFellBack(
        execution_id=story.execution().id, from_provider=PROVIDER, to_provider="other", kind="credentials", error="401"
    )
    failed = e.LlmCallFailed(
        llm_call_id=story.llm_call_id, execution_id=story.execution().id, error="401", retryable=False
    )
    again = story.asked().model_copy(update={"llm_call_id": "again", "attempt": 2, "llm_provider": "other"})
    given = story.given(story.answer("Again."))
    for event in (failed, fell_back, again):
        story.append(event, given)
    story.when(story.answer("Again.", tools=(READ,)).model_copy(update={"usage": counts.second}))
    assert story.investigating.token_rates.learned == {}


def test_a_result_is_summarised_by_what_the_provider_counts() -> None:
    """18,000 bytes of a log are 6,000 tokens by the measured rate, and 4,500 as this provider counts."""
    story = investigated(counted(len(LOG) // 4), LOG)
    for _ in range(6):
        story.when(story.result(story.call_ids[-1], LOG))
        usage = story.execution().turns[-1].answer.usage
        more = Usage(input_tokens=(usage.input_tokens or 0) + SAID + len(LOG) // 4, output_tokens=SAID)
        story.when(story.answer("Again.", tools=(READ,)).model_copy(update={"usage": more}))
    call = story.call_ids[-1]
    assert "summary.requested" not in types(story.when(story.result(call, LOG, size=18_000)))
    fresh = Story().calling(READ)
    assert "summary.requested" in types(fresh.when(fresh.result(fresh.call_ids[0], LOG, size=18_000)))


def test_a_provider_that_counts_nonsense_moves_the_threshold_within_limits() -> None:
    story = investigated(counted(1), LOG)
    assert learned(story) <= MOST_BYTES_PER_TOKEN
    call = story.call_ids[-1]
    size = round(5_000 * MOST_BYTES_PER_TOKEN) + 1
    assert "summary.requested" in types(story.when(story.result(call, LOG, size=size)))


def test_whoever_reads_the_log_again_has_learned_the_same() -> None:
    story = investigated(counted(len(LOG) // 2), LOG)
    state: SessionState = NOT_STARTED
    for record in story.log:
        state = evolve(state, record)
    assert isinstance(state, Investigating)
    assert state.token_rates == story.investigating.token_rates
