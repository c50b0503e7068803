"""Given an agent that may send others, when something comes, then this follows."""

import pytest

from tarsy_contracts import events as e
from tarsy_contracts.chain import SubAgentLimits
from tarsy_contracts.conversation import ToolCall
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.messages.control import CallCancelled
from tarsy_contracts.wire.ids import tool_call_id
from tarsy_session.prompts.delegation import find_named_facts
from tarsy_session.replies import replies_to
from tarsy_session.state import AtRest
from tarsy_testing.story.delegation import (
    answers,
    asked_ids,
    begun,
    call,
    child,
    ended,
    messages,
    plan,
    send,
    started,
    who_is_asked,
)
from tarsy_testing.story.story import ALERT, READ, Story, agent, types

AGAIN = ["llm_call.failed", "llm_call.requested"]
DISPATCHED = [
    "llm_call.completed",
    "tool_call.requested",
    "execution.started",
    "tool_call.completed",
    "llm_call.requested",
    "llm_call.requested",
]


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


@pytest.mark.parametrize(
    ("task", "named"),
    [
        ("Why does shop/api-7 restart?", {"pod: api-7", "namespace: shop"}),
        ("Read pod/api-7, then SHOP.", {"pod: api-7", "namespace: shop"}),
        ("Compare the namespace with that of api-70 and workshop", {"namespace: shop"}),
        ("Who runs in the north west?", {"region: north west"}),
        ("Anything?", set()),
    ],
)
def test_a_fact_is_named_where_its_name_or_value_stands_by_itself(task: str, named: set[str]) -> None:
    labels = {"pod": "api-7", "region": "north west"}
    alert = ALERT.model_copy(update={"namespace": "shop", "labels": labels})
    found = {f"{name}: {value}" for name, value in find_named_facts(alert, task)}
    assert found - {"Type: kubernetes", "Title: It burns"} == named


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


def test_the_evidence_of_an_investigation_lacks_what_a_sub_agent_had_no_tools_for() -> None:
    story = Story(plan=plan(agent("Lead").model_copy(update={"servers": ()}))).started()
    story.offered(READ.model_copy(update={"server": "other"}), unavailable=("kubernetes",))
    send(story, "a")
    assert "kubernetes" in child(story, "a").started.system
    story.when(story.answer("I saw nothing", agent="Logs"))
    story.when(story.answer("I wait", agent="Lead"))
    story.when(story.answer("the cause", agent="Lead"))
    assert isinstance(story.state, AtRest)
    assert isinstance(story.state.ended, e.SessionCompleted)
    (limit,) = story.state.ended.evidence_limits
    assert limit.startswith("Logs has no tools")


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


def test_an_empty_answer_waits_as_any_other_without_a_call() -> None:
    story = begun()
    send(story, "a")
    assert types(story.when(story.answer("", agent="Lead"))) == ["llm_call.completed"]
    story.when(story.answer("it leaks", agent="Logs"))
    assert (story.asked("Lead").iteration, "it leaks" in messages(story)[-1]) == (2, True)


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
    (completed,) = [one for one in events if isinstance(one, e.StageCompleted)]
    assert completed.status == status
    assert completed.error == ("sub-agents that had to complete did not: Logs" if required else "")


def test_a_required_task_that_failed_counts_as_its_last_run_does() -> None:
    story = begun(limits=SubAgentLimits(required=True))
    send(story, "a")
    story.when(story.answer(error="no key", kind="credentials", agent="Logs"))
    send(story, "a")
    story.when(story.answer("found", agent="Logs"))
    events = story.when(story.answer("the cause", agent="Lead"))
    assert types(events)[-1] == "llm_call.requested", "it reads what came first"
    events = story.when(story.answer("the cause", agent="Lead"))
    assert [one.status for one in events if isinstance(one, e.StageCompleted)] == ["completed"]


def test_a_conversation_that_is_too_long_shows_less_of_what_sub_agents_brought() -> None:
    story = begun()
    send(story, "a")
    story.when(story.answer("I wait", agent="Lead"))
    story.when(story.answer("x" * 30_000, agent="Logs"))
    assert len(messages(story)[-1]) > 30_000
    shorter = []
    while types(story.when(story.answer(error="too long", kind="context_full", agent="Lead"))) == AGAIN:
        shorter.append(len(messages(story)[-1]))
        assert len(shorter) < 9
    assert shorter == sorted(shorter, reverse=True)
    assert shorter[-1] < 1_500


def test_each_question_after_a_wait_has_its_own_retries() -> None:
    story = begun(agent("Lead", max_iterations=9))
    send(story, "a", "b", "c")
    for _ in range(3):
        story.when(story.answer("I wait", agent="Lead"))
        story.when(story.answer("found", agent="Logs"))
    story.when(story.answer(error="429", kind="rate_limited", agent="Lead"))
    assert story.asked("Lead").wait_seconds == 5.0


def test_an_agent_that_answers_people_may_send_others() -> None:
    answering = agent("ChatAgent").model_copy(update={"sub_agents": ("Logs",)})
    story = Story(plan=plan().model_copy(update={"chat": answering}))
    story.asking()
    story.when(story.answer("the cause", agent="Lead"))
    story.questioned("Is it over?")
    assert "- Logs: reads Logs" in story.execution("ChatAgent").started.system
    send(story, "errors since then", who="ChatAgent")
    story.when(story.answer("I wait", agent="ChatAgent"))
    story.when(story.answer("none", agent="Logs"))
    assert "none" in messages(story, "ChatAgent")[-1]
    events = story.when(story.answer("It is over.", agent="ChatAgent"))
    assert types(events)[-1] == "reply.completed"
    assert isinstance(story.state, AtRest)


def test_a_reply_that_is_cancelled_takes_its_sub_agents_along() -> None:
    answering = agent("ChatAgent").model_copy(update={"sub_agents": ("Logs",)})
    story = Story(plan=plan().model_copy(update={"chat": answering}))
    story.asking()
    story.when(story.answer("the cause", agent="Lead"))
    story.questioned("Is it over?")
    send(story, "errors since then", who="ChatAgent")
    events = story.when(i.CancelRequested(request_id="r", author="ann"))
    assert ended(events) == [("ChatAgent", "cancelled"), ("Logs", "cancelled")]
    assert isinstance(story.state, AtRest)


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


@pytest.mark.parametrize("depth", [1, 2])
def test_the_workers_of_those_below_an_agent_that_fails_are_told_to_stop(depth: int) -> None:
    story = begun(agent("Lead"), agent("Other"), limits=SubAgentLimits(max_depth=depth), below=("Metrics",))
    send(story, "a")
    if depth == 2:
        send(story, "b", name="Metrics", who="Logs")
    who = "Metrics" if depth == 2 else "Logs"
    story.when(story.answer(tools=(READ,), agent=who))
    open_call = story.call_ids[-1]
    failure = story.answer(error="no key", kind="credentials", agent="Lead")
    story.when(failure)
    assert replies_to(story.state, failure) == [CallCancelled(call_id=open_call)]
    other = story.answer("It burns.", agent="Other")
    story.when(other)
    assert replies_to(story.state, other) == []


@pytest.mark.parametrize("cancel", ["agent", "session"])
def test_whom_an_agent_sends_with_an_answer_that_comes_after_its_end_never_begins(cancel: str) -> None:
    """The answer was on its way when the agent was cancelled."""
    story = begun(limits=SubAgentLimits(max_depth=2), below=("Metrics",))
    send(story, "a")
    asked = story.asked("Logs").llm_call_id
    sends = ToolCall(
        id=tool_call_id(asked, 0), name="tarsy__dispatch_agent", arguments={"name": "Metrics", "task": "b"}
    )
    late = story.answer(agent="Logs").model_copy(update={"tool_calls": (sends,)})
    if cancel == "agent":
        call(story, ("cancel_agent", {"execution_id": child(story, "a").id}))
    else:
        story.when(i.CancelRequested(request_id="r", author="ann"))
    assert story.when(late) == []
    assert len(started([record.event for record in story.log if record.event is not None])) == 2


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
