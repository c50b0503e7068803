"""Facts of an execution: spelled once, and the same on the log, in the timeline and in answers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_core import from_json

from tarsy_contracts.budgets import Spending
from tarsy_contracts.events import ExecutionCompleted, ExecutionStarted
from tarsy_contracts.events.execution import ExecutionOutcome, ExecutionSpec, to_facts
from tarsy_testing.any_message import any_of

STARTED_BY_0_1_0 = (
    b'{"execution_id":"x","stage_id":"t","agent":"A","index":1,"system":"s","prompt":"p","tools":[],'
    b'"unavailable_servers":["git"],"llm_provider":"gemini","controller":"react","max_iterations":20,"prompt_of":"",'
    b'"stage_tools":[]}'
)
COMPLETED_BY_0_1_0 = (
    b'{"execution_id":"x","stage_id":"t","agent":"A","index":1,"status":"failed","final_analysis":"DNS","error":"why",'
    b'"iterations":20,"forced_conclusion":true,"stage_type":"investigation"}'
)
SPEC = ExecutionSpec(
    agent="A", llm_provider="gemini", controller="react", max_iterations=20, unavailable_servers=("git",)
)
OUTCOME = ExecutionOutcome(status="failed", error="why", iterations=20, forced_conclusion=True)


def test_events_of_the_last_release_say_the_facts_that_it_knew() -> None:
    assert ExecutionStarted.model_validate_json(STARTED_BY_0_1_0).spec == SPEC
    assert ExecutionCompleted.model_validate_json(COMPLETED_BY_0_1_0).outcome == OUTCOME


@pytest.mark.parametrize(
    ("kind", "body"), [(ExecutionStarted, STARTED_BY_0_1_0), (ExecutionCompleted, COMPLETED_BY_0_1_0)]
)
def test_the_last_release_finds_each_fact_where_it_wrote_it(
    kind: type[ExecutionStarted | ExecutionCompleted], body: bytes
) -> None:
    """It reads no other version, so an event of ours has to be one of its own, which may say more."""
    written = from_json(kind.model_validate_json(body).to_bytes())
    assert kind.version == 1
    assert {name: written[name] for name in from_json(body)} == from_json(body)


@given(st.data())
def test_an_event_says_its_facts_whole(data: st.DataObject) -> None:
    started, completed = data.draw(any_of(ExecutionStarted)), data.draw(any_of(ExecutionCompleted))
    assert isinstance(started, ExecutionStarted)
    assert isinstance(completed, ExecutionCompleted)
    for facts, event in ((started.spec, started), (completed.outcome, completed)):
        assert type(facts).model_validate_json(facts.model_dump_json()) == facts
        assert facts.model_dump().items() <= event.model_dump().items()


def test_what_no_event_said_is_null_in_answers() -> None:
    assert to_facts(ExecutionSpec(agent="A"), ExecutionOutcome(status="completed")) == {
        "llm_provider": None, "controller": "function_calling", "max_iterations": None,
        "iterations": 0, "forced_conclusion": False, "partial_reason": None, "parent_execution_id": None, "task": None,
        "cost": None, "cost_completeness": "none", "unpriced_calls": 0,
    }  # fmt: skip
    assert to_facts(None, None) == {}


def test_answers_show_what_events_say() -> None:
    found = to_facts(SPEC, OUTCOME)
    assert (found["llm_provider"], found["max_iterations"], found["iterations"]) == ("gemini", 20, 20)


@pytest.mark.parametrize(
    ("spending", "shown"),
    [
        (Spending(tokens=10, cost=0.5, calls=2), (0.5, "complete", 0)),
        (Spending(tokens=10, cost=0.5, calls=2, unpriced=1), (0.5, "partial", 1)),
        (Spending(tokens=10, calls=2, unpriced=2), (None, "none", 2)),
        # Nobody knows what a call that was broken off has used.
        (Spending(calls=1), (None, "none", 0)),
        # A model of one's own that costs nothing.
        (Spending(tokens=10, calls=1), (0.0, "complete", 0)),
    ],
)
def test_answers_show_what_an_agent_cost_and_never_zero_for_what_is_unknown(
    spending: Spending, shown: tuple[float | None, str, int]
) -> None:
    found = to_facts(SPEC, OUTCOME.model_copy(update={"spending": spending}))
    assert (found["cost"], found["cost_completeness"], found["unpriced_calls"]) == shown
