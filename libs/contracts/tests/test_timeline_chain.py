"""What people see of a whole chain, whatever ends it: given a log, then these changes."""

from collections.abc import Iterator

import pytest

from tarsy_contracts import events as e
from tarsy_contracts.timeline.changes import (
    ROWS_PER_EVENT,
    ExecutionChanged,
    SessionChanged,
    StageChanged,
    TimelineCreated,
    TimelineEnded,
)
from tarsy_testing.story.seen import shown_of, still_streaming
from tarsy_testing.story.whole_chain import ended, runbook, stage_ended, whole_chain

S = "session"
BOTH_RUN = 9
"""Events until both agents of the first stage have asked."""


def test_a_whole_chain_is_seen_from_its_place_in_the_queue_to_its_summary() -> None:
    changes = shown_of(S, whole_chain(S))

    steps = [
        (change.stage_name, change.status)
        if isinstance(change, StageChanged)
        else (change.agent_name, change.status)
        if isinstance(change, ExecutionChanged)
        else change.status
        for change in changes
        if isinstance(change, StageChanged | ExecutionChanged | SessionChanged)
    ]
    alone = [("look - Synthesis", "Synthesis"), ("advise", "Adviser"), ("Executive Summary", "Summary")]
    assert steps == [
        "pending",
        "in_progress",
        ("look", "active"),
        ("Pods", "active"),
        ("Metrics", "active"),
        ("Pods", "completed"),
        ("Metrics", "completed"),
        ("look", "completed"),
        *(
            step
            for stage, agent in alone
            for step in ((stage, "active"), (agent, "active"), (agent, "completed"), (stage, "completed"))
        ),
        "completed",
    ]


def test_nothing_of_a_whole_chain_is_seen_twice_or_out_of_its_place() -> None:
    created = [one for one in shown_of(S, whole_chain(S)) if isinstance(one, TimelineCreated)]

    assert len({one.event_id for one in created}) == len(created)
    places = [one.sequence_number for one in created]
    assert places == sorted(set(places))
    assert {place % ROWS_PER_EVENT for place in places} <= set(range(ROWS_PER_EVENT))


def busy() -> list[e.Event]:
    """Everything that can be open is: the runbook, both questions, calls of tools, and a summary."""
    begun = [event for event in whole_chain(S)[:BOTH_RUN] if not isinstance(event, e.ToolCallCompleted)]
    execution = next(event.execution_id for event in begun if isinstance(event, e.ExecutionStarted))
    calls = (
        e.ToolCallRequested(
            call_id=call,
            execution_id=execution,
            llm_call_id="l",
            server="kubernetes",
            tool="pods_list",
            arguments={},
            repeatable=call != "risky",
            timeout_seconds=60,
        )
        for call in ("safe", "risky", "long")
    )
    return [
        *begun,
        *calls,
        e.ToolCallCompleted(call_id="long", outcome="ok", content="a line"),
        e.SummaryRequested(summary_id="m", call_id="long", execution_id=execution, timeout_seconds=60),
    ]


def closed(log: list[e.Event], status: e.EndStatus, error: str) -> Iterator[e.Event]:
    """As the orchestrator ends what is open: docs/concepts.md, and its `closing`."""
    for event in log:
        if isinstance(event, e.LlmCallRequested):
            yield e.LlmCallFailed(
                llm_call_id=event.llm_call_id,
                execution_id=event.execution_id,
                error=error,
                retryable=False,
                kind="cancelled",
            )
    yield e.SummaryFailed(summary_id="m", call_id="long", error=error)
    yield list(runbook(S, "cancelled", error))[-1]
    yield e.ToolCallCompleted(call_id="safe", outcome="cancelled", content=error)
    yield e.ToolCallCompleted(call_id="risky", outcome="unknown", content=error)
    for event in log:
        if isinstance(event, e.ExecutionStarted):
            yield ended(event, "", status, error)
    yield from (stage_ended(event, status, error) for event in log if isinstance(event, e.StageStarted))


@pytest.mark.parametrize(
    ("ending", "status"),
    [
        (e.SessionCancelled(author="bob"), "cancelled"),
        (e.SessionTimedOut(error="it took too long"), "timed_out"),
        (e.SessionFailed(error="no model"), "failed"),
    ],
    ids=lambda one: getattr(one, "type", ""),
)
def test_whatever_ends_a_session_nothing_streams_after_it(ending: e.Event, status: e.EndStatus) -> None:
    before = shown_of(S, busy())
    after = shown_of(S, [*busy(), *closed(busy(), status, "the reason"), ending])

    assert len(still_streaming(before)) == 4
    assert still_streaming(after) == set()
    ends = {(one.event_type, one.status) for one in after[len(before) :] if isinstance(one, TimelineEnded)}
    assert ends == {
        ("runbook", "cancelled"),
        ("llm_tool_call", "cancelled"),
        ("llm_tool_call", "failed"),
        ("mcp_tool_summary", "failed"),
    }
    steps = [one for one in after[len(before) :] if isinstance(one, StageChanged | ExecutionChanged | SessionChanged)]
    assert [one.status for one in steps] == [status] * 4
    questions = [one for one in after[len(before) :] if isinstance(one, TimelineCreated)]
    assert {(one.event_type, one.status) for one in questions} == {("error", "cancelled")}


def test_a_session_that_is_cancelled_while_it_waits_never_ran() -> None:
    log = [
        *whole_chain(S)[:1],
        e.RequestAccepted(request_id="r", request=e.CANCEL, author="bob"),
        e.SessionCancelled(author="bob"),
    ]

    statuses = [one.status for one in shown_of(S, log) if isinstance(one, SessionChanged)]

    assert statuses == ["pending", "cancelling", "cancelled"]
