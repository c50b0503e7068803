"""Given an agent that may send others, when something comes, then this follows."""

from datetime import timedelta

import pytest

from tarsy_contracts import events as e
from tarsy_contracts.chain import CallLimits, ResolvedAgent, ResolvedChain, SubAgentLimits
from tarsy_contracts.conversation import ToolCall, Usage
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.messages.control import CallCancelled
from tarsy_contracts.wire.ids import execution_time_id, iteration_id, time_budget_id, tool_call_id
from tarsy_session.conversations.conversation import build_conversation
from tarsy_session.deadlines import list_deadlines
from tarsy_session.effects import LlmCallEffect, effects_of
from tarsy_session.replies import replies_to
from tarsy_session.state import AtRest, Execution
from tarsy_testing.story.story import READ, Story, agent, chain, stage, types

NO_LIMITS = SubAgentLimits()
USUAL = CallLimits()
DISPATCHED = [
    "llm_call.completed",
    "tool_call.requested",
    "execution.started",
    "tool_call.completed",
    "llm_call.requested",
    "llm_call.requested",
]


def plan(
    *parents: ResolvedAgent,
    limits: SubAgentLimits = NO_LIMITS,
    below: tuple[str, ...] = (),
    times: CallLimits = USUAL,
) -> ResolvedChain:
    """Parents that may send Logs and Metrics. `below`: whom Logs may send."""
    sending = {"sub_agents": ("Logs", "Metrics"), "sub_agent_limits": limits}
    sub_agents = {name: agent(name).model_copy(update={"description": f"reads {name}"}) for name in ("Logs", "Metrics")}
    sub_agents["Logs"] = sub_agents["Logs"].model_copy(update={"sub_agents": below, "sub_agent_limits": limits})
    agents = [one.model_copy(update=sending) for one in parents or (agent("Lead"),)]
    return chain(stage(*agents)).model_copy(update={"sub_agents": sub_agents, "limits": times})


def begun(
    *parents: ResolvedAgent,
    limits: SubAgentLimits = NO_LIMITS,
    below: tuple[str, ...] = (),
    times: CallLimits = USUAL,
) -> Story:
    return Story(plan=plan(*parents, limits=limits, below=below, times=times)).asking()


def call(story: Story, *calls: tuple[str, dict[str, str]], who: str = "Lead") -> list[e.Event]:
    """The agent makes these calls in one answer."""
    asked = story.asked(who).llm_call_id
    made = tuple(
        ToolCall(id=tool_call_id(asked, at), name=f"tarsy__{tool}", arguments=dict(arguments))
        for at, (tool, arguments) in enumerate(calls)
    )
    return story.when(story.answer(agent=who).model_copy(update={"tool_calls": made}))


def send(story: Story, *tasks: str, name: str = "Logs", who: str = "Lead") -> list[e.Event]:
    return call(story, *[("dispatch_agent", {"name": name, "task": task}) for task in tasks], who=who)


def answers(events: list[e.Event]) -> list[tuple[str, str]]:
    return [(one.outcome, one.content) for one in events if isinstance(one, e.ToolCallCompleted)]


def started(events: list[e.Event]) -> list[e.ExecutionStarted]:
    return [one for one in events if isinstance(one, e.ExecutionStarted)]


def ended(events: list[e.Event]) -> list[tuple[str, str]]:
    return [(one.agent, one.status) for one in events if isinstance(one, e.ExecutionCompleted)]


def messages(story: Story, who: str = "Lead") -> list[str]:
    return [one.content for one in build_conversation(story.investigating, story.execution(who)).messages]


def child(story: Story, task: str) -> Execution:
    return next(one for one in story.investigating.executions.values() if one.started.task == task)


def asked_ids(story: Story) -> list[str]:
    return [one.event.llm_call_id for one in story.log if isinstance(one.event, e.LlmCallRequested)]


def who_is_asked(story: Story) -> set[str]:
    return {one.execution.agent.name for one in effects_of(story.state) if isinstance(one, LlmCallEffect)}


# Beginning


def test_a_dispatch_starts_an_execution_in_the_same_decision_and_the_parent_goes_on() -> None:
    story = begun()
    events = send(story, "errors in shop")
    assert types(events) == DISPATCHED
    (one,) = started(events)
    assert (one.agent, one.task, one.parent_execution_id) == ("Logs", "errors in shop", story.execution("Lead").id)
    assert (one.index, one.stage_id) == (2, story.investigating.stages[-1].started.stage_id)
    assert answers(events) == [("ok", f"Logs has begun. execution_id: {one.execution_id}")]
    assert who_is_asked(story) == {"Lead", "Logs"}


def test_a_sub_agent_reads_its_task_and_only_the_facts_of_the_alert_that_this_names() -> None:
    story = Story(plan=plan())
    labels = {"team": "payments", "pod": "api-7"}
    story.alert = story.alert.model_copy(update={"namespace": "shop", "cluster": "west", "labels": labels})
    story.asking()
    (one,) = started(send(story, "Errors of pod api-7 in shop?"))
    for seen in ("Errors of pod api-7 in shop?", "namespace: shop", "pod: api-7", "Title: It burns"):
        assert seen in one.prompt
    for unseen in ("it burns\n", "payments", "west"):
        assert unseen not in one.prompt
    assert "Another agent investigates" in one.system
    assert "reads Logs" not in one.system


def test_an_agent_is_told_whom_it_may_send_and_others_are_not() -> None:
    story = begun()
    assert "- Logs: reads Logs\n- Metrics: reads Metrics" in story.execution("Lead").started.system
    send(story, "a")
    assert "Sub-agents" not in child(story, "a").started.system
    plain = Story().asking()
    assert not any(tool.server == "tarsy" and "agent" in tool.tool for tool in plain.execution().tools)


def test_a_sub_agent_has_the_tools_of_its_own_servers_within_the_operators_rules() -> None:
    story = begun(agent("Lead").model_copy(update={"servers": ()}))
    send(story, "a")
    assert [tool.tool for tool in story.execution("Lead").tools] == ["dispatch_agent", "cancel_agent", "list_agents"]
    assert [tool.tool for tool in child(story, "a").tools] == ["pods_list", "pods_delete", "read_result"]


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        ({"name": "Nobody", "task": "a"}, "There is no sub-agent named 'Nobody'. You may send: Logs, Metrics."),
        ({"name": "Logs", "task": " "}, "`task` has to have 1 to 20000 characters."),
        ({"task": "a"}, "There is no sub-agent named ''. You may send: Logs, Metrics."),
    ],
)
def test_what_cannot_be_sent_is_rejected_in_words(arguments: dict[str, str], answer: str) -> None:
    assert answers(call(begun(), ("dispatch_agent", arguments))) == [("rejected", answer)]


def test_the_same_task_for_the_same_agent_is_answered_with_the_first_ones_id() -> None:
    story = begun(agent("Lead", max_iterations=9))
    (first,) = started(send(story, "a"))
    again = send(story, "a", "b")
    assert [one.task for one in started(again)] == ["b"]
    assert f"execution_id: {first.execution_id}. It still runs." in answers(again)[0][1]
    story.when(story.answer("found", agent="Logs"))
    assert "has completed" in answers(send(story, "a", "c"))[0][1]


def test_a_task_that_failed_may_be_tried_again() -> None:
    story = begun()
    (first,) = started(send(story, "a"))
    story.when(story.answer(error="no key", kind="credentials", agent="Logs"))
    (second,) = started(send(story, "a"))
    assert second.execution_id != first.execution_id


def test_two_agents_that_give_the_same_task_have_a_run_each() -> None:
    story = begun(agent("Lead"), agent("Other"))
    send(story, "a")
    (second,) = started(send(story, "a", who="Other"))
    assert second.parent_execution_id == story.execution("Other").id


# Ending


def test_the_result_is_a_message_to_the_parent_with_its_next_question() -> None:
    story = begun()
    send(story, "a")
    before = messages(story)
    assert types(story.when(story.answer("it leaks", agent="Logs"))) == ["llm_call.completed", "execution.completed"]
    assert messages(story) == before, "what is being asked stays as it is"
    story.when(story.answer("looking", tools=(READ,), agent="Lead"))
    story.when(story.result(story.call_ids[-1]))
    assert messages(story)[: len(before)] == before
    (note,) = [one for one in messages(story) if one.startswith("[Sub-agent")]
    id = child(story, "a").id
    assert note == f"[Sub-agent Logs ({id}) has ended: completed.]\n\n<<<RESULT\nit leaks\nRESULT>>>"


def test_an_answer_without_a_call_waits_for_those_that_run_and_the_wait_costs_no_iteration() -> None:
    story = begun()
    send(story, "a", "b")
    assert types(story.when(story.answer("I wait", agent="Lead"))) == ["llm_call.completed"]
    first = story.when(story.answer("A found", agent="Logs"))
    assert types(first) == ["llm_call.completed", "execution.completed", "llm_call.requested"]
    assert story.asked("Lead").iteration == 2
    story.when(story.answer("I wait on", agent="Lead"))
    story.when(story.answer("B found", agent="Logs"))
    assert ["found" in one for one in messages(story) if one.startswith("[Sub-agent")] == [True, True]
    story.when(story.answer("the cause", agent="Lead"))
    assert isinstance(story.state, AtRest)
    assert story.state.ended == e.SessionCompleted(final_analysis="the cause")
    assert len(set(asked_ids(story))) == len(asked_ids(story))


def test_a_result_that_came_while_the_parent_answered_is_read_before_it_may_end() -> None:
    story = begun()
    send(story, "a")
    story.when(story.answer("it leaks", agent="Logs"))
    assert types(story.when(story.answer("done", agent="Lead"))) == ["llm_call.completed", "llm_call.requested"]
    assert "it leaks" in messages(story)[-1]
    story.when(story.answer("done, it leaks", agent="Lead"))
    assert isinstance(story.state, AtRest)


def test_a_parent_without_iterations_waits_for_all_before_it_concludes() -> None:
    story = begun(agent("Lead", max_iterations=1))
    assert types(send(story, "a", "b")).count("llm_call.requested") == 2
    assert who_is_asked(story) == {"Logs"}
    story.when(story.answer("A found", agent="Logs"))
    assert who_is_asked(story) == {"Logs"}
    story.when(story.answer("B found", agent="Logs"))
    assert story.asked("Lead").purpose == "conclusion"
    assert sum("found" in one for one in messages(story) if one.startswith("[Sub-agent")) == 2


@pytest.mark.parametrize(("required", "status"), [(False, "completed"), (True, "failed")])
def test_a_failed_sub_agent_fails_nobody_else_unless_it_is_required(required: bool, status: str) -> None:
    story = begun(limits=SubAgentLimits(required=required))
    send(story, "a")
    story.when(story.answer("I wait", agent="Lead"))
    story.when(story.answer(error="no key", kind="credentials", agent="Logs"))
    assert "has ended: failed. no key" in messages(story)[-1]
    events = story.when(story.answer("the cause", agent="Lead"))
    assert [one.status for one in events if isinstance(one, e.StageCompleted)] == [status]


# Cancelling, and no orphans


def test_an_agent_cancels_one_of_its_own_with_all_that_this_has_open() -> None:
    story = begun()
    send(story, "a", "b")
    first = child(story, "a")
    assert first.waiting_for is not None
    wish = ToolCall(id="11111111-0000-5000-8000-000000000000", name="kubernetes__pods_delete", arguments={})
    asked = story.answer("deleting", agent="Logs")
    story.when(asked.model_copy(update={"tool_calls": (wish,)}))
    story.when(story.claim(wish.id))
    events = call(story, ("cancel_agent", {"execution_id": first.id}))
    assert ended(events) == [("Logs", "cancelled")]
    assert [outcome for outcome, _ in answers(events)] == ["unknown", "ok"]
    assert answers(events)[-1] == ("ok", "Logs is cancelled.")
    assert child(story, "b").open
    assert types(story.when(story.result(wish.id, "deleted"))) == ["tool_call.outcome_learned"]


def test_the_worker_of_a_cancelled_sub_agent_is_told_to_stop_its_call() -> None:
    story = begun()
    send(story, "a", "b")
    wish = ToolCall(id="11111111-0000-5000-8000-000000000000", name="kubernetes__pods_list", arguments={})
    story.when(story.answer("looking", agent="Logs").model_copy(update={"tool_calls": (wish,)}))
    asked = story.asked("Lead").llm_call_id
    call(story, ("cancel_agent", {"execution_id": child(story, "a").id}))
    told = replies_to(story.state, story.answer(agent="Lead").model_copy(update={"llm_call_id": asked}))
    assert told == [CallCancelled(call_id=wish.id)]


def test_nobody_cancels_the_sub_agent_of_another() -> None:
    story = begun(agent("Lead"), agent("Other"))
    send(story, "a")
    events = call(story, ("cancel_agent", {"execution_id": child(story, "a").id}), who="Other")
    assert answers(events)[0][0] == "rejected"
    assert child(story, "a").open


def test_the_list_has_who_may_be_sent_and_how_those_are_that_were() -> None:
    story = begun()
    send(story, "a")
    ((outcome, text),) = answers(call(story, ("list_agents", {})))
    assert outcome == "ok"
    assert "- Metrics: reads Metrics" in text
    assert f"- {child(story, 'a').id} Logs: active, 1 of 3 iterations: a" in text


def test_a_parent_that_ends_takes_all_below_it_along_in_the_same_decision() -> None:
    story = begun(limits=SubAgentLimits(max_depth=2), below=("Metrics",))
    send(story, "a")
    send(story, "b", name="Metrics", who="Logs")
    events = story.when(story.answer(error="no key", kind="credentials", agent="Lead"))
    assert ended(events) == [("Lead", "completed"), ("Logs", "cancelled"), ("Metrics", "cancelled")]
    assert isinstance(story.state, AtRest)


def test_a_cancelled_session_ends_parents_and_sub_agents_at_once() -> None:
    story = begun()
    send(story, "a", "b")
    events = story.when(i.CancelRequested(request_id="r", author="ann"))
    assert [status for _, status in ended(events)] == ["cancelled"] * 3
    assert isinstance(story.state, AtRest)


# Limits


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
