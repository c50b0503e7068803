"""A whole chain: stages in order, agents side by side, a fallback, a summary, syntheses, an executive summary."""

from pathlib import Path

from tarsy_contracts import events as e
from tarsy_testing.story.live_log import records_of
from tarsy_testing.system.chains import rows
from tarsy_testing.system.investigation import shown
from tarsy_testing.system.system import System
from tarsy_verification.invariants import chain_faults, run_faults
from tarsy_verification.session_log import SessionLog
from tarsy_verification.tool_runs import runs_of

ANALYSIS = "Roll checkout back to v2.13.2."
SUMMARY = "Checkout v2.14.0 does not fit into its memory. Roll it back."


def session_of(log: SessionLog) -> str:
    return log.accepted[0].session_id


def agents(log: SessionLog) -> dict[str, str]:
    return {event.execution_id: event.agent for event in log.events(e.ExecutionStarted)}


def test_its_stages_follow_one_another_and_every_agent_completes(told: SessionLog) -> None:
    stages = [(one.name, one.stage_type, one.parallel_type) for one in told.events(e.StageStarted)]
    assert stages == [
        ("look", "investigation", "multi_agent"),
        ("look - Synthesis", "synthesis", None),
        ("review", "investigation", "replica"),
        ("review - Synthesis", "synthesis", None),
        ("Executive Summary", "exec_summary", None),
    ]
    assert list(agents(told).values()) == [
        "PodAgent", "LogAgent", "SynthesisAgent", "Reviewer-1", "Reviewer-2", "SynthesisAgent", "ExecSummaryAgent",
    ]  # fmt: skip
    assert [one.status for one in told.events(e.ExecutionCompleted)] == ["completed"] * 7
    assert [one.status for one in told.events(e.StageCompleted)] == ["completed"] * 5
    (end,) = told.events(e.SessionCompleted)
    assert (end.final_analysis, end.executive_summary, end.executive_summary_error) == (ANALYSIS, SUMMARY, "")


def test_agents_of_a_stage_run_side_by_side(told: SessionLog) -> None:
    for stage in ("look", "review"):
        (id,) = [one.stage_id for one in told.events(e.StageStarted) if one.name == stage]
        kinds = (e.ExecutionStarted, e.ExecutionCompleted)
        here = [one.event for one in told.accepted if isinstance(one.event, kinds) and one.event.stage_id == id]
        assert [type(one) for one in here] == [*[e.ExecutionStarted] * 2, *[e.ExecutionCompleted] * 2]


def test_an_agent_falls_back_to_another_provider_and_stays_there(told: SessionLog) -> None:
    (fell_back,) = told.events(e.ProviderFellBack)
    assert agents(told)[fell_back.execution_id] == "PodAgent"
    assert (fell_back.from_provider, fell_back.to_provider, fell_back.kind) == ("without-key", "steady", "credentials")
    asked = [one for one in told.events(e.LlmCallRequested) if one.execution_id == fell_back.execution_id]
    assert [one.llm_provider for one in asked] == ["without-key", "steady", "steady"]


def test_a_long_result_is_summarised_for_the_agent_that_asked(told: SessionLog) -> None:
    """That the summary reaches it and the synthesis, the script sees to: it says nothing without."""
    (summarised,) = records_of(told, e.SummaryCompleted)
    next_one = told.accepted[summarised.number].event
    (requested,) = told.events(e.SummaryRequested)
    (call,) = [one for one in told.events(e.ToolCallRequested) if one.call_id == requested.call_id]
    assert (call.tool, agents(told)[call.execution_id]) == ("pods_log", "LogAgent")
    assert isinstance(next_one, e.LlmCallRequested)
    assert (next_one.execution_id, next_one.iteration) == (call.execution_id, 2)


async def test_its_summary_is_on_the_bill_of_the_agent_that_asked(system: System, told: SessionLog) -> None:
    (summarised,) = told.events(e.SummaryCompleted)
    (attempt,) = summarised.attempts
    assert (attempt.provider, attempt.model, attempt.usage.input_tokens) == ("steady", "scripted", 30_000)
    assert (summarised.server, summarised.tool, summarised.tokens_after) == ("kubernetes", "pods_log", 30)
    assert (summarised.tokens_before or 0) > 100_000
    session = await shown(system, session_of(told), told)
    _, logs = rows(rows(session["stages"])[0]["executions"])
    answers = [one for one in told.events(e.LlmCallCompleted) if one.execution_id == logs["execution_id"]]
    assert logs["input_tokens"] == 30_000 + sum(one.usage.input_tokens or 0 for one in answers)
    assert logs["llm_interaction_count"] == 1 + len(answers)
    (shown_summary,) = [
        one for one in rows(system.get(f"/api/v1/sessions/{session_of(told)}/timeline"))
        if one["event_type"] == "mcp_tool_summary"
    ]  # fmt: skip
    metadata = shown_summary["metadata"]
    assert isinstance(metadata, dict)
    assert (metadata["model"], metadata["tokens_after"]) == ("scripted", 30)


def test_what_is_destructive_runs_once(told: SessionLog, lab_calls: Path) -> None:
    runs = runs_of(lab_calls, session_of(told))
    assert [run.tool for run in runs].count("pods_delete") == 1
    assert [*chain_faults(told), *run_faults(told, runs)] == []


async def test_the_api_tells_of_stages_agents_and_fallback(system: System, told: SessionLog) -> None:
    session = await shown(system, session_of(told), told)
    assert (session["status"], session["final_analysis"], session["executive_summary"]) == (
        "completed", ANALYSIS, SUMMARY,
    )  # fmt: skip
    assert session["has_parallel_stages"] is True
    stages = rows(session["stages"])
    assert [(one["stage_type"], one["expected_agent_count"], one["status"]) for one in stages] == [
        ("investigation", 2, "completed"),
        ("synthesis", 1, "completed"),
        ("investigation", 2, "completed"),
        ("synthesis", 1, "completed"),
        ("exec_summary", 1, "completed"),
    ]
    assert stages[1]["referenced_stage_id"] == stages[0]["id"]
    pods, logs = rows(stages[0]["executions"])
    assert (pods["llm_provider"], pods["original_llm_provider"], pods["fallback_error_code"]) == (
        "steady", "without-key", "credentials",
    )  # fmt: skip
    assert (logs["llm_provider"], logs["original_llm_provider"], logs["iterations"]) == ("steady", None, 3)
    reviewers = rows(stages[2]["executions"])
    assert [(one["agent_name"], one["controller"]) for one in reviewers] == [
        ("Reviewer-1", "react"), ("Reviewer-2", "react"),
    ]  # fmt: skip
    timeline = rows(system.get(f"/api/v1/sessions/{session_of(told)}/timeline"))
    assert {str(one["status"]) for one in timeline} <= {"completed", "failed"}
    assert {"final_analysis", "executive_summary", "llm_tool_call", "mcp_tool_summary"} <= {
        str(one["event_type"]) for one in timeline
    }
