"""What people see of a session: given a log, when an event comes, then these changes."""

from datetime import UTC, datetime
from typing import cast

import pytest

from tarsy_contracts import events as e
from tarsy_contracts import inputs as i
from tarsy_contracts.conversation import Usage
from tarsy_contracts.envelope import Envelope
from tarsy_contracts.identities import summary_id, timeline_event_id
from tarsy_contracts.recorded import Recorded, decode
from tarsy_contracts.timeline import (
    PLACES,
    ExecutionChanged,
    SessionChanged,
    StageChanged,
    TimelineChange,
    TimelineCreated,
    TimelineEnded,
    llm_timeline_event_id,
    timeline_changes,
)
from tarsy_story import DELETE, READ, Story

LONG = 100_000
"""Bytes of a result that is summarised."""


def at(number: int, event: e.Event | None, *, id: str = "event-id") -> Recorded:
    """An accepted event at that place in its session."""
    time = datetime(2026, 11, 22, 3, 0, tzinfo=UTC)
    envelope = Envelope(id=id, type="any", version=1, source="test", subject="s", time=time, sequence=number)
    return Recorded(envelope=envelope, event=event, partition=0, offset=number, appended_at=time)


def shown(event: e.Event) -> list[TimelineChange]:
    return timeline_changes(at(7, event))


def created(event: e.Event) -> TimelineCreated:
    (change,) = shown(event)
    assert isinstance(change, TimelineCreated)
    return change


def ended(event: e.Event) -> TimelineEnded:
    (change,) = shown(event)
    assert isinstance(change, TimelineEnded)
    return change


def summarised() -> Story:
    """A whole investigation: a call whose long result is summarised, and one that is granted first."""
    story = Story().calling(READ, DELETE)
    read, delete = story.call_ids
    story.when(story.claim(read))
    story.when(story.result(read, "line\n" * 10, size=LONG))
    story.when(story.claim(delete, "claim-2"))
    story.when(story.result(delete, "deleted", claim_id="claim-2"))
    story.when(story.claim(summary_id(read), "claim-s", "worker-2"))
    story.when(story.summary(summary_id(read), "all is well"))
    story.when(story.answer("It was DNS."))
    return story


def whole(story: Story) -> list[TimelineChange]:
    return [change for record in story.log for change in timeline_changes(record)]


# A story as a whole


def test_the_story_brings_what_a_reader_expects_in_order() -> None:
    seen = [
        (change.event_type, change.status, change.content)
        if isinstance(change, TimelineCreated | TimelineEnded)
        else (type(change).__name__, change.status)
        for change in whole(summarised())
    ]
    assert seen == [
        ("SessionChanged", "in_progress"),
        ("StageChanged", "active"),
        ("ExecutionChanged", "active"),
        ("llm_thinking", "completed", "hm"),
        ("llm_tool_call", "streaming", ""),
        ("llm_tool_call", "streaming", ""),
        ("llm_tool_call", "completed", "line\n" * 10),
        ("mcp_tool_summary", "streaming", ""),
        ("llm_tool_call", "completed", "deleted"),
        ("mcp_tool_summary", "completed", "all is well"),
        ("llm_thinking", "completed", "hm"),
        ("llm_response", "completed", "It was DNS."),
        ("final_analysis", "completed", "It was DNS."),
        ("ExecutionChanged", "completed"),
        ("StageChanged", "completed"),
        ("SessionChanged", "completed"),
    ]


def test_what_begins_to_stream_ends_under_the_same_id_and_type() -> None:
    changes = whole(summarised())
    streaming = {
        (one.event_id, one.event_type)
        for one in changes
        if isinstance(one, TimelineCreated) and one.status == "streaming"
    }
    endings = {(one.event_id, one.event_type) for one in changes if isinstance(one, TimelineEnded)}
    assert streaming == endings
    assert len(streaming) == 3


def test_timeline_events_are_numbered_in_the_order_of_the_log_and_none_twice() -> None:
    created = [change for change in whole(summarised()) if isinstance(change, TimelineCreated)]
    numbers = [change.sequence_number for change in created]
    assert numbers == sorted(set(numbers))
    assert len({change.event_id for change in created}) == len(created)


def test_no_event_of_the_log_brings_more_timeline_events_than_it_has_places() -> None:
    for record in summarised().log:
        created = [change for change in timeline_changes(record) if isinstance(change, TimelineCreated)]
        assert all(record.number * PLACES <= one.sequence_number < (record.number + 1) * PLACES for one in created)


def test_history_shows_what_was_shown_live() -> None:
    """The projector reads the log from its bytes, once more or weeks later: it must come to what was streamed."""
    story = summarised()
    read_again = [
        Recorded(
            envelope=Envelope.from_headers(record.envelope.headers()),
            event=decode(e.EVENTS, record.envelope, cast(e.Event, record.event).to_bytes()),
            partition=5,
            offset=10_000 + record.offset,
            appended_at=datetime(2027, 1, 1, tzinfo=UTC),
        )
        for record in story.log
    ]
    assert [change for record in read_again for change in timeline_changes(record)] == whole(story)


def test_a_cancelled_session_says_who_cancelled_it() -> None:
    story = Story().calling(DELETE)
    story.when(i.CancelRequested(request_id="r", author="bob"))
    changes = whole(story)
    assert changes[-1] == SessionChanged(status="cancelled", error_message="cancelled by bob")
    assert [one.content for one in changes if isinstance(one, TimelineCreated) and one.event_type == "request"] == [
        "bob asked: cancel."
    ]
    assert [one.status for one in changes if isinstance(one, TimelineEnded)] == ["cancelled"]


# Each event


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


def answer(*, thinking: str = "", text: str = "") -> e.LlmCallCompleted:
    return e.LlmCallCompleted(
        llm_call_id="l",
        execution_id="x",
        thinking=thinking,
        text=text,
        tool_calls=(),
        usage=Usage(),
        model="m1",
        duration_ms=5,
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


def test_a_repeated_alert_is_noted_each_time() -> None:
    event = e.AlertRepeated(input_id="i", source="kafka")
    first, second = timeline_changes(at(7, event, id="one")), timeline_changes(at(8, event, id="two"))
    assert isinstance(first[0], TimelineCreated)
    assert isinstance(second[0], TimelineCreated)
    assert first[0].content == "The same alert arrived again (kafka)."
    assert first[0].event_id != second[0].event_id


def test_a_stage_begins_and_ends() -> None:
    assert shown(e.StageStarted(stage_id="t", index=1, name="look")) == [
        StageChanged(stage_id="t", stage_name="look", stage_index=1, status="active")
    ]
    assert shown(e.StageCompleted(stage_id="t", index=1, name="look", status="failed", error="no")) == [
        StageChanged(stage_id="t", stage_name="look", stage_index=1, status="failed", error_message="no")
    ]


def test_an_agent_begins() -> None:
    begun = e.ExecutionStarted(
        execution_id="x", stage_id="t", agent="A", index=1, system="secret", prompt="long", tools=()
    )
    assert shown(begun) == [
        ExecutionChanged(execution_id="x", stage_id="t", agent_name="A", agent_index=1, status="active")
    ]


def test_an_agent_ends_with_its_analysis_before_its_status() -> None:
    done = e.ExecutionCompleted(
        execution_id="x", stage_id="t", agent="A", index=1, status="completed", final_analysis="DNS"
    )
    analysis, execution = shown(done)
    assert isinstance(analysis, TimelineCreated)
    assert (analysis.event_type, analysis.content, analysis.execution_id) == ("final_analysis", "DNS", "x")
    assert execution == ExecutionChanged(
        execution_id="x", stage_id="t", agent_name="A", agent_index=1, status="completed"
    )


def test_an_agent_that_found_nothing_only_ends() -> None:
    failed = e.ExecutionCompleted(execution_id="x", stage_id="t", agent="A", index=1, status="failed", error="why")
    assert shown(failed) == [
        ExecutionChanged(
            execution_id="x", stage_id="t", agent_name="A", agent_index=1, status="failed", error_message="why"
        )
    ]


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
        "server_name": "kubernetes",
        "tool_name": "pods_list",
        "arguments": {"namespace": "shop"},
        "repeatable": True,
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


def test_an_outcome_that_was_learned_later_is_told_beside_the_call_that_ended() -> None:
    note = created(e.ToolCallOutcomeLearned(call_id="c", claim_id="k", outcome="ok", content="deleted"))
    assert note.content == "The outcome of a call that had ended as unknown is known now (ok): deleted"
    assert note.event_id != timeline_event_id("c", "llm_tool_call")


def test_a_summary_streams_beside_its_call_and_ends() -> None:
    begun = created(e.SummaryRequested(summary_id="m", call_id="c", execution_id="x", timeout_seconds=60))
    assert (begun.event_type, begun.status, begun.execution_id) == ("mcp_tool_summary", "streaming", "x")
    assert begun.metadata == {"call_event_id": timeline_event_id("c", "llm_tool_call")}
    done = ended(
        e.SummaryCompleted(summary_id="m", call_id="c", content="short", usage=Usage(), model="m1", duration_ms=5)
    )
    assert (done.event_id, done.status, done.content) == (begun.event_id, "completed", "short")
    failed = ended(e.SummaryFailed(summary_id="m", call_id="c", error="quota"))
    assert (failed.event_id, failed.status, failed.content) == (begun.event_id, "failed", "quota")


def test_a_request_shows_who_asked_and_why_it_was_refused() -> None:
    assert created(e.RequestAccepted(request_id="r", request="chat", author="bob")).content == "bob asked: chat."
    refused = e.RequestRefused(request_id="r", request="chat", author="bob", code=409, reason="It has ended.")
    assert created(refused).content == "bob asked: chat. Refused: It has ended."


def test_a_session_is_seen_to_be_cancelling_as_soon_as_that_is_granted() -> None:
    changes = shown(e.RequestAccepted(request_id="r", request=e.CANCEL, author="bob"))
    assert SessionChanged(status="cancelling") in changes


def test_a_refused_cancellation_changes_no_status() -> None:
    created(e.RequestRefused(request_id="r", request=e.CANCEL, author="bob", code=409, reason="It has ended."))


@pytest.mark.parametrize(
    ("event", "change"),
    [
        (e.SessionCompleted(final_analysis="DNS"), SessionChanged(status="completed", final_analysis="DNS")),
        (e.SessionFailed(error="no model"), SessionChanged(status="failed", error_message="no model")),
        (e.SessionCancelled(author="bob"), SessionChanged(status="cancelled", error_message="cancelled by bob")),
    ],
    ids=lambda one: getattr(one, "type", ""),
)
def test_a_session_ends(event: e.Event, change: SessionChanged) -> None:
    assert shown(event) == [change]


def test_every_event_of_the_log_is_seen_or_not_as_these_tests_say() -> None:
    """A new type of event needs a line here, and a test above."""
    unseen = {"llm_call.requested", "tool_call.started", "tool_call.released", "summary.started", "summary.released"}
    seen = {
        "session.started",
        "alert.repeated",
        "stage.started",
        "execution.started",
        "llm_call.completed",
        "llm_call.failed",
        "tool_call.requested",
        "tool_call.completed",
        "tool_call.outcome_learned",
        "summary.requested",
        "summary.completed",
        "summary.failed",
        "execution.completed",
        "stage.completed",
        "request.accepted",
        "request.refused",
        "session.completed",
        "session.failed",
        "session.cancelled",
    }
    assert seen | unseen == set(e.EVENTS)
