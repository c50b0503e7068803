"""Requests to models: the same from when they are owed until their answer, so that the record can make them again."""

from collections.abc import Callable

import pytest

from tarsy_contracts.messages import inputs as i
from tarsy_session.conversations.model_request import ModelRequest, compose_request
from tarsy_testing.story.story import DELETE, READ, Story, agent, chain, stage


def asked(story: Story, agent: str = "") -> ModelRequest:
    return compose_request(story.investigating, story.execution(agent))


def learns_an_outcome(story: Story) -> None:
    story.when(story.result(story.call_ids[-1], "deleted after all"))


def is_resolved(story: Story) -> None:
    story.when(story.resolution())


def comes_again(story: Story) -> None:
    story.when(i.AlertReceived(alert=story.alert), input_id="again")


@pytest.mark.parametrize("happens", [learns_an_outcome, is_resolved, comes_again])
def test_a_request_is_the_same_whatever_comes_before_its_answer(happens: Callable[[Story], None]) -> None:
    story = Story().calling(DELETE)
    story.when(story.claim(story.call_ids[-1]))
    story.when(i.WorkerDied(call_id=story.call_ids[-1], claim_id="claim-1", worker_id="worker-1"))
    before, events = asked(story), len(story.log)

    happens(story)

    assert len(story.log) > events
    assert asked(story).digest == before.digest


def test_another_agent_s_answers_change_no_request() -> None:
    story = Story(plan=chain(stage(agent("Pods"), agent("Events")))).asking()
    before = asked(story, "Events")
    story.when(story.answer(tools=(READ,), agent="Pods"))
    story.when(story.result(story.call_ids[-1], "all fine"))
    assert asked(story, "Events") == before


def test_the_digest_of_a_request_goes_on_the_log_with_its_end() -> None:
    story = Story().asking()
    digest = asked(story).digest
    failed = story.when(story.answer(error="overloaded").model_copy(update={"request_digest": digest}))
    answered = story.when(story.answer("a leak").model_copy(update={"request_digest": digest}))
    assert getattr(failed[0], "request_digest", "") == getattr(answered[0], "request_digest", "") == digest


def test_the_last_answer_may_call_no_tool_and_is_asked_so() -> None:
    story = Story(max_iterations=1).calling(READ)
    assert not asked(Story().asking()).is_last
    story.when(story.result(story.call_ids[-1]))
    concluding = asked(story)
    assert story.asked().purpose == "conclusion"
    assert concluding.is_last
    assert [tool.name for tool in concluding.tools][:2] == [READ.definition.name, DELETE.definition.name]
