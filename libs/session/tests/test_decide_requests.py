"""Given a session in any phase, when people ask for something or say it again, then this follows."""

from datetime import timedelta

from tarsy_contracts import events as e
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.messages.control import CallCancelled, RequestAnswered
from tarsy_session.decide import decide
from tarsy_session.replies import replies_to
from tarsy_session.state import REFUSALS_KEPT, AtRest, Investigating
from tarsy_testing.story.story import ALERT, DELETE, READ, SECOND, SESSION, Story, agent, chain, stage, types

CANCEL = i.CancelRequested(request_id="r1", author="ann")


def test_a_session_that_waits_for_its_turn_is_cancelled_at_once() -> None:
    story = Story().waiting()
    assert types(story.when(CANCEL)) == ["request.accepted", "session.cancelled"]
    assert story.when(i.SessionAdmitted()) == []


def test_what_a_cancelled_session_waits_for_is_unknown_a_second_later() -> None:
    story = Story().calling(DELETE)
    call = story.call_ids[0]
    story.when(story.claim(call))
    story.when(CANCEL)
    story.now += SECOND
    events = story.when(i.DeadlinePassed(call_id=SESSION))
    assert types(events) == ["tool_call.completed", "execution.completed", "stage.completed", "session.cancelled"]
    assert isinstance(events[0], e.ToolCallCompleted)
    assert events[0].outcome == "unknown"


def test_a_second_is_not_over_before_it_is() -> None:
    story = Story().calling(DELETE)
    story.when(story.claim(story.call_ids[0]))
    story.when(CANCEL)
    story.now += SECOND - timedelta(milliseconds=1)
    assert story.when(i.DeadlinePassed(call_id=SESSION)) == []


def test_cancelling_ends_every_agent_of_a_parallel_stage() -> None:
    story = Story(plan=chain(stage(agent("A"), agent("B")))).asking()
    story.when(story.answer("looking", tools=(READ,), agent="A"))
    events = story.when(CANCEL)
    assert types(events) == [
        "request.accepted",
        "llm_call.failed",
        "tool_call.completed",
        "execution.completed",
        "execution.completed",
        "stage.completed",
        "session.cancelled",
    ]
    assert all(one.status == "cancelled" for one in events if isinstance(one, e.ExecutionCompleted | e.StageCompleted))


def test_cancelling_closes_all_that_is_open_and_ends_the_session() -> None:
    story = Story().calling(READ, DELETE)
    calls = set(story.call_ids)
    events = story.when(CANCEL)
    assert types(events) == [
        "request.accepted",
        "tool_call.completed",
        "tool_call.completed",
        "execution.completed",
        "stage.completed",
        "session.cancelled",
    ]
    told = replies_to(story.state, CANCEL)
    assert RequestAnswered(request_id="r1", accepted=True, code=200, reason="") in told
    assert {one.call_id for one in told if isinstance(one, CallCancelled)} == calls


def test_cancelling_waits_for_a_granted_call_that_may_have_taken_effect() -> None:
    story = Story().calling(DELETE)
    call = story.call_ids[0]
    story.when(story.claim(call))
    assert types(story.when(CANCEL)) == ["request.accepted"]
    assert isinstance(story.state, Investigating)
    events = story.when(story.result(call, "deleted"))
    assert types(events) == ["tool_call.completed", "execution.completed", "stage.completed", "session.cancelled"]


def test_a_granted_call_that_did_not_start_ends_as_cancelled() -> None:
    story = Story().calling(DELETE)
    call = story.call_ids[0]
    story.when(story.claim(call))
    story.when(CANCEL)
    gone = i.CallNotStarted(call_id=call, claim_id="claim-1", worker_id="worker-1", reason="not_started")
    events = story.when(gone)
    assert isinstance(events[0], e.ToolCallCompleted)
    assert events[0].outcome == "cancelled"
    assert types(events)[-1] == "session.cancelled"


def test_an_llm_call_is_closed_by_a_cancellation_and_its_late_answer_changes_nothing() -> None:
    story = Story().asking()
    late = story.answer("too late")
    events = story.when(CANCEL)
    assert isinstance(events[1], e.LlmCallFailed)
    assert events[1].kind == "cancelled"
    assert story.when(late) == []


def test_a_session_at_rest_refuses_and_says_the_same_when_asked_again() -> None:
    story = Story().asking()
    story.when(story.answer("the cause is X"))
    assert types(story.when(CANCEL)) == ["request.refused"]
    first = replies_to(story.state, CANCEL)
    assert story.when(CANCEL) == []
    assert replies_to(story.state, CANCEL) == first
    assert isinstance(first[0], RequestAnswered)
    assert first[0].code == 409


def test_of_requests_that_were_refused_a_session_remembers_the_last_ones() -> None:
    """Each was kept for ever, and each of them copied all that were before it."""
    story = Story().asking()
    accepted = i.CancelRequested(request_id="accepted", author="ann")
    story.when(accepted)
    for number in range(3 * REFUSALS_KEPT):
        assert types(story.when(i.CancelRequested(request_id=f"r{number}", author="ann"))) == ["request.refused"]
    assert isinstance(story.state, AtRest)
    assert len(story.state.answers) == REFUSALS_KEPT + 1

    def told(request_id: str) -> RequestAnswered:
        (answer,) = replies_to(story.state, i.CancelRequested(request_id=request_id, author="ann"))[:1]
        assert isinstance(answer, RequestAnswered)
        return answer

    assert told("accepted").accepted
    assert told(f"r{3 * REFUSALS_KEPT - 1}").reason == "the session has already ended"
    assert (told("r0").accepted, told("r0").code) == (False, 409), "never as if there were no such session"


def test_a_request_about_a_session_that_never_was_is_answered_and_not_recorded() -> None:
    story = Story()
    assert story.when(CANCEL) == []
    told = replies_to(story.state, CANCEL)
    assert told == [RequestAnswered(request_id="r1", accepted=False, code=404, reason="there is no such session")]


# Repeats


def test_the_same_alert_again_is_noted_once_for_each_time_it_was_sent() -> None:
    story = Story().started()
    assert story.when(i.AlertReceived(alert=ALERT), input_id="alert") == []
    assert types(story.when(i.AlertReceived(alert=ALERT), input_id="again")) == ["alert.repeated"]
    assert story.when(i.AlertReceived(alert=ALERT), input_id="again") == []


def test_an_input_at_or_below_the_decided_offset_is_never_decided_again() -> None:
    story = Story().calling(DELETE)
    call = story.call_ids[0]
    story.when(story.claim(call))
    gone = i.CallNotStarted(call_id=call, claim_id="claim-1", worker_id="worker-1", reason="busy")
    story.when(gone)
    old = story.given(story.claim(call), offset=story.offset - 2)
    assert decide(SESSION, story.state, old) == []
    new = story.given(story.claim(call, "claim-3"), offset=story.offset)
    assert types(decide(SESSION, story.state, new)) == ["tool_call.started"]


def test_a_granted_request_of_a_kind_that_is_not_known_changes_nothing() -> None:
    """Once every granted request cancelled the session, whatever had been asked."""
    story = Story().calling(READ)
    story.append(
        e.RequestAccepted(request_id="later", request="chat", author="ann"),
        story.given(CANCEL, offset=story.offset - 1),
    )
    assert story.investigating.cancelled is None
    assert set(story.investigating.answers) == {"later"}
    assert types(story.when(CANCEL))[0] == "request.accepted"
    assert isinstance(story.state, AtRest)
