"""Given what happened, when an input comes, then this follows."""

import pytest

from tarsy_contracts import events as e
from tarsy_contracts.conversation import Usage
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.token_rates import BYTES_PER_TOKEN
from tarsy_contracts.wire.ids import stage_id, summary_id
from tarsy_session.conversations.conversation import build_conversation, is_last_answer
from tarsy_session.effects import AdmissionEffect, DeadlineEffect, effects_of
from tarsy_session.state import AtRest
from tarsy_testing.story.story import ALERT, DELETE, READ, SESSION, UNREACHED, Story, types

LARGE = 5000 * round(BYTES_PER_TOKEN["prose"]) + 1
"""Bytes of words: one token more than a model reads whole."""


def owed_ids(story: Story) -> list[str]:
    """The calls; that iterations and sessions have an end is another matter."""
    return [one.id for one in effects_of(story.state) if not isinstance(one, DeadlineEffect)]


# The ordinary way


def test_an_alert_opens_a_session_that_waits_for_its_turn() -> None:
    story = Story()
    events = story.when(i.AlertReceived(alert=ALERT.model_copy(update={"severity": "critical"})), input_id="alert")
    assert types(events) == ["session.started"]
    (place,) = effects_of(story.state)
    assert isinstance(place, AdmissionEffect)
    assert place.priority == "urgent"


def test_its_turn_starts_the_first_stage_once_and_owes_the_tools() -> None:
    story = Story().waiting()
    assert types(story.when(i.SessionAdmitted())) == ["stage.started"]
    assert owed_ids(story) == [stage_id(SESSION, 1)]
    assert story.when(i.SessionAdmitted()) == []


def test_the_offered_tools_start_the_execution_and_ask_the_model() -> None:
    story = Story().started()
    events = story.offered(READ, unavailable=("kubernetes", "a server of others"))
    assert types(events) == ["stage.tools_offered", "execution.started", "llm_call.requested"]
    assert isinstance(events[1], e.ExecutionStarted)
    assert events[1].unavailable_servers == ("kubernetes",)
    assert f"kubernetes: {UNREACHED}" in events[1].system
    assert "a server of others" not in events[1].system
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


def test_above_each_result_stands_when_it_came_and_in_which_iteration_and_it_stays_so() -> None:
    """Providers keep the beginning of a conversation only if it stays the same."""
    story = Story().calling(READ)
    story.when(story.result(story.call_ids[0]))
    first = build_conversation(story.investigating, story.execution()).messages
    assert first[-1].content.startswith("[call 1]\n\n[2026-11-22 03:00:05 UTC, iteration 1 of 3]\n\n<<<TOOL RESULT\n")
    story.when(story.answer("again", tools=(READ,)))
    story.when(story.result(story.call_ids[-1]))
    second = build_conversation(story.investigating, story.execution()).messages
    assert second[: len(first)] == first
    assert second[-1].content.split("\n\n")[:2] == ["[call 2]", "[2026-11-22 03:00:07 UTC, iteration 2 of 3]"]


def test_an_answer_in_words_ends_execution_stage_and_session() -> None:
    story = Story().asking()
    events = story.when(story.answer("the cause is X"))
    assert types(events) == ["llm_call.completed", "execution.completed", "stage.completed", "session.completed"]
    assert isinstance(story.state, AtRest)
    assert effects_of(story.state) == []


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
    assert story.asked().purpose == "conclusion"
    assert is_last_answer(story.execution())
    events = story.when(story.answer("what is known", tools=(READ,)))
    assert "tool_call.requested" not in types(events)
    assert isinstance(story.state, AtRest)


def test_a_blank_answer_is_asked_about_twice_and_then_fails_the_session() -> None:
    story = Story(max_iterations=10).asking()
    for text in ("  ", ""):
        blank = story.answer(text).model_copy(update={"thinking": ""})
        assert types(story.when(blank)) == ["llm_call.completed", "llm_call.requested"]
    last = story.answer().model_copy(update={"thinking": ""})
    assert types(story.when(last))[-1] == "session.failed"


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
    assert "all pods fail" in build_conversation(story.investigating, story.execution()).messages[-1].content


ATTEMPTS = (
    e.SummaryAttempt(provider="first", usage=Usage(input_tokens=900), error="cut off"),
    e.SummaryAttempt(provider="second", model="m2", usage=Usage(input_tokens=950, output_tokens=90)),
)


@pytest.mark.parametrize("error", ["", "nobody could"])
def test_the_end_of_a_summary_has_its_tool_its_sizes_and_every_attempt(error: str) -> None:
    story = Story().calling(READ)
    call = story.call_ids[0]
    story.when(story.result(call, size=LARGE))
    sizes = {"tokens_before": 30_000, "tokens_after": 90, "attempts": ATTEMPTS}
    ended = story.when(story.summary(summary_id(call), error=error).model_copy(update=sizes))[0]
    assert isinstance(ended, e.SummaryCompleted | e.SummaryFailed)
    assert (ended.execution_id, ended.server, ended.tool) == (story.execution().id, READ.server, READ.tool)
    assert (ended.tokens_before, ended.attempts) == (30_000, ATTEMPTS)


def test_a_summary_that_nobody_reported_has_no_attempts_but_its_tool() -> None:
    story = Story().calling(READ)
    story.when(story.result(story.call_ids[0], size=LARGE))
    execution = story.execution().id
    events = story.when(i.CancelRequested(request_id="r", author="ann"))
    (ended,) = [event for event in events if isinstance(event, e.SummaryFailed)]
    assert (ended.execution_id, ended.tool, ended.attempts) == (execution, READ.tool, ())


def test_the_agent_reads_the_beginning_when_there_is_no_summary() -> None:
    story = Story().calling(READ)
    call = story.call_ids[0]
    story.when(story.result(call, "the beginning", size=LARGE))
    assert types(story.when(story.summary(summary_id(call), error="no model")))[0] == "summary.failed"
    assert "the beginning" in build_conversation(story.investigating, story.execution()).messages[-1].content
