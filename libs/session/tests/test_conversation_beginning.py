"""Ready-made beginnings of conversations: what is kept changes no request, and no message is made twice."""

import random

import pytest
from test_decide_properties import play_steps

from tarsy_contracts.messages import inputs as i
from tarsy_session.conversations.beginning import ConversationBeginning, extend_beginning
from tarsy_session.conversations.model_request import compose_from, compose_request
from tarsy_session.effects import LlmCallEffect, effects_of
from tarsy_testing.story.story import DELETE, READ, Story

MANY = 300


@pytest.mark.parametrize("seed", range(60))
def test_a_request_made_from_a_beginning_is_the_one_made_from_the_log_alone(seed: int) -> None:
    kept: dict[str, ConversationBeginning] = {}
    drawn = random.Random(seed)
    for story in play_steps(seed, 80):
        for one in effects_of(story.state):
            if not isinstance(one, LlmCallEffect) or drawn.random() < 0.3:
                continue
            state, execution = story.investigating, one.execution
            kept[one.execution.id] = beginning = extend_beginning(kept.get(execution.id), state, execution)
            made, alone = compose_from(beginning, state, execution), compose_request(state, execution)
            assert (made, made.digest) == (alone, alone.digest)


def test_a_message_is_made_once_however_long_the_conversation_gets() -> None:
    story = Story(max_iterations=MANY).asking()
    before: ConversationBeginning | None = None
    for _ in range(5):
        beginning = extend_beginning(before, story.investigating, story.execution())
        if before is not None:
            kept = beginning.messages[: len(before.messages)]
            assert all(one is other for one, other in zip(kept, before.messages, strict=True))
            assert len(beginning.messages) == len(before.messages) + 2
        before = beginning
        story.when(story.answer("looking", tools=(READ,)))
        story.when(story.result(story.call_ids[-1]))


def test_an_outcome_that_became_known_before_a_repeated_question_is_in_it() -> None:
    story = Story().calling(DELETE)
    call = story.call_ids[-1]
    story.when(story.claim(call))
    story.when(i.WorkerDied(call_id=call, claim_id="claim-1", worker_id="worker-1"))
    before = extend_beginning(None, story.investigating, story.execution())
    story.when(story.result(call, "deleted after all"))
    story.when(story.answer(tools=(READ,)))
    story.when(story.result(story.call_ids[-1]))
    state, execution = story.investigating, story.execution()
    made = compose_from(extend_beginning(before, state, execution), state, execution)
    assert "deleted after all" in made.conversation.model_dump_json()
    assert made.digest == compose_request(state, execution).digest
