"""What people see of a session that an orchestrator wrote: given a log, then these changes, in this order."""

from datetime import UTC, datetime
from typing import cast

from tarsy_contracts import events as e
from tarsy_contracts.events.recorded import RecordedEvent, decode
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.timeline.changes import (
    ROWS_PER_EVENT,
    SessionChanged,
    TimelineChange,
    TimelineCreated,
    TimelineEnded,
    timeline_changes,
)
from tarsy_contracts.wire.envelope import Envelope
from tarsy_contracts.wire.ids import summary_id
from tarsy_testing.story.story import DELETE, READ, Story

LONG = 100_000
"""Bytes of a result that is summarised."""


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


def test_the_story_brings_what_a_reader_expects_in_order() -> None:
    seen = [
        (change.event_type, change.status, change.content)
        if isinstance(change, TimelineCreated | TimelineEnded)
        else (type(change).__name__, getattr(change, "status", None))
        for change in whole(summarised())
    ]
    assert seen == [
        ("SessionChanged", "pending"),
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
        assert all(
            record.number * ROWS_PER_EVENT <= one.sequence_number < (record.number + 1) * ROWS_PER_EVENT
            for one in created
        )


def test_history_shows_what_was_shown_live() -> None:
    """The projector reads the log from its bytes, once more or weeks later: it must come to what was streamed."""
    story = summarised()
    read_again = [
        RecordedEvent(
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
