"""What people see of a session itself: when an event comes, then these changes."""

from datetime import datetime

import pytest

from tarsy_contracts import events as e
from tarsy_contracts.timeline.changes import (
    ChatCreated,
    ChatMessageAdded,
    SessionChanged,
    SessionRemoved,
    TimelineCreated,
    timeline_changes,
)
from tarsy_testing.story.seen import at, created, shown
from tarsy_testing.story.whole_chain import begun


def test_a_session_waits_for_its_turn_until_its_first_stage() -> None:
    assert shown(begun()) == [SessionChanged(status="pending")]


def test_a_repeated_alert_is_noted_each_time() -> None:
    event = e.AlertRepeated(input_id="i", source="kafka")
    first, second = timeline_changes(at(7, event, id="one")), timeline_changes(at(8, event, id="two"))
    assert isinstance(first[0], TimelineCreated)
    assert isinstance(second[0], TimelineCreated)
    assert first[0].content == "The same alert arrived again (kafka)."
    assert first[0].event_id != second[0].event_id


def test_alerts_that_came_into_a_group_are_shown_however_many_came_before() -> None:
    more = e.AlertRepeated(input_id="i", source="alertmanager", total=900, news="pod b is down")
    assert created(more).content == "The same alert arrived again (alertmanager).\n\npod b is down"
    assert shown(e.AlertRepeated(input_id="i", source="alertmanager", count=2, total=900)) == []


def test_a_session_that_ended_before_it_began_says_why() -> None:
    never = e.SessionCancelled(author="alertmanager", reason="The alert was resolved before the investigation began.")
    assert shown(never) == [SessionChanged(status="cancelled", error_message=never.reason)]


def test_a_resolved_alert_shows_since_when_where_its_sender_says_so() -> None:
    ends_at = datetime.fromisoformat("2026-11-23T13:00:05+01:00")
    resolved = created(e.AlertResolved(input_id="i", source="alertmanager", ends_at=ends_at))
    assert resolved.event_type == "alert_resolved"
    assert resolved.content == "The alert is resolved (alertmanager). It ended at 2026-11-23 12:00:05 UTC."
    assert created(e.AlertResolved(input_id="i", source="pager")).content == "The alert is resolved (pager)."


def test_a_request_shows_who_asked_and_why_it_was_refused() -> None:
    assert created(e.RequestAccepted(request_id="r", request="inspect", author="bob")).content == "bob asked: inspect."
    refused = e.RequestRefused(request_id="r", request="inspect", author="bob", code=409, reason="It has ended.")
    assert created(refused).content == "bob asked: inspect. Refused: It has ended."


def test_a_session_that_had_been_set_aside_shows_who_asked_for_what() -> None:
    released = e.SessionReleased(request_id="r", request="retry", author="olga")
    assert created(released).content == "olga asked: retry. The session had been set aside."


def test_a_session_is_seen_to_be_cancelling_as_soon_as_that_is_granted() -> None:
    changes = shown(e.RequestAccepted(request_id="r", request=e.CANCEL, author="bob"))
    assert SessionChanged(status="cancelling") in changes


def test_cancelling_a_reply_changes_no_status() -> None:
    accepted = e.RequestAccepted(request_id="r", request=e.CANCEL_REPLY, author="bob")
    assert created(accepted).content == "bob asked: cancel reply."


def test_who_cancels_a_session_is_shown_with_the_reason() -> None:
    accepted = e.RequestAccepted(request_id="r", request=e.CANCEL, author="bob", comment="a drill")
    (asked, _) = shown(accepted)
    assert isinstance(asked, TimelineCreated)
    assert asked.content == "bob asked: cancel. Reason: a drill"
    ended = shown(e.SessionCancelled(author="bob", comment="a drill"))
    assert ended == [SessionChanged(status="cancelled", error_message="cancelled by bob: a drill")]


QUESTION = e.QuestionAsked(
    request_id="r", chat_id="c", message_id="m", stage_id="s", number=1, author="ann", content="Why?"
)


def test_a_question_is_seen_and_the_first_one_begins_the_chat() -> None:
    begun_chat, message, event = shown(QUESTION)
    assert begun_chat == ChatCreated(chat_id="c", created_by="ann")
    assert message == ChatMessageAdded(chat_id="c", message_id="m", stage_id="s", author="ann", content="Why?")
    assert isinstance(event, TimelineCreated)
    assert (event.event_type, event.content, event.status) == ("user_question", "Why?", "completed")
    assert event.metadata == {"author": "ann", "message_id": "m", "stage_id": "s"}


def test_a_later_question_belongs_to_the_same_chat() -> None:
    assert [type(change) for change in shown(QUESTION.model_copy(update={"number": 2}))] == [
        ChatMessageAdded,
        TimelineCreated,
    ]


def test_that_a_question_was_taken_is_not_shown_beside_the_question() -> None:
    assert shown(e.RequestAccepted(request_id="r", request=e.CHAT, author="ann")) == []


def test_lives_begin_and_end_without_a_change_of_the_session() -> None:
    reply = e.ReplyCompleted(message_id="m", stage_id="s", status="failed", error="no model")
    assert shown(e.SessionReopened(request_id="r", spans=())) + shown(reply) == []


def test_a_refused_cancellation_changes_no_status() -> None:
    created(e.RequestRefused(request_id="r", request=e.CANCEL, author="bob", code=409, reason="It has ended."))


@pytest.mark.parametrize(
    ("event", "change"),
    [
        (e.SessionCompleted(final_analysis="DNS"), SessionChanged(status="completed", final_analysis="DNS")),
        (
            e.SessionCompleted(final_analysis="DNS", executive_summary="It is DNS."),
            SessionChanged(status="completed", final_analysis="DNS", executive_summary="It is DNS."),
        ),
        (
            e.SessionCompleted(final_analysis="DNS", executive_summary_error="quota"),
            SessionChanged(status="completed", final_analysis="DNS", executive_summary_error="quota"),
        ),
        (
            e.SessionCompleted(final_analysis="DNS", partial_reason="why"),
            SessionChanged(status="completed", final_analysis="DNS", partial_reason="why"),
        ),
        (e.SessionTimedOut(error="too long"), SessionChanged(status="timed_out", error_message="too long")),
        (e.SessionFailed(error="no model"), SessionChanged(status="failed", error_message="no model")),
        (e.SessionCancelled(author="bob"), SessionChanged(status="cancelled", error_message="cancelled by bob")),
    ],
    ids=lambda one: getattr(one, "type", ""),
)
def test_a_session_ends(event: e.Event, change: SessionChanged) -> None:
    assert shown(event) == [change]


def test_labels_that_a_session_was_not_given_are_told_before_its_end() -> None:
    told, ended = shown(e.SessionCompleted(final_analysis="DNS", labels_error="The executive summary named no label."))
    assert isinstance(told, TimelineCreated)
    assert (told.event_type, told.content) == ("missing_labels", "The executive summary named no label.")
    assert isinstance(ended, SessionChanged)


def test_a_session_that_was_deleted_is_removed() -> None:
    assert shown(e.SessionDeleted(request_id="r", author="ann")) == [SessionRemoved()]


def test_every_event_of_the_log_is_seen_or_not_as_these_tests_say() -> None:
    """A new type of event needs a line here, and a test above."""
    calls = {"tool_call.started", "tool_call.released", "summary.started", "summary.released"}
    phases = {"phase.requested", "phase.completed"}
    unseen = calls | phases | {"stage.tools_offered", "stage.approvals_required", "session.reopened", "reply.completed"}
    unseen |= {"session.skills_recorded"}
    unseen |= {f"memory.{what}" for what in ("learned", "reinforced", "deprecated", "edited", "erased")}
    seen = {
        "budget.decided",
        "review.changed",
        "budget.reached",
        "budget.warned",
        "session.started",
        "alert.repeated",
        "alert.resolved",
        "question.asked",
        "stage.started",
        "execution.started",
        "llm_call.requested",
        "llm_call.completed",
        "llm_call.failed",
        "tool_call.requested",
        "tool_call.approval_requested",
        "tool_call.approval_decided",
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
        "session.timed_out",
        "session.released",
        "session.deleted",
        "execution.fell_back",
    }
    assert seen | unseen == set(e.EVENTS)
