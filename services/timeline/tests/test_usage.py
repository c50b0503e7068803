"""What a session cost: its agents' questions and the summaries of their results, also those that failed."""

from collections.abc import Callable
from typing import Any

from projected_world import Json, World, records, told

from tarsy_contracts import events as e
from tarsy_contracts.conversation import Usage
from tarsy_contracts.wire.ids import execution_id, stage_id
from tarsy_contracts.wire.numbers import LARGEST_COUNT

type NewSession = Callable[[], Any]

TOKENS = (
    "llm_interaction_count", "input_tokens", "output_tokens", "total_tokens", "thinking_tokens",
    "cached_input_tokens", "cache_written_tokens",
)  # fmt: skip
SPENT = Usage(input_tokens=5_000, output_tokens=600, thinking_tokens=400)
CACHED = Usage(
    input_tokens=7_000, output_tokens=900, thinking_tokens=100, cached_input_tokens=4_000, cache_written_tokens=500
)


def of_first_agent(session: Any) -> str:
    return execution_id(stage_id(session.id, 1), 1)


def attempt(provider: str, usage: Usage, error: str = "") -> e.SummaryAttempt:
    return e.SummaryAttempt(provider=provider, usage=usage, error=error)


def completed(execution: str, *attempts: e.SummaryAttempt) -> e.SummaryCompleted:
    return e.SummaryCompleted(
        summary_id="m", call_id="c", execution_id=execution, server="kubernetes", tool="pods_log", content="short",
        usage=SPENT, model="m2", duration_ms=5, tokens_before=30_000, tokens_after=200, attempts=attempts,
    )  # fmt: skip


def failed(execution: str, *attempts: e.SummaryAttempt) -> e.SummaryFailed:
    return e.SummaryFailed(summary_id="m", call_id="c", execution_id=execution, error="quota", attempts=attempts)


def tokens(shown: Json) -> tuple[int, ...]:
    return tuple(shown[name] for name in TOKENS)


async def both(world: World, session: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The tokens of the first agent, and those of the session, which list and detail show alike."""
    detail = await world.detail(session)
    [item] = (await world.get("/api/v1/sessions"))["sessions"]
    assert tokens(item) == tokens(detail)
    return tokens(detail["stages"][0]["executions"][0]), tokens(detail)


async def test_every_attempt_of_a_summary_counts_into_execution_and_session(
    world: World, new_session: NewSession
) -> None:
    session = told(new_session, until=13)
    await world.project(*records(session))
    before, all_before = await both(world, session)
    session.add(completed(of_first_agent(session), attempt("first", CACHED, "cut off"), attempt("second", SPENT)))
    await world.project(session.recorded(14))

    agent, whole = await both(world, session)

    added = (2, 12_000, 1_500, 13_500, 500, 4_000, 500)
    assert agent == tuple(one + more for one, more in zip(before, added, strict=True))
    assert whole == tuple(one + more for one, more in zip(all_before, added, strict=True))


async def test_a_summary_that_failed_costs_as_well(world: World, new_session: NewSession) -> None:
    session = told(new_session, until=13)
    await world.project(*records(session))
    before, _ = await both(world, session)
    session.add(failed(of_first_agent(session), attempt("first", SPENT, "refused"), attempt("second", Usage(), "401")))
    await world.project(session.recorded(14))

    agent, _ = await both(world, session)

    assert agent == tuple(one + more for one, more in zip(before, (2, 5_000, 600, 5_600, 400, 0, 0), strict=True))


async def test_a_question_that_failed_costs_as_well_and_is_no_answer(world: World, new_session: NewSession) -> None:
    session = told(new_session, until=13)
    await world.project(*records(session))
    before, _ = await both(world, session)
    execution = of_first_agent(session)
    unanswered = e.LlmCallFailed(llm_call_id="l", execution_id=execution, error="401", retryable=False)
    session.add(unanswered, unanswered.model_copy(update={"error": "refused", "usage": SPENT}))
    await world.project(session.recorded(14), session.recorded(15))

    agent, _ = await both(world, session)

    assert agent == tuple(one + more for one, more in zip(before, (0, 5_000, 600, 5_600, 400, 0, 0), strict=True))


async def test_the_model_of_an_agent_is_not_that_of_its_summaries(world: World, new_session: NewSession) -> None:
    session = told(new_session, until=13)
    session.add(completed(of_first_agent(session), attempt("first", SPENT)))
    await world.project(*records(session))

    assert (await world.detail(session))["stages"][0]["executions"][0]["model_name"] is None


async def test_summaries_of_older_writers_and_those_that_were_reused_count_for_nobody(
    world: World, new_session: NewSession
) -> None:
    session = told(new_session, until=13)
    await world.project(*records(session))
    before = await both(world, session)
    old = e.SummaryCompleted(summary_id="m", call_id="c", content="short", usage=SPENT, model="m2", duration_ms=5)
    reused = completed(of_first_agent(session)).model_copy(update={"usage": Usage(), "reused_from": "b"})
    session.add(old, e.SummaryFailed(summary_id="n", call_id="d", error="quota"), reused)
    await world.project(*(session.recorded(number) for number in (14, 15, 16)))

    assert await both(world, session) == before


async def test_counts_of_a_provider_that_counts_nonsense_stay_in_bounds(world: World, new_session: NewSession) -> None:
    session = told(new_session, until=13)
    nonsense = Usage.model_validate(dict.fromkeys(Usage.model_fields, LARGEST_COUNT))
    session.add(completed(of_first_agent(session), attempt("first", nonsense), attempt("second", nonsense)))
    await world.project(*records(session))

    agent, _ = await both(world, session)

    assert agent[4:] == (LARGEST_COUNT,) * 3
