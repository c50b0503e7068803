"""Given an investigation whose time is nearly up, its agents lose their tools and conclude."""

from datetime import timedelta

import pytest

from tarsy_contracts import events as e
from tarsy_contracts.chain import CallLimits
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.wire.ids import time_budget_id
from tarsy_session.conversations.conversation import build_conversation
from tarsy_session.conversations.model_request import compose_request
from tarsy_session.deadlines import Deadline, list_deadlines
from tarsy_session.downtime import Downtime
from tarsy_session.prompts.notes import TIME_NEARLY_UP
from tarsy_session.time_budget import CONCLUDED_EARLY
from tarsy_testing.story.story import READ, SESSION, Story, agent, chain, stage, types

LIMITS = CallLimits(session_seconds=2400, reply_seconds=900, conclusion_seconds=180, iteration_seconds=9000)


def story_of(*agents: str, limits: CallLimits = LIMITS, stages: int = 1) -> Story:
    plan = chain(*[stage(*(agent(name, max_iterations=9) for name in agents or ("A",))) for _ in range(stages)])
    return Story(plan=plan.model_copy(update={"limits": limits}))


def budget(story: Story) -> Deadline | None:
    return next((one for one in list_deadlines(story.investigating) if one.id == time_budget_id(SESSION)), None)


def time_nearly_up(story: Story, *said: i.UnfinishedAnswer) -> list[e.Event]:
    """Two minutes before the end."""
    assert story.investigating.life.began_at is not None
    story.now = story.investigating.life.began_at + timedelta(seconds=story.investigating.life.seconds - 120)
    return story.when(i.DeadlinePassed(call_id=time_budget_id(SESSION), unfinished=said))


def test_an_agent_whose_model_is_writing_is_asked_to_conclude_without_tools_and_its_words_are_kept() -> None:
    story = story_of().asking()
    events = time_nearly_up(story, i.UnfinishedAnswer(llm_call_id=story.llm_call_id, text="I will look"))
    assert types(events) == ["llm_call.failed", "llm_call.requested"]
    failed, asked = events
    assert isinstance(failed, e.LlmCallFailed)
    assert isinstance(asked, e.LlmCallRequested)
    assert (failed.kind, failed.text) == ("time_budget", "I will look")
    assert (asked.purpose, asked.reason) == ("conclusion", "time_budget")
    assert budget(story) is None
    assert compose_request(story.investigating, story.execution()).is_last
    messages = build_conversation(story.investigating, story.execution()).messages
    assert TIME_NEARLY_UP in [message.content for message in messages]


def test_its_conclusion_is_a_partial_analysis_of_a_completed_session() -> None:
    story = story_of().asking()
    time_nearly_up(story)
    ended = story.when(story.answer("It was probably DNS."))
    (concluded,) = [one for one in ended if isinstance(one, e.ExecutionCompleted)]
    assert (concluded.status, concluded.final_analysis) == ("completed", "It was probably DNS.")
    assert (concluded.partial_reason, concluded.forced_conclusion) == (CONCLUDED_EARLY, True)
    assert isinstance(ended[-1], e.SessionCompleted)
    assert ended[-1].partial_reason.startswith("time_budget: ")


def test_calls_that_run_end_and_their_agent_concludes() -> None:
    story = story_of().calling(READ)
    events = time_nearly_up(story)
    assert types(events) == ["tool_call.completed", "llm_call.requested"]
    call, asked = events
    assert isinstance(call, e.ToolCallCompleted)
    assert isinstance(asked, e.LlmCallRequested)
    assert (call.outcome, asked.purpose, asked.reason) == ("unavailable", "conclusion", "time_budget")


def test_a_call_that_fails_is_asked_again_as_a_conclusion() -> None:
    story = story_of().asking()
    time_nearly_up(story)
    story.when(story.answer(error="overloaded"))
    assert (story.asked().purpose, story.asked().reason) == ("conclusion", "time_budget")


def test_all_agents_conclude_and_none_twice() -> None:
    story = story_of("A", "B").asking()
    assert types(time_nearly_up(story)).count("llm_call.requested") == 2
    assert time_nearly_up(story) == []


def test_a_stage_that_begins_in_this_time_has_no_tools() -> None:
    story = story_of(stages=2).asking()
    time_nearly_up(story)
    story.when(story.answer("It was DNS."))
    story.offered()
    assert (story.asked().purpose, story.asked().reason) == ("conclusion", "time_budget")
    assert budget(story) is None


def test_who_is_asked_once_is_not_disturbed() -> None:
    story = story_of("A", "B").asking()
    for name in ("A", "B"):
        story.when(story.answer("It was DNS.", agent=name))
    assert story.execution().agent.controller == "single_shot"
    assert budget(story) is None
    assert time_nearly_up(story) == []


def test_an_answer_that_comes_in_time_changes_nothing() -> None:
    story = story_of().calling(READ)
    story.when(story.result(story.call_ids[0]))
    assert (story.asked().purpose, story.asked().reason) == ("iteration", "")


@pytest.mark.parametrize(("limits", "kept"), [((2400, 180), 180), ((400, 180), 100), ((2400, 0), None)])
def test_a_while_is_kept_and_at_most_a_quarter_of_the_whole(limits: tuple[float, float], kept: float | None) -> None:
    seconds, conclusion = limits
    story = story_of(limits=CallLimits(session_seconds=seconds, conclusion_seconds=conclusion)).asking()
    found = budget(story)
    assert (None if found is None else found.at - found.since) == (
        None if kept is None else timedelta(seconds=seconds - kept)
    )


def test_an_outage_takes_no_time_of_the_tools() -> None:
    story = story_of().calling(READ)
    began = story.investigating.life.began_at
    assert began is not None
    outage = (began + timedelta(seconds=10), began + timedelta(seconds=1500))
    story.downtime = Downtime((outage,))
    story.now = began + timedelta(seconds=2300)
    story.when(story.result(story.call_ids[0]))
    assert (story.asked().purpose, story.asked().reason) == ("iteration", "")


def test_a_reply_wraps_up_too() -> None:
    story = story_of().ended()
    story.questioned()
    time_nearly_up(story)
    assert (story.asked().purpose, story.asked().reason) == ("conclusion", "time_budget")
