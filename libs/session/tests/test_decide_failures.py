"""Given an LLM call that failed, when it is decided what follows, then this does."""

from datetime import timedelta

import pytest

from tarsy_contracts import events as e
from tarsy_contracts.conversation import Usage
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.wire.ids import iteration_id
from tarsy_session.conversations.conversation import build_conversation
from tarsy_session.prompts.notes import BE_CONCISE
from tarsy_session.state import AtRest
from tarsy_testing.story.story import DELETE, READ, SESSION, Story, agent, chain, stage, types

AGAIN = ["llm_call.failed", "llm_call.requested"]
OTHER = ["llm_call.failed", "execution.fell_back", "llm_call.requested"]


def with_fallbacks(*fallbacks: str) -> Story:
    return Story(plan=chain(stage(agent("A", fallbacks=fallbacks)))).asking()


def test_a_provider_that_fails_is_asked_three_times_with_growing_pauses_and_then_the_execution_fails() -> None:
    story = Story().asking()
    waits = []
    for _ in range(2):
        assert types(story.when(story.answer(error="overloaded"))) == AGAIN
        waits.append(story.asked().wait_seconds)
    assert waits == [1.0, 3.0]
    assert types(story.when(story.answer(error="overloaded")))[-1] == "session.failed"


def test_what_a_failed_question_has_cost_stands_on_the_log() -> None:
    story = Story().asking()
    spent = Usage(input_tokens=900, output_tokens=32_000, thinking_tokens=32_000)
    failed = story.when(story.answer(error="no room left").model_copy(update={"usage": spent}))[0]
    assert isinstance(failed, e.LlmCallFailed)
    assert failed.usage == spent


@pytest.mark.parametrize("kind", ["provider_error", "first_chunk_timeout", "stalled", "cut_off", "call_timeout"])
def test_the_second_failure_in_a_row_goes_to_the_next_provider_and_stays_there(kind: str) -> None:
    story = with_fallbacks("second")
    assert types(story.when(story.answer(error="down", kind=kind))) == AGAIN
    events = story.when(story.answer(error="down", kind=kind))
    assert types(events) == OTHER
    assert events[1] == e.ProviderFellBack(
        execution_id=story.execution().id, from_provider="scripted", to_provider="second", kind=kind, error="down"
    )
    story.when(story.answer("looking", tools=(READ,)))
    story.when(story.result(story.call_ids[0]))
    assert story.asked().llm_provider == "second"


@pytest.mark.parametrize("kind", ["credentials", "invalid_request", "refused", "answer_too_long", "broken"])
def test_what_can_never_succeed_goes_to_the_next_provider_at_once(kind: str) -> None:
    story = with_fallbacks("second", "third")
    assert types(story.when(story.answer(error="no", kind=kind))) == OTHER
    assert types(story.when(story.answer(error="no", kind=kind))) == OTHER
    assert story.asked().llm_provider == "third"
    assert types(story.when(story.answer(error="no", kind=kind)))[-1] == "session.failed"


def test_an_answer_in_between_begins_the_count_again() -> None:
    story = with_fallbacks("second")
    for _ in range(2):
        assert types(story.when(story.answer(error="down"))) == AGAIN
        story.when(story.answer("looking", tools=(READ,)))
        story.when(story.result(story.call_ids[-1]))
    assert story.asked().llm_provider == "scripted"


def test_who_is_asked_only_once_goes_to_the_next_provider_at_the_first_failure() -> None:
    once = agent("A", controller="single_shot", fallbacks=("second",))
    story = Story(plan=chain(stage(once))).started()
    assert types(story.when(story.answer(error="down"))) == OTHER


def test_a_provider_with_too_much_to_do_is_waited_for_without_using_up_anything() -> None:
    story = with_fallbacks("second")
    for _ in range(5):
        events = story.when(story.answer(error="429", kind="rate_limited", retry_after=30))
        assert types(events) == AGAIN
        asked = story.asked()
        assert (asked.iteration, asked.wait_seconds, asked.rate_limited) == (1, 30.0, True)
    assert story.execution().retries.failures == 0


def test_where_the_provider_does_not_say_how_long_the_pauses_grow() -> None:
    story = Story().asking()
    waits = []
    for _ in range(6):
        story.when(story.answer(error="429", kind="rate_limited"))
        waits.append(story.asked().wait_seconds)
    assert waits == [5.0, 10.0, 20.0, 40.0, 60.0, 60.0]


def test_a_wait_that_would_be_too_long_goes_to_the_next_provider() -> None:
    story = with_fallbacks("second")
    assert types(story.when(story.answer(error="429", kind="rate_limited", retry_after=3600))) == OTHER
    assert types(story.when(story.answer(error="429", kind="rate_limited", retry_after=3600)))[-1] == "session.failed"


def test_a_model_that_repeats_itself_is_asked_to_be_concise_by_the_same_provider() -> None:
    story = with_fallbacks("second")
    for _ in range(2):
        assert types(story.when(story.answer(error="again and again", kind="repetition"))) == AGAIN
        assert build_conversation(story.investigating, story.execution()).messages[-1].content == BE_CONCISE
    assert types(story.when(story.answer(error="again and again", kind="repetition")))[-1] == "session.failed"


# Time


def until(story: Story, seconds: float) -> None:
    story.now += timedelta(seconds=seconds)


def iteration_over(story: Story, number: int) -> list[e.Event]:
    until(story, 361)
    return story.when(i.DeadlinePassed(call_id=iteration_id(story.execution().id, number)))


def test_an_iteration_that_takes_too_long_is_given_up_and_the_second_in_a_row_ends_the_execution() -> None:
    story = Story().asking()
    assert types(iteration_over(story, 1)) == AGAIN
    assert story.asked().iteration == 2
    events = iteration_over(story, 2)
    assert types(events) == ["llm_call.failed", "execution.completed", "stage.completed", "session.timed_out"]


def test_after_slow_iterations_what_was_found_before_is_the_analysis() -> None:
    story = Story(max_iterations=9).calling(READ)
    story.when(story.result(story.call_ids[0], "api-7 was killed"))
    iteration_over(story, 2)
    (ended,) = [one for one in iteration_over(story, 3) if isinstance(one, e.ExecutionCompleted)]
    assert (ended.status, ended.partial_reason) == ("completed", "2 iterations in a row took too long")
    assert "api-7 was killed" in ended.final_analysis


def test_a_session_that_takes_too_long_keeps_what_its_agents_have_found() -> None:
    story = Story(max_iterations=9).calling(READ)
    story.when(story.result(story.call_ids[0], "api-7 was killed"))
    until(story, 2400)
    events = story.when(i.DeadlinePassed(call_id=SESSION))
    (ended,) = [one for one in events if isinstance(one, e.ExecutionCompleted)]
    assert (ended.status, "api-7 was killed" in ended.final_analysis) == ("timed_out", True)
    assert ended.partial_reason == ended.error


def unfinished(story: Story, text: str = "", thinking: str = "") -> tuple[i.UnfinishedAnswer, ...]:
    return (i.UnfinishedAnswer(llm_call_id=story.llm_call_id, text=text, thinking=thinking),)


def test_words_that_were_streamed_when_the_time_of_a_session_was_up_are_what_its_agent_said_last() -> None:
    story = Story().asking()
    said = unfinished(story, "The pod was killed: out of mem", "I look at the events first.")
    until(story, 2400)
    events = story.when(i.DeadlinePassed(call_id=SESSION, unfinished=said))
    (failed,) = [one for one in events if isinstance(one, e.LlmCallFailed)]
    (ended,) = [one for one in events if isinstance(one, e.ExecutionCompleted)]
    assert (failed.kind, failed.text, failed.thinking) == ("session_timeout", said[0].text, said[0].thinking)
    assert (ended.status, "The pod was killed: out of mem" in ended.final_analysis) == ("timed_out", True)
    assert types(events)[-1] == "session.timed_out"


@pytest.mark.parametrize(("tool", "claimed"), [(READ, False), (DELETE, True)])
def test_calls_that_run_when_the_time_of_a_session_is_up_say_so(tool: e.OfferedTool, claimed: bool) -> None:
    story = Story().calling(tool)
    if claimed:
        story.when(story.claim(story.call_ids[0]))
    until(story, 2400)
    events = story.when(i.DeadlinePassed(call_id=SESSION))
    (ended,) = [one for one in events if isinstance(one, e.ToolCallCompleted)]
    assert (ended.outcome, ended.timed_out) == ("unknown" if claimed else "cancelled", True)


def test_words_of_an_iteration_that_took_too_long_are_in_the_analysis_that_ends_with_it() -> None:
    story = Story().asking()
    iteration_over(story, 1)
    until(story, 361)
    passed = i.DeadlinePassed(
        call_id=iteration_id(story.execution().id, 2), unfinished=unfinished(story, thinking="The pod was ki")
    )
    events = story.when(passed)
    (ended,) = [one for one in events if isinstance(one, e.ExecutionCompleted)]
    assert "## Its last thoughts\n\nThe pod was ki" in ended.final_analysis


def test_words_of_a_call_that_ended_meanwhile_are_nobodys() -> None:
    story = Story().asking()
    said = (i.UnfinishedAnswer(llm_call_id="another", text="It was DNS"),)
    until(story, 2400)
    events = story.when(i.DeadlinePassed(call_id=SESSION, unfinished=said))
    assert [one.text for one in events if isinstance(one, e.LlmCallFailed)] == [""]


def test_an_answer_between_two_slow_iterations_begins_their_count_again() -> None:
    story = Story(max_iterations=9).asking()
    iteration_over(story, 1)
    story.when(story.answer("looking", tools=(READ,)))
    story.when(story.result(story.call_ids[0]))
    assert types(iteration_over(story, 3)) == AGAIN


def test_a_wait_for_the_provider_is_not_time_of_the_iteration() -> None:
    story = Story().asking()
    story.when(story.answer(error="429", kind="rate_limited", retry_after=300))
    assert iteration_over(story, 1) == []


def test_the_calls_of_an_iteration_that_takes_too_long_are_given_up_and_the_agent_goes_on() -> None:
    story = Story().calling(READ, DELETE)
    story.when(story.claim(story.call_ids[1]))
    events = iteration_over(story, 1)
    assert [one.outcome for one in events if isinstance(one, e.ToolCallCompleted)] == ["unavailable", "unknown"]
    assert types(events)[-1] == "llm_call.requested"


def test_a_session_that_takes_too_long_is_timed_out_with_all_that_is_open() -> None:
    story = Story().calling(READ, DELETE)
    story.when(story.claim(story.call_ids[1]))
    until(story, 2400)
    events = story.when(i.DeadlinePassed(call_id=SESSION))
    assert types(events) == [
        "tool_call.completed",
        "tool_call.completed",
        "execution.completed",
        "stage.completed",
        "session.timed_out",
    ]
    calls = [one for one in events if isinstance(one, e.ToolCallCompleted)]
    assert [(one.outcome, one.timed_out) for one in calls] == [("cancelled", True), ("unknown", True)]


def test_a_session_that_waits_for_its_turn_does_not_use_up_its_time() -> None:
    story = Story().waiting()
    until(story, 100_000)
    story.when(i.SessionAdmitted())
    assert story.when(i.DeadlinePassed(call_id=SESSION)) == []


def test_an_analysis_that_only_lacks_its_executive_summary_is_kept() -> None:
    story = Story(plan=chain(executive_summary=True)).asking()
    story.when(story.answer("the cause is X"))
    until(story, 2400)
    story.when(i.DeadlinePassed(call_id=SESSION))
    assert isinstance(story.state, AtRest)
    assert isinstance(story.state.ended, e.SessionCompleted)
    assert story.state.ended.final_analysis == "the cause is X"
    assert "longer" in story.state.ended.executive_summary_error
