"""Given what happened, when an input comes, then this follows."""

from datetime import timedelta

from tarsy_contracts import events as e
from tarsy_contracts import inputs as i
from tarsy_contracts.control import CallCancelled, ClaimGranted, ClaimRefused, RequestAnswered
from tarsy_contracts.identities import stage_id, summary_id
from tarsy_orchestrator.answers import answers
from tarsy_orchestrator.consequences import BYTES_PER_TOKEN
from tarsy_orchestrator.conversing import conversation, tools
from tarsy_orchestrator.decide import decide
from tarsy_orchestrator.owed import owed
from tarsy_orchestrator.state import Ended, Investigating
from tarsy_story import ALERT, DELETE, READ, SESSION, Story, types

CANCEL = i.CancelRequested(request_id="r1", author="ann")
LARGE = 5000 * BYTES_PER_TOKEN + 1


def owed_ids(story: Story) -> list[str]:
    return [one.id for one in owed(story.state)]


# The ordinary way


def test_an_alert_starts_a_session_and_its_stage_and_owes_the_tools() -> None:
    story = Story()
    events = story.when(i.AlertReceived(alert=ALERT), input_id="alert")
    assert types(events) == ["session.started", "stage.started"]
    assert owed_ids(story) == [stage_id(SESSION, 1)]


def test_the_offered_tools_start_the_execution_and_ask_the_model() -> None:
    story = Story().started()
    offered = i.ToolsOffered(stage_id=stage_id(SESSION, 1), tools=(READ,), unavailable_servers=("metrics",))
    events = story.when(offered)
    assert types(events) == ["execution.started", "llm_call.requested"]
    assert isinstance(events[0], e.ExecutionStarted)
    assert "metrics" in events[0].system
    assert owed_ids(story) == [story.llm_call_id]


def test_several_tools_of_one_answer_are_requested_together() -> None:
    story = Story().asking()
    events = story.when(story.answer("looking", tools=(READ, DELETE)))
    assert types(events) == ["llm_call.completed", "tool_call.requested", "tool_call.requested"]
    assert owed_ids(story) == story.call_ids


def test_the_model_is_asked_again_when_the_last_result_is_there() -> None:
    story = Story().calling(READ, READ)
    first, second = story.call_ids
    assert types(story.when(story.result(first))) == ["tool_call.completed"]
    assert types(story.when(story.result(second, claim_id="other"))) == ["tool_call.completed", "llm_call.requested"]


def test_an_answer_in_words_ends_execution_stage_and_session() -> None:
    story = Story().asking()
    events = story.when(story.answer("the cause is X"))
    assert types(events) == ["llm_call.completed", "execution.completed", "stage.completed", "session.completed"]
    assert isinstance(story.state, Ended)
    assert owed(story.state) == []


def test_a_tool_that_was_not_offered_is_rejected_and_the_model_is_told_which_there_are() -> None:
    story = Story().asking()
    unknown = READ.model_copy(update={"definition": READ.definition.model_copy(update={"name": "kubernetes__nope"})})
    events = story.when(story.answer(tools=(unknown,)))
    assert types(events)[1:] == ["tool_call.requested", "tool_call.completed", "llm_call.requested"]
    assert isinstance(events[2], e.ToolCallCompleted)
    assert events[2].outcome == "rejected"
    assert "kubernetes__pods_list" in events[2].content


def test_past_the_last_iteration_the_model_concludes_without_tools() -> None:
    story = Story(max_iterations=1).calling(READ)
    story.when(story.result(story.call_ids[0]))
    execution = story.investigating.execution
    assert execution is not None
    assert execution.waiting_for is not None
    assert execution.waiting_for.purpose == "conclusion"
    assert tools(execution) == ()
    events = story.when(story.answer("what is known", tools=(READ,)))
    assert "tool_call.requested" not in types(events)
    assert isinstance(story.state, Ended)


def test_a_blank_answer_is_asked_about_twice_and_then_fails_the_session() -> None:
    story = Story(max_iterations=10).asking()
    assert types(story.when(story.answer("  "))) == ["llm_call.completed", "llm_call.requested"]
    assert types(story.when(story.answer(""))) == ["llm_call.completed", "llm_call.requested"]
    assert types(story.when(story.answer("")))[-1] == "session.failed"


def test_a_failed_llm_call_is_made_again_and_fails_the_session_in_the_end() -> None:
    story = Story().asking()
    for _ in range(2):
        assert types(story.when(story.answer(error="overloaded"))) == ["llm_call.failed", "llm_call.requested"]
    assert types(story.when(story.answer(error="overloaded")))[-1] == "session.failed"


# Summaries


def test_a_result_above_the_threshold_is_summarised_before_the_model_goes_on() -> None:
    story = Story().calling(READ)
    call = story.call_ids[0]
    assert types(story.when(story.result(call, size=LARGE))) == ["tool_call.completed", "summary.requested"]
    assert owed_ids(story) == [summary_id(call)]
    assert types(story.when(story.claim(summary_id(call)))) == ["summary.started"]
    assert types(story.when(story.summary(summary_id(call), "all pods fail"))) == [
        "summary.completed",
        "llm_call.requested",
    ]
    execution = story.investigating.execution
    assert execution is not None
    assert "all pods fail" in conversation(story.investigating, execution).messages[-1].content


def test_the_agent_reads_the_beginning_when_there_is_no_summary() -> None:
    story = Story().calling(READ)
    call = story.call_ids[0]
    story.when(story.result(call, "the beginning", size=LARGE))
    assert types(story.when(story.summary(summary_id(call), error="no model")))[0] == "summary.failed"
    execution = story.investigating.execution
    assert execution is not None
    assert "the beginning" in conversation(story.investigating, execution).messages[-1].content


# Claims and grants


def test_the_first_claim_starts_the_call_and_only_it_is_granted() -> None:
    story = Story().calling(DELETE)
    call = story.call_ids[0]
    first, second = story.claim(call, "claim-1"), story.claim(call, "claim-2", "worker-2")
    assert types(story.when(first)) == ["tool_call.started"]
    assert answers(story.state, first) == [ClaimGranted(call_id=call, claim_id="claim-1")]
    assert story.when(second) == []
    assert isinstance(answers(story.state, second)[0], ClaimRefused)


def test_a_repeated_claim_is_granted_again_and_decided_once() -> None:
    story = Story().calling(DELETE)
    claim = story.claim(story.call_ids[0])
    story.when(claim)
    assert story.when(claim) == []
    assert isinstance(answers(story.state, claim)[0], ClaimGranted)


def test_a_call_that_may_run_twice_needs_no_grant() -> None:
    story = Story().calling(READ)
    claim = story.claim(story.call_ids[0])
    assert types(story.when(claim)) == ["tool_call.started"]
    assert answers(story.state, claim) == []


def test_of_an_unrepeatable_call_only_the_granted_claim_may_report() -> None:
    story = Story().calling(DELETE)
    call = story.call_ids[0]
    story.when(story.claim(call))
    assert story.when(story.result(call, claim_id="somebody else")) == []
    assert types(story.when(story.result(call)))[0] == "tool_call.completed"


def test_a_claim_that_did_not_start_frees_the_call_for_another() -> None:
    story = Story().calling(DELETE)
    call = story.call_ids[0]
    story.when(story.claim(call))
    gone = i.CallNotStarted(call_id=call, claim_id="claim-1", worker_id="worker-1", reason="not_started")
    assert types(story.when(gone)) == ["tool_call.released"]
    assert types(story.when(story.claim(call, "claim-2"))) == ["tool_call.started"]
    assert story.when(gone) == []


# Deaths and deadlines


def died(call_id: str) -> i.WorkerDied:
    return i.WorkerDied(call_id=call_id, claim_id="claim-1", worker_id="worker-1")


def test_a_dead_worker_frees_a_repeatable_call() -> None:
    story = Story().calling(READ)
    call = story.call_ids[0]
    story.when(story.claim(call))
    assert types(story.when(died(call))) == ["tool_call.released"]
    assert owed_ids(story) == [call]


def test_a_dead_worker_leaves_a_granted_unrepeatable_call_unknown_and_the_model_is_told() -> None:
    story = Story().calling(DELETE)
    call = story.call_ids[0]
    story.when(story.claim(call))
    events = story.when(died(call))
    assert types(events) == ["tool_call.completed", "llm_call.requested"]
    assert isinstance(events[0], e.ToolCallCompleted)
    assert events[0].outcome == "unknown"


def test_a_result_after_unknown_is_noted_once_also_after_the_end() -> None:
    story = Story().calling(DELETE)
    call = story.call_ids[0]
    story.when(story.claim(call))
    story.when(died(call))
    story.when(story.answer("done"))
    assert isinstance(story.state, Ended)
    assert types(story.when(story.result(call, "deleted"))) == ["tool_call.outcome_learned"]
    assert story.when(story.result(call, "deleted")) == []


def test_a_deadline_that_has_not_passed_by_the_brokers_clock_decides_nothing() -> None:
    story = Story().calling(READ)
    assert story.when(i.DeadlinePassed(call_id=story.call_ids[0])) == []


def test_a_deadline_ends_an_unclaimed_call_as_unavailable_and_a_granted_one_as_unknown() -> None:
    for granted, outcome in ((False, "unavailable"), (True, "unknown")):
        story = Story().calling(DELETE)
        call = story.call_ids[0]
        if granted:
            story.when(story.claim(call))
        story.now += timedelta(seconds=61)
        events = story.when(i.DeadlinePassed(call_id=call))
        assert isinstance(events[0], e.ToolCallCompleted)
        assert events[0].outcome == outcome
        assert answers(story.state, i.DeadlinePassed(call_id=call)) == [CallCancelled(call_id=call)]


# Requests of people


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
    told = answers(story.state, CANCEL)
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
    assert types(story.when(CANCEL))[1] == "llm_call.failed"
    assert story.when(late) == []


def test_a_session_at_rest_refuses_and_says_the_same_when_asked_again() -> None:
    story = Story().asking()
    story.when(story.answer("the cause is X"))
    assert types(story.when(CANCEL)) == ["request.refused"]
    first = answers(story.state, CANCEL)
    assert story.when(CANCEL) == []
    assert answers(story.state, CANCEL) == first
    assert isinstance(first[0], RequestAnswered)
    assert first[0].code == 409


def test_a_request_about_a_session_that_never_was_is_answered_and_not_recorded() -> None:
    story = Story()
    assert story.when(CANCEL) == []
    told = answers(story.state, CANCEL)
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
