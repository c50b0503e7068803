"""Given a call that waits for a person, when somebody decides, or nobody does, then this follows."""

from datetime import timedelta

import pytest

from tarsy_contracts import events as e
from tarsy_contracts.chain import ApprovalRule, ApprovalTerms, ResolvedServer
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.messages.control import ClaimGranted, ClaimRefused, RequestAnswered
from tarsy_contracts.messages.requests import ToolCallRequest
from tarsy_contracts.wire.ids import approval_id, iteration_id
from tarsy_session.deadlines import list_deadlines
from tarsy_session.effects import DeadlineEffect, ToolCallEffect, effects_of
from tarsy_session.evolve import evolve
from tarsy_session.queue_requests import request_of
from tarsy_session.replies import replies_to
from tarsy_session.state import NOT_STARTED, AtRest, Unsupported
from tarsy_session.state_queries import only_waits_for_people
from tarsy_testing.story.story import DELETE, READ, SECOND, SESSION, Story, agent, chain, stage, types

GUARDED = ResolvedServer(server="kubernetes", allow=("*",), approve=ApprovalRule(changing=True))


def guarded(
    server: ResolvedServer = GUARDED, *, on_timeout: str = "deny", agents: int = 1, role: str = "responder"
) -> Story:
    plan = chain(stage(*(agent(f"Agent-{number}", server=server) for number in range(1, agents + 1))))
    terms = ApprovalTerms.model_validate({"timeout_seconds": 600, "on_timeout": on_timeout, "role": role})
    return Story(plan=plan.model_copy(update={"approval": terms}))


def waiting(*tools: e.OfferedTool, story: Story | None = None) -> Story:
    return (story or guarded()).calling(*(tools or (DELETE,)))


def owed(story: Story) -> list[str]:
    return [one.id for one in effects_of(story.state) if isinstance(one, ToolCallEffect)]


def deadline_ids(story: Story) -> set[str]:
    return {one.id for one in list_deadlines(story.investigating)}


def passed(story: Story, id: str, seconds: float) -> list[e.Event]:
    story.now += timedelta(seconds=seconds)
    return story.when(i.DeadlinePassed(call_id=id))


def decision_of(role: str | None, story: Story, id: str = "r1") -> i.CallDecisionRequested:
    return story.decision(story.call_ids[0]).model_copy(update={"role": role, "request_id": id})


# The wait


def test_a_call_that_needs_a_yes_waits_and_says_so_with_all_that_a_person_must_know() -> None:
    story = guarded().asking()
    events = story.when(story.answer("The pod hangs: I delete it.", tools=(DELETE,)))
    assert types(events) == ["llm_call.completed", "tool_call.requested", "tool_call.approval_requested"]
    asked = events[2]
    assert isinstance(asked, e.ToolCallApprovalRequested)
    assert (asked.server, asked.tool, asked.arguments) == ("kubernetes", "pods_delete", {"namespace": "shop"})
    assert asked.reason == "The pod hangs: I delete it."
    assert (asked.role, asked.timeout_seconds, asked.on_timeout) == ("responder", 600, "deny")


def test_nobody_is_asked_to_run_a_call_that_waits_and_nobody_may() -> None:
    story = waiting()
    call = story.call_ids[0]
    assert owed(story) == []
    claim = story.claim(call)
    assert story.when(claim) == []
    assert replies_to(story.state, claim) == [
        ClaimRefused(call_id=call, claim_id="claim-1", reason="the call waits for a person")
    ]
    assert story.when(story.result(call)) == []
    assert story.investigating.calls[call].waits_for_person


def test_a_read_only_tool_does_not_wait_unless_it_is_named() -> None:
    story = waiting(READ)
    assert owed(story) == story.call_ids
    named = ResolvedServer(server="kubernetes", approve=ApprovalRule(tools=("pods_l*",)))
    story = waiting(READ, story=guarded(named))
    assert owed(story) == []
    assert not story.investigating.calls[story.call_ids[0]].requested.repeatable


def test_the_rule_stands_on_the_log_before_the_agents_begin() -> None:
    story = guarded().started()
    events = story.offered()
    assert types(events)[:2] == ["stage.tools_offered", "stage.approvals_required"]
    assert events[1] == e.StageApprovalsRequired(
        stage_id=story.investigating.stages[0].started.stage_id, tools=("kubernetes__pods_delete",)
    )


def test_the_agent_reads_which_of_its_calls_wait_and_that_a_person_reads_why() -> None:
    system = waiting().execution().started.system
    assert "A call of kubernetes__pods_delete is made only after a person has approved it." in system
    assert "wait for a person" not in Story().calling(DELETE).execution().started.system


def test_a_session_without_approvals_writes_no_event_that_an_older_version_cannot_read() -> None:
    story = Story().calling(READ, DELETE)
    assert not [one for one in story.log if "approval" in one.envelope.type]


def test_other_calls_of_the_turn_go_on_meanwhile() -> None:
    story = waiting(READ, DELETE)
    read, delete = story.call_ids
    assert owed(story) == [read]
    assert types(story.when(story.result(read))) == ["tool_call.completed"]
    assert story.investigating.calls[delete].waits_for_person


# Somebody decides


def test_an_approved_call_goes_its_usual_way_and_is_granted_once() -> None:
    story = waiting()
    call = story.call_ids[0]
    assert types(story.when(story.decision(call))) == ["request.accepted", "tool_call.approval_decided"]
    assert owed(story) == [call]
    first, second = story.claim(call), story.claim(call, "claim-2", "worker-2")
    story.when(first)
    assert replies_to(story.state, first) == [ClaimGranted(call_id=call, claim_id="claim-1")]
    assert story.when(second) == []
    assert isinstance(replies_to(story.state, second)[0], ClaimRefused)
    assert types(story.when(story.result(call)))[0] == "tool_call.completed"


@pytest.mark.parametrize("role", ["viewer", "responder", "root"])
def test_whoever_has_too_little_a_role_decides_nothing_and_reads_which_it_needs(role: str) -> None:
    story = waiting(story=guarded(role="operator"))
    (refused,) = story.when(decision_of(role, story))
    assert isinstance(refused, e.RequestRefused)
    assert (refused.code, refused.reason) == (
        403, f"a decision about this call needs the role operator, and you have the role {role}"
    )  # fmt: skip
    assert story.investigating.calls[story.call_ids[0]].waits_for_person
    assert types(story.when(decision_of("admin", story, "r2")))[-1] == "tool_call.approval_decided"


@pytest.mark.parametrize(("needed", "role"), [("operator", None), ("the boss", "responder"), ("operator", "operator")])
def test_without_authentication_or_a_role_of_ours_everybody_who_is_let_in_decides(
    needed: str, role: str | None
) -> None:
    story = waiting(story=guarded(role=needed))
    assert types(story.when(decision_of(role, story)))[-1] == "tool_call.approval_decided"


def test_an_approved_call_runs_once_also_when_its_server_calls_it_idempotent() -> None:
    idempotent = DELETE.model_copy(update={"repeatable": True})
    story = guarded().started()
    story.offered(idempotent)
    story.when(story.answer(tools=(idempotent,)))
    call = story.call_ids[0]
    story.when(story.decision(call))
    effect = next(one for one in effects_of(story.state) if isinstance(one, ToolCallEffect))
    request = request_of(SESSION, story.investigating, effect)
    assert isinstance(request, ToolCallRequest)
    assert not request.repeatable


def test_the_time_of_an_approved_call_begins_with_the_approval() -> None:
    story = waiting()
    call = story.call_ids[0]
    story.now += timedelta(seconds=500)
    story.when(story.decision(call))
    assert passed(story, call, 30) == []
    assert types(passed(story, call, 60))[0] == "tool_call.completed"


def test_a_denial_is_an_outcome_with_the_comment_for_the_agent() -> None:
    story = waiting()
    call = story.call_ids[0]
    events = story.when(story.decision(call, "deny", comment="Scale it instead."))
    assert types(events) == [
        "request.accepted", "tool_call.approval_decided", "tool_call.completed", "llm_call.requested"
    ]  # fmt: skip
    assert events[1] == e.ToolCallApprovalDecided(
        call_id=call, outcome="denied", request_id="decision-4", author="ann", comment="Scale it instead."
    )
    ended = events[2]
    assert isinstance(ended, e.ToolCallCompleted)
    assert ended.outcome == "rejected"
    assert ended.content == "ann denied this call. It did not run. The comment: Scale it instead."


def test_the_first_decision_counts_and_a_later_one_reads_it() -> None:
    story = waiting()
    call = story.call_ids[0]
    first = story.decision(call)
    story.when(first)
    second = story.decision(call, "deny", author="bob")
    assert types(story.when(second)) == ["request.refused"]
    assert replies_to(story.state, second) == [
        RequestAnswered(
            request_id=second.request_id, accepted=False, code=409, reason="the call was approved already, by ann"
        )
    ]
    assert story.when(first) == []
    assert replies_to(story.state, first) == [
        RequestAnswered(request_id=first.request_id, accepted=True, code=200, reason="")
    ]


def test_a_decision_about_a_call_that_does_not_wait_is_not_found() -> None:
    story = Story().calling(DELETE)
    for call in (story.call_ids[0], "no such call"):
        (refused,) = story.when(story.decision(call))
        assert isinstance(refused, e.RequestRefused)
        assert refused.code == 404


def test_a_session_that_never_was_has_no_call_to_decide_about() -> None:
    asked = i.CallDecisionRequested(request_id="r", author="ann", call_id="c", decision="approve")
    assert Story().when(asked) == []
    assert replies_to(NOT_STARTED, asked)[0] == RequestAnswered(
        request_id="r", accepted=False, code=404, reason="there is no such session"
    )


# Nobody decides


def test_silence_denies_at_the_end_of_the_limit() -> None:
    story = waiting()
    call = story.call_ids[0]
    id = approval_id(call)
    assert id in {one.id for one in effects_of(story.state) if isinstance(one, DeadlineEffect)}
    assert passed(story, id, 590) == []
    events = passed(story, id, 10)
    assert types(events) == ["tool_call.approval_decided", "tool_call.completed", "llm_call.requested"]
    assert isinstance(events[1], e.ToolCallCompleted)
    assert events[1].outcome == "rejected"
    late = story.decision(call)
    (refused,) = story.when(late)
    assert isinstance(refused, e.RequestRefused)
    assert refused.reason == "the call was denied already: nobody had decided in time"


def test_silence_fails_the_session_where_the_operator_wants_it() -> None:
    story = waiting(DELETE, DELETE, story=guarded(on_timeout="fail"))
    events = passed(story, approval_id(story.call_ids[0]), 601)
    assert types(events) == [
        "tool_call.approval_decided", "tool_call.completed",
        "tool_call.approval_decided", "tool_call.completed",
        "execution.completed", "stage.completed", "session.failed",
    ]  # fmt: skip
    assert [event.outcome for event in events if isinstance(event, e.ToolCallApprovalDecided)] == [
        "expired", "cancelled"
    ]  # fmt: skip
    assert isinstance(story.state, AtRest)
    (refused,) = story.when(story.decision(next(iter(story.state.calls))))
    assert isinstance(refused, e.RequestRefused)
    assert refused.code == 409


def test_a_wait_uses_up_neither_the_iteration_nor_the_session() -> None:
    story = waiting(READ, DELETE)
    read, delete = story.call_ids
    story.when(story.result(read))
    execution = story.execution()
    iteration = iteration_id(execution.id, 1)
    assert deadline_ids(story) == {approval_id(delete)}
    assert passed(story, SESSION, 3000) == []
    assert passed(story, iteration, 3000) == []
    story.when(story.decision(delete))
    assert deadline_ids(story) == {SESSION, iteration}
    assert passed(story, iteration, 300) == []
    assert passed(story, SESSION, 0) == []
    assert types(passed(story, iteration, 60))[0] == "tool_call.completed"


def test_two_waits_at_once_stop_the_clock_once() -> None:
    story = waiting(DELETE, DELETE)
    first, second = story.call_ids
    story.now += 99 * SECOND
    story.when(story.decision(first))
    assert story.investigating.life.waiting_since is not None
    story.now += 99 * SECOND
    story.when(story.decision(second))
    life = story.investigating.life
    # Each input of a story takes a second, too.
    assert (life.waiting_since, life.waited) == (None, 200 * SECOND)


def test_the_limit_of_a_call_does_not_end_it_while_it_waits() -> None:
    story = waiting()
    assert passed(story, story.call_ids[0], 120) == []


def test_of_parallel_agents_one_goes_on_while_the_other_waits() -> None:
    story = guarded(agents=2).started()
    story.offered()
    story.when(story.answer(tools=(DELETE,), agent="Agent-1"))
    other = story.execution("Agent-2")
    assert iteration_id(other.id, 1) in deadline_ids(story)
    assert not only_waits_for_people(story.investigating)
    story.when(story.answer(tools=(DELETE,), agent="Agent-2"))
    assert only_waits_for_people(story.investigating)
    story.when(story.decision(story.call_ids[0]))
    assert not only_waits_for_people(story.investigating)


# The end of the session, and another owner


def test_a_cancelled_session_ends_the_wait_at_once() -> None:
    story = waiting()
    call = story.call_ids[0]
    events = story.when(i.CancelRequested(request_id="r", author="bob"))
    assert types(events) == [
        "request.accepted", "tool_call.approval_decided", "tool_call.completed",
        "execution.completed", "stage.completed", "session.cancelled",
    ]  # fmt: skip
    (refused,) = story.when(story.decision(call))
    assert isinstance(refused, e.RequestRefused)
    assert refused.reason == "the call was cancelled before anybody had decided"


@pytest.mark.parametrize("decision", ["", "approve", "deny"])
def test_replay_makes_the_same_wait(decision: str) -> None:
    story = waiting(READ, DELETE)
    if decision:
        story.when(story.decision(story.call_ids[1], "approve" if decision == "approve" else "deny"))
    again = NOT_STARTED
    for record in story.log:
        again = evolve(again, record)  # type: ignore[assignment]
    assert again == story.state
    assert effects_of(again) == effects_of(story.state)


def test_a_decision_that_makes_no_sense_on_the_log_is_from_code_that_this_code_does_not_know() -> None:
    story = Story().calling(DELETE)
    decided = e.ToolCallApprovalDecided(call_id=story.call_ids[0], outcome="approved")
    story.append(decided, story.given(i.DeadlinePassed(call_id="x")))
    assert isinstance(story.state, Unsupported)
