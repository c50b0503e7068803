"""Given an agent that may send others, when a limit is reached, then this follows."""

from datetime import timedelta

import pytest

from tarsy_contracts import events as e
from tarsy_contracts.chain import ApprovalRule, CallLimits, ResolvedServer, SubAgentLimits
from tarsy_contracts.conversation import Usage
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.wire.ids import execution_time_id, iteration_id, time_budget_id
from tarsy_session.deadlines import list_deadlines
from tarsy_session.state_queries import only_waits_for_people
from tarsy_testing.story.delegation import answers, begun, child, ended, messages, plan, send
from tarsy_testing.story.story import DELETE, READ, Story, agent, types


def test_limits_of_number_are_answered_in_words() -> None:
    story = begun(agent("Lead", max_iterations=9), limits=SubAgentLimits(max_running=2, max_started=3))
    assert [outcome for outcome, _ in answers(send(story, "a", "b", "c"))] == ["ok", "ok", "rejected"]
    story.when(story.answer("found", agent="Logs"))
    assert [outcome for outcome, _ in answers(send(story, "c"))] == ["ok"]
    story.when(story.answer("found", agent="Logs"))
    assert "may send no more" in answers(send(story, "d"))[0][1]


@pytest.mark.parametrize("depth", [1, 2])
def test_a_sub_agent_sends_others_only_within_the_depth(depth: int) -> None:
    story = begun(limits=SubAgentLimits(max_depth=depth), below=("Metrics",))
    send(story, "a")
    assert ("dispatch_agent" in {tool.tool for tool in child(story, "a").tools}) == (depth == 2)
    if depth == 2:
        send(story, "b", name="Metrics", who="Logs")
        assert "dispatch_agent" not in {tool.tool for tool in child(story, "b").tools}


def test_when_the_tokens_are_used_up_sub_agents_conclude_and_nobody_is_sent() -> None:
    story = begun(limits=SubAgentLimits(max_tokens=100))
    send(story, "a")
    usage = Usage(input_tokens=90, output_tokens=20)
    story.when(story.answer(tools=(READ,), agent="Logs").model_copy(update={"usage": usage}))
    story.when(story.result(story.call_ids[-1]))
    assert (story.asked("Logs").purpose, story.asked("Logs").reason) == ("conclusion", "token_budget")
    assert answers(send(story, "b"))[0][0] == "rejected"
    events = story.when(story.answer("so far", agent="Logs"))
    (completed,) = [one for one in events if isinstance(one, e.ExecutionCompleted)]
    assert completed.partial_reason.startswith("token_budget")


def test_a_sub_agent_loses_its_tools_then_ends_with_what_it_has_and_the_parent_reads_it() -> None:
    story = begun(limits=SubAgentLimits(seconds=100), times=CallLimits(conclusion_seconds=10))
    send(story, "a")
    one = child(story, "a")
    story.when(story.answer("I wait", agent="Lead"))
    story.when(story.answer("looking", tools=(READ,), agent="Logs"))
    story.now = one.began_at + timedelta(seconds=90)
    events = story.when(i.DeadlinePassed(call_id=time_budget_id(one.id)))
    assert types(events) == ["tool_call.completed", "llm_call.requested"]
    assert (story.asked("Logs").purpose, story.asked("Logs").reason) == ("conclusion", "time_budget")
    story.now = one.began_at + timedelta(seconds=100)
    events = story.when(i.DeadlinePassed(call_id=execution_time_id(one.id)))
    assert ended(events) == [("Logs", "timed_out")]
    assert story.asked("Lead").purpose == "iteration"
    assert "looking" in messages(story)[-1]


def test_a_sub_agent_never_outlives_the_time_in_which_its_parent_may_call_tools() -> None:
    times = CallLimits(session_seconds=1000, conclusion_seconds=100)
    story = begun(limits=SubAgentLimits(seconds=10_000), times=times)
    send(story, "a")
    began = story.investigating.life.began_at
    assert began is not None
    ends = {one.id: one.at - began for one in list_deadlines(story.investigating)}
    assert ends[execution_time_id(child(story, "a").id)] == timedelta(seconds=900)
    assert ends[time_budget_id(child(story, "a").id)] == timedelta(seconds=800)


def test_all_sub_agents_together_have_one_time_from_the_first_on() -> None:
    story = begun(limits=SubAgentLimits(total_seconds=500))
    send(story, "a")
    story.now += timedelta(seconds=300)
    send(story, "b")
    first = child(story, "a").began_at
    ends = {one.id: one.at - first for one in list_deadlines(story.investigating)}
    assert ends[execution_time_id(child(story, "b").id)] == timedelta(seconds=500)


def test_a_parent_that_waits_has_no_deadline_of_its_iteration_and_a_new_one_when_it_is_asked() -> None:
    story = begun()
    send(story, "a")
    story.when(story.answer("I wait", agent="Lead"))
    deadline = iteration_id(story.execution("Lead").id, 2)
    assert deadline not in {one.id for one in list_deadlines(story.investigating)}
    story.now += timedelta(seconds=1000)
    story.when(story.answer("found", agent="Logs"))
    (found,) = [one for one in list_deadlines(story.investigating) if one.id == deadline]
    assert found.at - story.now == timedelta(seconds=360)


GUARDED = ResolvedServer(server="kubernetes", allow=("*",), approve=ApprovalRule(changing=True))


def waiting_for_a_person() -> Story:
    """Lead waits for Logs, which may not delete before somebody approves."""
    limits = SubAgentLimits(seconds=100)
    resolved = plan(agent("Lead", server=GUARDED), limits=limits)
    logs = resolved.sub_agents["Logs"].model_copy(update={"servers": (GUARDED,)})
    story = Story(plan=resolved.model_copy(update={"sub_agents": {**resolved.sub_agents, "Logs": logs}})).asking()
    send(story, "a")
    story.when(story.answer("I wait", agent="Lead"))
    story.when(story.answer("It hangs.", tools=(DELETE,), agent="Logs"))
    return story


def test_while_a_person_is_asked_no_clock_of_parent_or_sub_agent_runs() -> None:
    story = waiting_for_a_person()
    one = child(story, "a")
    assert only_waits_for_people(story.investigating)
    before = {execution_time_id(one.id), iteration_id(one.id, 1), iteration_id(one.parent_id, 1)}
    assert before.isdisjoint(deadline.id for deadline in list_deadlines(story.investigating))
    story.now += timedelta(seconds=500)
    story.when(story.decision(story.call_ids[-1]))
    end = next(at.at for at in list_deadlines(story.investigating) if at.id == execution_time_id(one.id))
    assert story.now < end < story.now + timedelta(seconds=100)


def test_a_sub_agent_that_is_cancelled_asks_nobody_any_more() -> None:
    story = waiting_for_a_person()
    call_id = story.call_ids[-1]
    events = story.when(i.CancelRequested(request_id="r", author="ann"))
    assert [one.outcome for one in events if isinstance(one, e.ToolCallApprovalDecided)] == ["cancelled"]
    assert ended(events) == [("Lead", "cancelled"), ("Logs", "cancelled")]
    refused = story.when(story.decision(call_id))
    assert types(refused) == ["request.refused"]


def test_a_sub_agent_that_concludes_for_its_tokens_does_so_also_when_it_is_asked_again() -> None:
    story = begun(limits=SubAgentLimits(max_tokens=100))
    send(story, "a")
    usage = Usage(input_tokens=90, output_tokens=20)
    story.when(story.answer(tools=(READ,), agent="Logs").model_copy(update={"usage": usage}))
    story.when(story.result(story.call_ids[-1]))
    story.when(story.answer(error="503", agent="Logs"))
    assert (story.asked("Logs").purpose, story.asked("Logs").reason) == ("conclusion", "token_budget")
