"""Given calls of tools, when workers claim, report, die or are late, then this follows."""

from datetime import timedelta

from tarsy_contracts import events as e
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.messages.control import CallCancelled, ClaimGranted, ClaimRefused
from tarsy_session.effects import ToolCallEffect, effects_of
from tarsy_session.replies import replies_to
from tarsy_session.state import AtRest
from tarsy_testing.story.story import DELETE, READ, Story, types


def test_the_first_claim_starts_the_call_and_only_it_is_granted() -> None:
    story = Story().calling(DELETE)
    call = story.call_ids[0]
    first, second = story.claim(call, "claim-1"), story.claim(call, "claim-2", "worker-2")
    assert types(story.when(first)) == ["tool_call.started"]
    assert replies_to(story.state, first) == [ClaimGranted(call_id=call, claim_id="claim-1")]
    assert story.when(second) == []
    assert isinstance(replies_to(story.state, second)[0], ClaimRefused)


def test_a_repeated_claim_is_granted_again_and_decided_once() -> None:
    story = Story().calling(DELETE)
    claim = story.claim(story.call_ids[0])
    story.when(claim)
    assert story.when(claim) == []
    assert isinstance(replies_to(story.state, claim)[0], ClaimGranted)


def test_a_call_that_may_run_twice_needs_no_grant() -> None:
    story = Story().calling(READ)
    claim = story.claim(story.call_ids[0])
    assert types(story.when(claim)) == ["tool_call.started"]
    assert replies_to(story.state, claim) == []


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
    assert [one.call.claim for one in effects_of(story.state) if isinstance(one, ToolCallEffect)] == [None]


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
    assert isinstance(story.state, AtRest)
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
        assert replies_to(story.state, i.DeadlinePassed(call_id=call)) == [CallCancelled(call_id=call)]


def test_the_outcome_of_a_call_says_which_nulls_its_server_was_not_sent() -> None:
    story = Story().calling(READ)
    reported = story.result(story.call_ids[0]).model_copy(update={"nulls_left_out": ("label",)})
    (completed, *_) = story.when(reported)
    assert isinstance(completed, e.ToolCallCompleted)
    assert completed.nulls_left_out == ("label",)
