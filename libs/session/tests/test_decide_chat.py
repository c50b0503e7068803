"""Given an investigation that ended, when a person asks, then it is answered, and stays as it ended."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from tarsy_contracts import events as e
from tarsy_contracts.events.heads import Span
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.messages.control import RequestAnswered
from tarsy_contracts.wire.ids import chat_id
from tarsy_session.conversations.conversation import build_conversation, list_offered_tools
from tarsy_session.deadlines import list_deadlines
from tarsy_session.decide import decide
from tarsy_session.decisions.chat import MOST_QUESTIONS
from tarsy_session.effects import AdmissionEffect, DeadlineEffect, OfferToolsEffect, effects_of
from tarsy_session.operator_requests import operator_events
from tarsy_session.replies import replies_to
from tarsy_session.state import AtRest, Investigating
from tarsy_testing.story.story import DELETE, READ, SESSION, Story, agent, chain, stage, types

REPLIED = ["llm_call.completed", "execution.completed", "stage.completed", "reply.completed"]


def refusal(events: list[e.Event]) -> tuple[int, str]:
    (event,) = events
    assert isinstance(event, e.RequestRefused)
    assert event.request == "chat"
    return event.code, event.reason


def at_rest(story: Story) -> AtRest:
    assert isinstance(story.state, AtRest)
    return story.state


# The ordinary way


def test_a_question_opens_the_session_again_and_begins_the_stage_of_its_reply_at_once() -> None:
    story = Story().ended()
    before = len(story.log)
    events = story.when(story.question("Since when?", author="bob"))
    assert types(events) == ["session.reopened", "request.accepted", "question.asked", "stage.started"]
    opened, _, asked, begun = events
    assert isinstance(opened, e.SessionReopened)
    assert opened.spans == (Span(first=1, last=before),)
    assert isinstance(asked, e.QuestionAsked)
    assert (asked.author, asked.content, asked.number, asked.chat_id) == ("bob", "Since when?", 1, chat_id(SESSION))
    assert isinstance(begun, e.StageStarted)
    assert (begun.stage_id, begun.stage_type, begun.index) == (asked.stage_id, "chat", 2)
    owed = [one for one in effects_of(story.state) if not isinstance(one, DeadlineEffect)]
    assert [type(one) for one in owed] == [OfferToolsEffect]


def test_no_reply_waits_for_its_turn_among_the_investigations() -> None:
    story = Story().ended()
    story.when(story.question())
    assert not any(isinstance(one, AdmissionEffect) for one in effects_of(story.state))
    assert types(story.offered()) == ["stage.tools_offered", "execution.started", "llm_call.requested"]


def test_the_reply_can_look_again_and_the_session_rests_as_it_ended() -> None:
    story = Story().ended()
    ended = at_rest(story).ended
    story.questioned()
    story.when(story.answer(tools=(READ,)))
    story.when(story.result(story.call_ids[-1], "api-8 was killed, too"))
    assert types(story.when(story.answer("Since 03:00."))) == REPLIED
    rested = at_rest(story)
    assert rested.ended == ended
    assert [one.started.stage_type for one in rested.stages] == ["investigation", "chat"]


def test_the_next_question_knows_what_was_asked_answered_and_found_before() -> None:
    story = Story().ended().questioned("Since when?")
    story.when(story.answer(tools=(READ,)))
    story.when(story.result(story.call_ids[-1], "api-8 was killed, too"))
    story.when(story.answer("Since 03:00."))
    story.questioned("Is it over?", author="bob")
    prompt = build_conversation(story.investigating, story.execution()).messages[0].content
    found = ["api-7 was killed: out of memory", "The cause is a leak.", "Since when?", "api-8 was killed, too"]
    places = [prompt.index(text) for text in [*found, "Since 03:00.", "bob asks:", "Is it over?"]]
    assert places == sorted(places)


def test_the_present_time_is_told_with_the_question() -> None:
    story = Story().ended()
    story.now += timedelta(days=2)
    story.when(story.question())
    asked_at = story.now
    story.offered()
    assert f"It is {asked_at:%Y-%m-%d %H:%M:%S} UTC now." in story.execution().started.prompt


def test_a_plan_names_who_answers() -> None:
    plan = chain().model_copy(update={"chat": agent("ChatAgent", max_iterations=7)})
    started = Story(plan=plan).ended().questioned().execution().started
    assert (started.agent, started.max_iterations) == ("ChatAgent", 7)


def test_a_plan_of_before_chat_lets_its_first_agent_answer() -> None:
    assert Story().ended().questioned().execution().started.agent == "KubernetesAgent"


def test_who_answers_can_read_in_the_results_of_the_investigation_without_any_server() -> None:
    plan = chain().model_copy(update={"chat": agent("ChatAgent").model_copy(update={"servers": ()})})
    story = Story(plan=plan).ended()
    story.when(story.question())
    assert [tool.name for tool in list_offered_tools(story.execution())] == ["tarsy__read_result"]
    asked = story.answer(tools=story.execution().tools)
    (call,) = asked.tool_calls
    reading = call.model_copy(update={"arguments": {"result": story.call_ids[0][:8]}})
    events = story.when(asked.model_copy(update={"tool_calls": (reading,)}))
    assert types(events) == ["llm_call.completed", "tool_call.requested"]


def test_several_stages_their_synthesis_and_the_summary_stand_in_the_prompt() -> None:
    story = Story(plan=chain(stage(agent("A"), agent("B")), executive_summary=True)).asking()
    story.when(story.answer("A: a leak", agent="A"))
    story.when(story.answer("B: a bad rollout", agent="B"))
    story.when(story.answer("Both: the rollout leaks."))
    story.when(story.answer("Roll back."))
    prompt = story.questioned().execution().started.prompt
    for said in ("A: a leak", "B: a bad rollout", "Both: the rollout leaks.", "Roll back."):
        assert said in prompt


def test_the_prompt_names_the_id_of_a_result_that_was_cut_or_summarised() -> None:
    story = Story().calling(READ)
    call = story.call_ids[0]
    story.when(story.result(call, "the beginning").model_copy(update={"cut": True, "lines": 900}))
    story.when(story.answer("The cause is a leak."))
    assert f"Result {call[:8]} of [call 1]: ok" in story.questioned().execution().started.prompt


# On which sessions


def completed() -> Story:
    return Story().ended()


def failed() -> Story:
    story = Story().asking()
    story.when(story.answer(error="no such key", kind="credentials"))
    return story


def cancelled() -> Story:
    story = Story().asking()
    story.when(i.CancelRequested(request_id="c", author="ann"))
    return story


def timed_out() -> Story:
    story = Story().asking()
    story.now += timedelta(hours=2)
    story.when(i.DeadlinePassed(call_id=SESSION))
    return story


@pytest.mark.parametrize("make", [completed, failed, cancelled, timed_out])
def test_every_ended_session_that_ran_can_be_asked(make: Callable[[], Story]) -> None:
    story = make()
    kept = at_rest(story).ended
    assert kept.type.removeprefix("session.") == make.__name__
    story.questioned()
    assert types(story.when(story.answer("It was the leak."))) == REPLIED
    assert at_rest(story).ended == kept


def test_a_session_that_never_ran_has_nothing_to_ask_about() -> None:
    story = Story().waiting()
    story.when(i.CancelRequested(request_id="c", author="ann"))
    assert refusal(story.when(story.question())) == (400, "the session never ran: there is nothing to ask about")


def test_a_session_that_runs_is_not_asked() -> None:
    story = Story().asking()
    assert refusal(story.when(story.question())) == (400, "the investigation has not ended yet")


def test_a_chain_can_switch_chat_off() -> None:
    story = Story(plan=chain().model_copy(update={"chat_enabled": False})).ended()
    assert refusal(story.when(story.question()))[0] == 400


def test_a_session_that_never_was_gets_no_event() -> None:
    assert Story().when(Story().question()) == []


def test_one_that_an_operator_ended_in_the_middle_is_refused_as_its_open_parts_would_go_on() -> None:
    story = Story().calling(DELETE)
    given = story.given(i.SessionFailRequested(request_id="f", author="op", reason="stuck"))
    story.append(e.SessionFailed(error="ended by op: stuck", request_id="f"), given)
    story.offset += 1
    assert refusal(story.when(story.question()))[0] == 409


def test_a_chat_takes_so_many_questions_and_no_more() -> None:
    story = Story().ended().questioned()
    story.when(story.answer("Since 03:00."))
    rested = at_rest(story)
    story.state = replace(rested, questions=rested.questions * MOST_QUESTIONS)
    assert refusal(story.when(story.question()))[0] == 409


# One at a time


def test_of_two_people_at_the_same_moment_one_is_answered_and_the_other_is_told() -> None:
    story = Story().ended()
    story.when(story.question(author="ann"))
    assert refusal(story.when(story.question(author="bob")))[0] == 409


def test_the_same_question_again_is_the_same_question() -> None:
    story = Story().ended()
    story.when(story.question(id="q"))
    assert story.when(story.question(id="q")) == []
    story.offered()
    story.when(story.answer("Since 03:00."))
    assert story.when(story.question(id="q")) == []


def test_a_question_that_was_decided_is_never_decided_again() -> None:
    story = Story().ended()
    question = story.question()
    given = story.given(question)
    story.when(question)
    assert decide(SESSION, story.state, given) == []


# How a reply ends


def test_cancelling_ends_the_reply_and_leaves_the_session_as_it_was() -> None:
    story = Story().ended()
    kept = at_rest(story).ended
    story.questioned()
    events = story.when(i.CancelRequested(request_id="c", author="bob"))
    ends = ["llm_call.failed", "execution.completed", "stage.completed", "reply.completed"]
    assert types(events) == ["request.accepted", *ends]
    accepted, reply = events[0], events[-1]
    assert isinstance(accepted, e.RequestAccepted)
    assert accepted.request == e.CANCEL_REPLY
    assert isinstance(reply, e.ReplyCompleted)
    assert (reply.status, reply.error) == ("cancelled", "cancelled by bob")
    assert at_rest(story).ended == kept
    story.questioned("And now?")
    assert types(story.when(story.answer("Now it is."))) == REPLIED


def test_the_reason_of_who_cancels_stands_in_what_ended_with_it() -> None:
    story = Story().asking()
    events = story.when(i.CancelRequested(request_id="c", author="bob", comment="the node is being replaced"))
    accepted, ended, agents = events[0], events[-1], [one for one in events if isinstance(one, e.ExecutionCompleted)]
    assert isinstance(accepted, e.RequestAccepted)
    assert isinstance(ended, e.SessionCancelled)
    assert (accepted.author, accepted.comment) == ("bob", "the node is being replaced")
    assert (ended.author, ended.comment, ended.reason) == ("bob", "the node is being replaced", "")
    assert {one.error for one in agents} == {"cancelled by bob: the node is being replaced"}


def test_who_cancels_a_reply_is_told_that_it_is_not_the_session() -> None:
    """It was answered with "The session is being cancelled."."""
    story = Story().ended().questioned()
    asked = i.CancelRequested(request_id="c", author="bob")
    story.when(asked)
    answer = replies_to(story.state, asked)[0]
    assert isinstance(answer, RequestAnswered)
    assert (answer.accepted, answer.reason) == (True, "The reply is being cancelled.")


def test_an_unsafe_call_of_a_reply_is_waited_for_as_ever() -> None:
    story = Story().ended().questioned()
    story.when(story.answer(tools=(DELETE,)))
    call = story.call_ids[-1]
    story.when(story.claim(call))
    assert types(story.when(i.CancelRequested(request_id="c", author="bob"))) == ["request.accepted"]
    ends = ["execution.completed", "stage.completed", "reply.completed"]
    assert types(story.when(story.result(call, "deleted"))) == ["tool_call.completed", *ends]


def test_a_reply_has_a_time_limit_of_its_own_that_counts_from_the_question() -> None:
    story = Story().ended()
    story.now += timedelta(days=9)
    story.questioned()
    (whole,) = [one for one in list_deadlines(story.investigating) if one.id == SESSION]
    assert whole.at - whole.since == timedelta(seconds=story.chain.limits.reply_seconds)
    story.now += timedelta(hours=1)
    reply = story.when(i.DeadlinePassed(call_id=SESSION))[-1]
    assert isinstance(reply, e.ReplyCompleted)
    assert reply.status == "timed_out"
    assert reply.error == f"the reply took longer than {story.chain.limits.reply_seconds:g} seconds"


def test_a_reply_that_fails_says_why_and_the_next_question_is_taken() -> None:
    story = Story().ended().questioned()
    reply = story.when(story.answer(error="no such key", kind="credentials"))[-1]
    assert isinstance(reply, e.ReplyCompleted)
    assert reply.status == "failed"
    assert "no such key" in reply.error
    assert isinstance(story.questioned().state, Investigating)


def test_an_outcome_that_is_learned_at_rest_is_part_of_what_the_next_reply_knows() -> None:
    story = Story().calling(DELETE)
    call = story.call_ids[0]
    story.when(story.claim(call))
    story.when(i.WorkerDied(call_id=call, claim_id="claim-1", worker_id="worker-1"))
    story.when(story.answer("It may be gone."))
    story.when(story.result(call, "deleted api-7"))
    assert "deleted api-7" in story.questioned().execution().started.prompt


def test_an_operator_who_ends_a_reply_that_is_set_aside_leaves_the_investigation_as_it_ended() -> None:
    story = Story().ended().questioned()
    request = i.SessionFailRequested(request_id="f", author="op", reason="stuck")
    events = operator_events(story.state, request, replace(story.given(request), aside=True))
    assert types(events)[-1] == "reply.completed"
