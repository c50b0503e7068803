"""What people see of the calls of models and tools: when an event comes, then these changes."""

import pytest

from tarsy_contracts import events as e
from tarsy_contracts.conversation import Usage
from tarsy_contracts.public.call_events import PublicSummaryCompleted
from tarsy_contracts.public.mapping import public_event
from tarsy_contracts.public.model import TokenUsage
from tarsy_contracts.timeline.changes import TimelineCreated, TimelineEnded, llm_timeline_event_id, timeline_changes
from tarsy_contracts.wire.ids import runbook_call_id, timeline_event_id
from tarsy_testing.story.seen import at, created, ended, shown


@pytest.mark.parametrize(
    "event",
    [
        e.LlmCallRequested(llm_call_id="l", execution_id="x", iteration=1, attempt=1, purpose="iteration"),
        e.ToolCallStarted(call_id="c", claim_id="k", worker_id="w"),
        e.ToolCallReleased(call_id="c", claim_id="k", reason="busy"),
        e.SummaryStarted(summary_id="m", claim_id="k", worker_id="w"),
        e.SummaryReleased(summary_id="m", claim_id="k", reason="worker_died"),
        None,
    ],
    ids=lambda event: event.type if event else "an event of an unknown type",
)
def test_nothing_is_seen_of(event: e.Event | None) -> None:
    assert timeline_changes(at(7, event)) == []


def answer(*, thinking: str = "", text: str = "", reminder: str = "") -> e.LlmCallCompleted:
    return e.LlmCallCompleted(
        llm_call_id="l",
        execution_id="x",
        thinking=thinking,
        text=text,
        tool_calls=(),
        usage=Usage(),
        model="m1",
        duration_ms=5,
        reminder=reminder,
    )


def test_an_answer_shows_what_was_thought_before_what_was_said() -> None:
    thought, said = shown(answer(thinking="hm", text="ah"))
    assert isinstance(thought, TimelineCreated)
    assert isinstance(said, TimelineCreated)
    assert (thought.event_type, said.event_type) == ("llm_thinking", "llm_response")
    assert thought.sequence_number == 70
    assert said.sequence_number == 71
    assert thought.metadata == said.metadata == {"model": "m1", "duration_ms": 5}


def test_the_chunks_of_an_answer_belong_to_what_the_answer_shows() -> None:
    thought, said = shown(answer(thinking="hm", text="ah"))
    assert isinstance(thought, TimelineCreated)
    assert isinstance(said, TimelineCreated)
    assert thought.event_id == llm_timeline_event_id("l", "thinking")
    assert said.event_id == llm_timeline_event_id("l", "text")


@pytest.mark.parametrize(
    ("given", "types"),
    [
        (answer(thinking="hm"), ["llm_thinking"]),
        (answer(text="ah"), ["llm_response"]),
        (answer(), []),
    ],
)
def test_what_a_model_did_not_say_is_not_shown(given: e.LlmCallCompleted, types: list[str]) -> None:
    assert [one.event_type for one in shown(given) if isinstance(one, TimelineCreated)] == types


def test_a_failed_llm_call_is_an_error_of_its_execution() -> None:
    error = created(e.LlmCallFailed(llm_call_id="l", execution_id="x", error="quota", retryable=True))
    assert (error.event_type, error.status, error.content) == ("error", "completed", "quota")
    assert error.execution_id == "x"
    assert error.metadata == {"retry": True, "kind": ""}


def test_a_failure_that_cannot_be_repaired_by_asking_again_says_so() -> None:
    event = e.LlmCallFailed(llm_call_id="l", execution_id="x", error="401", retryable=False, kind="credentials")
    assert created(event).metadata == {"retry": False, "kind": "credentials"}


def test_a_question_that_nobody_waits_for_is_cancelled() -> None:
    """Its event ends what streamed of it, so that there is always one."""
    event = e.LlmCallFailed(
        llm_call_id="l", execution_id="x", error="cancelled by bob", retryable=False, kind="cancelled"
    )
    error = created(event)
    assert (error.event_id, error.status) == (timeline_event_id("l", "error"), "cancelled")


@pytest.mark.parametrize(
    ("kind", "status"),
    [("session_timeout", "timed_out"), ("iteration_timeout", "timed_out"), ("call_timeout", "completed")],
)
def test_what_was_streamed_until_the_time_was_up_stays_and_says_so(kind: str, status: str) -> None:
    event = e.LlmCallFailed(
        llm_call_id="l", execution_id="x", error="late", retryable=False, kind=kind, thinking="hm", text="The po"
    )
    items = [one for one in shown(event) if isinstance(one, TimelineCreated)]
    assert [(one.event_type, one.status, one.content) for one in items] == [
        ("llm_thinking", "timed_out", "hm"),
        ("llm_response", "timed_out", "The po"),
        ("error", status, "late"),
    ]
    assert len({one.sequence_number for one in items}) == len(items)


@pytest.mark.parametrize("outcome", ["cancelled", "unknown"])
def test_a_call_that_the_end_of_time_has_ended_says_so(outcome: e.Outcome) -> None:
    assert ended(e.ToolCallCompleted(call_id="c", outcome=outcome, content="", timed_out=True)).status == "timed_out"
    late = e.SummaryFailed(summary_id="s", call_id="c", error="late", timed_out=True)
    assert ended(late).status == "timed_out"


def requested(attempt: int = 1, wait_seconds: float = 0.0, *, rate_limited: bool = False) -> e.LlmCallRequested:
    return e.LlmCallRequested(
        llm_call_id="l",
        execution_id="x",
        iteration=3,
        attempt=attempt,
        purpose="iteration",
        llm_provider="gemini",
        wait_seconds=wait_seconds,
        rate_limited=rate_limited,
    )


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (
            requested(2, 30, rate_limited=True),
            "gemini has too much to do (rate limit). It is asked again in 30 s (attempt 2).",
        ),
        (requested(3, 1.5), "A question to gemini failed. It is asked again in 1.5 s (attempt 3)."),
        (requested(3, 2.0), "A question to gemini failed. It is asked again in 2 s (attempt 3)."),
        (requested(2, 9.98), "A question to gemini failed. It is asked again in 10 s (attempt 2)."),
        (
            requested(2, 0.5).model_copy(update={"llm_provider": ""}),
            "A question to the model failed. It is asked again in 0.5 s (attempt 2).",
        ),
    ],
    ids=["rate limit", "a failure", "whole seconds", "nearly ten", "an event of before providers were named"],
)
def test_who_waits_for_a_provider_says_for_how_long_and_why(event: e.LlmCallRequested, text: str) -> None:
    wait = created(event)
    assert (wait.event_type, wait.status, wait.content, wait.execution_id) == ("llm_wait", "completed", text, "x")
    assert wait.metadata == {
        "llm_provider": event.llm_provider,
        "wait_seconds": event.wait_seconds,
        "rate_limited": event.rate_limited,
        "attempt": event.attempt,
    }


def test_another_attempt_without_a_wait_is_not_news() -> None:
    assert shown(requested(2)) == []


@pytest.mark.parametrize(
    ("update", "text"),
    [
        (
            {"tools_left_out": ("k8s__exec", "k8s__top")},
            "gemini does not take these tools: k8s__exec, k8s__top. The agent goes on without them.",
        ),
        (
            {"shortened": e.Shortening(results_left_out=1)},
            "The conversation is too long for gemini, and is shortened. The first result is left out; the agent can"
            " read them again.",
        ),
        (
            {"shortened": e.Shortening(results_left_out=3, result_characters=2000)},
            "The conversation is too long for gemini, and is shortened. The first 3 results are left out; the agent can"
            " read them again. Of each other result the agent reads 2000 characters.",
        ),
    ],
    ids=["tools", "one result", "several results"],
)
def test_what_the_limits_of_a_model_cost_is_said(update: dict[str, object], text: str) -> None:
    limit = created(requested(2).model_copy(update=update))
    assert (limit.event_type, limit.status, limit.content, limit.execution_id) == ("llm_limit", "completed", text, "x")
    assert limit.metadata["tools_left_out"] == list(requested(2).model_copy(update=update).tools_left_out)


@pytest.mark.parametrize(("kind", "retry"), [("context_full", True), ("tools_refused", True), ("credentials", False)])
def test_a_question_that_is_asked_in_another_form_is_no_worry(kind: str, retry: bool) -> None:
    failed = e.LlmCallFailed(llm_call_id="l", execution_id="x", error="no", retryable=False, kind=kind)
    assert created(failed).metadata["retry"] is retry


def test_an_answer_from_which_nothing_followed_has_what_the_agent_was_told() -> None:
    said = created(answer(text="Thought: hm", reminder="Write an Action or a Final Answer."))
    assert said.metadata["reminder"] == "Write an Action or a Final Answer."


def test_a_tool_call_streams_with_what_is_known_of_it() -> None:
    call = created(
        e.ToolCallRequested(
            call_id="c",
            execution_id="x",
            llm_call_id="l",
            server="kubernetes",
            tool="pods_list",
            arguments={"namespace": "shop"},
            repeatable=True,
            timeout_seconds=60,
        )
    )
    assert (call.event_type, call.status, call.content) == ("llm_tool_call", "streaming", "")
    assert call.execution_id == "x"
    assert call.metadata == {
        "call_id": "c",
        "server_name": "kubernetes",
        "tool_name": "pods_list",
        "arguments": {"namespace": "shop"},
        "repeatable": True,
        "read_only": None,
    }


@pytest.mark.parametrize(
    ("outcome", "status", "is_error"),
    [
        ("ok", "completed", False),
        ("tool_error", "completed", True),
        ("rejected", "completed", True),
        ("unavailable", "failed", True),
        ("unknown", "failed", True),
        ("cancelled", "cancelled", True),
    ],
)
def test_a_tool_call_ends_as_its_outcome_says(outcome: e.Outcome, status: str, is_error: bool) -> None:
    end = ended(
        e.ToolCallCompleted(
            call_id="c", outcome=outcome, content="text", cut=True, size=10, lines=2, claim_id="k", duration_ms=5
        )
    )
    assert end.event_id == timeline_event_id("c", "llm_tool_call")
    assert (end.status, end.content) == (status, "text")
    assert end.metadata == {
        "outcome": outcome,
        "is_error": is_error,
        "cut": True,
        "size": 10,
        "lines": 2,
        "duration_ms": 5,
    }


@pytest.mark.parametrize("timed_out", [True, False])
def test_a_call_whose_session_ran_out_of_time_is_shown_as_timed_out(timed_out: bool) -> None:
    end = ended(e.ToolCallCompleted(call_id="c", outcome="cancelled", content="too long", timed_out=timed_out))
    assert (end.status, end.metadata["outcome"]) == ("timed_out" if timed_out else "cancelled", "cancelled")


def test_an_outcome_that_was_learned_later_is_told_beside_the_call_that_ended() -> None:
    note = created(e.ToolCallOutcomeLearned(call_id="c", claim_id="k", outcome="ok", content="deleted"))
    assert note.content == "The outcome of a call that had ended as unknown is known now (ok): deleted"
    assert note.event_id != timeline_event_id("c", "llm_tool_call")


def test_a_summary_streams_beside_its_call_and_ends() -> None:
    begun = created(e.SummaryRequested(summary_id="m", call_id="c", execution_id="x", timeout_seconds=60))
    assert (begun.event_type, begun.status, begun.execution_id) == ("mcp_tool_summary", "streaming", "x")
    assert begun.metadata == {"call_id": "c", "call_event_id": timeline_event_id("c", "llm_tool_call")}
    known = {"server": "kubernetes", "tool": "pods_log", "estimated_tokens": 9_000}
    told = created(e.SummaryRequested(summary_id="m", call_id="c", execution_id="x", timeout_seconds=60, **known))
    facts = {"server_name": "kubernetes", "tool_name": "pods_log", "estimated_tokens": 9_000}
    assert told.metadata == begun.metadata | facts
    done = ended(
        e.SummaryCompleted(summary_id="m", call_id="c", content="short", usage=Usage(), model="m1", duration_ms=5)
    )
    assert (done.event_id, done.status, done.content) == (begun.event_id, "completed", "short")
    failed = ended(e.SummaryFailed(summary_id="m", call_id="c", error="quota"))
    assert (failed.event_id, failed.status, failed.content) == (begun.event_id, "failed", "quota")


def test_a_summary_tells_its_model_its_tool_and_what_it_saved() -> None:
    attempts = (e.SummaryAttempt(provider="first", error="cut off"), e.SummaryAttempt(provider="second", model="m1"))
    tool = {"execution_id": "x", "server": "kubernetes", "tool": "pods_log"}
    done = e.SummaryCompleted.model_validate(
        {"summary_id": "m", "call_id": "c", "content": "short", "usage": {}, "model": "m1", "duration_ms": 5, **tool,
         "tokens_before": 30_000, "tokens_after": 200, "attempts": attempts}
    )  # fmt: skip
    assert ended(done).metadata == {
        "server_name": "kubernetes", "tool_name": "pods_log", "model": "m1", "duration_ms": 5,
        "tokens_before": 30_000, "tokens_after": 200, "attempts": 2,
    }  # fmt: skip
    failed = e.SummaryFailed.model_validate(
        {"summary_id": "m", "call_id": "c", "error": "quota", **tool, "attempts": attempts[:1]}
    )
    assert ended(failed).metadata == {
        "server_name": "kubernetes", "tool_name": "pods_log", "tokens_before": None, "attempts": 1,
    }  # fmt: skip


def test_a_summary_that_was_reused_names_the_call_that_it_is_of() -> None:
    done = e.SummaryCompleted(
        summary_id="m", call_id="c", content="short", usage=Usage(), model="m1", duration_ms=0, reused_from="b"
    )
    assert ended(done).metadata["reused_from"] == "b"
    shown = public_event(done)
    assert isinstance(shown, PublicSummaryCompleted)
    assert (shown.reused_from, shown.usage) == ("b", TokenUsage())
    assert "reused_from" not in ended(done.model_copy(update={"reused_from": ""})).metadata


def fetched(outcome: e.Outcome, content: str) -> TimelineEnded:
    (change,) = timeline_changes(
        at(9, e.ToolCallCompleted(call_id=runbook_call_id("s"), outcome=outcome, content=content))
    )
    assert isinstance(change, TimelineEnded)
    return change


def test_a_runbook_is_of_the_session_and_streams_until_it_is_there() -> None:
    begun = created(
        e.ToolCallRequested(
            call_id=runbook_call_id("s"),
            execution_id="",
            llm_call_id="",
            server="tarsy",
            tool="fetch_runbook",
            arguments={"url": "https://example.test/r.md"},
            repeatable=True,
            timeout_seconds=60,
            purpose="runbook",
        )
    )
    assert (begun.event_type, begun.status, begun.execution_id) == ("runbook", "streaming", None)
    assert begun.metadata["arguments"] == {"url": "https://example.test/r.md"}
    done = fetched("ok", "# Look")
    assert (done.event_id, done.event_type) == (begun.event_id, "runbook")
    assert (done.status, done.content) == ("completed", "# Look")


@pytest.mark.parametrize(
    ("outcome", "status"),
    [
        ("tool_error", "failed"),
        ("rejected", "failed"),
        ("unavailable", "failed"),
        ("unknown", "failed"),
        ("cancelled", "cancelled"),
    ],
)
def test_a_runbook_that_is_not_there_has_failed_whoever_said_so(outcome: e.Outcome, status: str) -> None:
    end = fetched(outcome, "404")
    assert (end.status, end.content) == (status, "404")


def test_the_call_of_an_agent_in_another_session_is_no_runbook() -> None:
    end = ended(e.ToolCallCompleted(call_id=runbook_call_id("another"), outcome="ok", content=""))
    assert end.event_type == "llm_tool_call"
