"""What people see of stages and executions: when an event comes, then these changes."""

from tarsy_contracts import events as e
from tarsy_contracts.events.execution import ExecutionOutcome, ExecutionSpec
from tarsy_contracts.timeline.changes import (
    ExecutionChanged,
    SessionChanged,
    StageChanged,
    StageDetails,
    TimelineCreated,
)
from tarsy_testing.story.seen import created, shown

PLAIN = StageDetails(
    stage_type="investigation",
    chain_stage=0,
    expected_agent_count=1,
    parallel_type=None,
    success_policy=None,
    referenced_stage_id=None,
)


def test_the_session_begins_with_its_first_stage() -> None:
    assert shown(e.StageStarted(stage_id="t", index=1, name="look")) == [
        SessionChanged(status="in_progress"),
        StageChanged(stage_id="t", stage_name="look", stage_index=1, status="active", begun=PLAIN),
    ]


def test_a_later_stage_begins_with_what_it_is_and_ends() -> None:
    begun = e.StageStarted(
        stage_id="u",
        index=2,
        name="look - Synthesis",
        stage_type="synthesis",
        chain_stage=0,
        referenced_stage_id="t",
    )
    facts = PLAIN.model_copy(update={"stage_type": "synthesis", "referenced_stage_id": "t"})
    assert shown(begun) == [
        StageChanged(stage_id="u", stage_name="look - Synthesis", stage_index=2, status="active", begun=facts)
    ]
    assert shown(e.StageCompleted(stage_id="u", index=2, name="look - Synthesis", status="failed", error="no")) == [
        StageChanged(stage_id="u", stage_name="look - Synthesis", stage_index=2, status="failed", error_message="no")
    ]


def test_agents_in_parallel_are_told_with_their_stage() -> None:
    (change,) = shown(
        e.StageStarted(
            stage_id="t",
            index=2,
            name="look",
            chain_stage=1,
            expected_agent_count=3,
            parallel_type="replica",
            success_policy="all",
        )
    )
    assert isinstance(change, StageChanged)
    assert change.begun == StageDetails(
        stage_type="investigation",
        chain_stage=1,
        expected_agent_count=3,
        parallel_type="replica",
        success_policy="all",
        referenced_stage_id=None,
    )


def test_an_agent_begins() -> None:
    begun = e.ExecutionStarted(
        execution_id="x",
        stage_id="t",
        agent="A",
        index=1,
        system="secret",
        prompt="long",
        tools=(),
        llm_provider="gemini",
        controller="react",
        max_iterations=20,
    )
    assert shown(begun) == [
        ExecutionChanged(
            execution_id="x",
            stage_id="t",
            agent_name="A",
            agent_index=1,
            status="active",
            spec=ExecutionSpec(agent="A", llm_provider="gemini", controller="react", max_iterations=20),
        )
    ]


def test_an_agent_ends_with_its_analysis_before_its_status() -> None:
    done = e.ExecutionCompleted(
        execution_id="x",
        stage_id="t",
        agent="A",
        index=1,
        status="completed",
        final_analysis="DNS",
        iterations=20,
        forced_conclusion=True,
    )
    analysis, execution = shown(done)
    assert isinstance(analysis, TimelineCreated)
    assert (analysis.event_type, analysis.content, analysis.execution_id) == ("final_analysis", "DNS", "x")
    assert analysis.metadata == {"iterations_used": 20, "forced_conclusion": True}
    assert execution == ExecutionChanged(
        execution_id="x",
        stage_id="t",
        agent_name="A",
        agent_index=1,
        status="completed",
        outcome=ExecutionOutcome(status="completed", iterations=20, forced_conclusion=True),
    )


def test_a_partial_analysis_says_why_it_is_one() -> None:
    done = e.ExecutionCompleted(
        execution_id="x",
        stage_id="t",
        agent="A",
        index=1,
        status="completed",
        final_analysis="DNS",
        partial_reason="why",
    )
    analysis, execution = shown(done)
    assert isinstance(analysis, TimelineCreated)
    assert analysis.metadata == {"partial_reason": "why"}
    assert isinstance(execution, ExecutionChanged)
    assert execution.outcome == ExecutionOutcome(status="completed", partial_reason="why")


def test_an_event_of_before_iterations_were_counted_does_not_say_none_were_used() -> None:
    done = e.ExecutionCompleted(
        execution_id="x", stage_id="t", agent="A", index=1, status="completed", final_analysis="DNS"
    )
    analysis, _ = shown(done)
    assert isinstance(analysis, TimelineCreated)
    assert analysis.metadata == {}


def test_an_agent_that_found_nothing_only_ends() -> None:
    failed = e.ExecutionCompleted(execution_id="x", stage_id="t", agent="A", index=1, status="failed", error="why")
    assert shown(failed) == [
        ExecutionChanged(
            execution_id="x",
            stage_id="t",
            agent_name="A",
            agent_index=1,
            status="failed",
            error_message="why",
            outcome=ExecutionOutcome(status="failed", error="why"),
        )
    ]


def test_a_fallback_says_who_did_not_answer_why_and_who_is_asked_instead() -> None:
    event = e.ProviderFellBack(
        execution_id="x", from_provider="gemini", to_provider="claude", kind="credentials", error="401"
    )
    note = created(event)
    assert (note.event_type, note.status, note.execution_id) == ("provider_fallback", "completed", "x")
    assert note.content == "gemini did not answer (401). From here on claude is asked."
    assert note.metadata == {"from": "gemini", "to": "claude", "kind": "credentials", "error": "401"}
