"""The one who summarizes a result sees what the agent has seen: the alert, and the investigation so far."""

import pytest

from tarsy_contracts.chain import ApprovalRule, ResolvedServer
from tarsy_contracts.events import Piece, StoredResult
from tarsy_contracts.messages.requests import SummaryRequest
from tarsy_session.effects import SummaryEffect, effects_of
from tarsy_session.prompts.earlier_results import compose_earlier_steps
from tarsy_session.prompts.histories import compose_steps
from tarsy_session.prompts.material import HistoryStep, Statement, ToolUse
from tarsy_session.queue_requests import request_of
from tarsy_testing.story.story import DELETE, READ, SESSION, Story, agent, chain, stage


def summary_request(story: Story) -> SummaryRequest:
    (effect,) = [one for one in effects_of(story.state) if isinstance(one, SummaryEffect)]
    request = request_of(SESSION, story.investigating, effect)
    assert isinstance(request, SummaryRequest)
    return request


def test_it_has_the_alert_and_the_steps_but_not_the_result_itself() -> None:
    story = Story().calling(READ)
    story.when(story.result(story.call_ids[0], "a short result"))
    story.when(story.answer("the log must say why", tools=(READ,)))
    story.when(story.result(story.call_ids[-1], "the long result", size=1_000_000))
    request = summary_request(story)
    assert request.alert.startswith("## The alert\n\n<<<ALERT\nType: kubernetes\n")
    assert "a short result" in request.steps
    assert "the log must say why" in request.steps
    assert "the long result" not in request.steps
    assert request.steps.index("a short result") < request.steps.index("the log must say why")


def test_it_says_when_the_tool_was_called_and_the_session_began_and_what_the_agent_said_lately() -> None:
    story = Story().calling(READ)
    story.when(story.result(story.call_ids[0], "a short result"))
    story.when(story.answer("the pods restarted at 10:05", tools=(READ,)))
    story.when(story.result(story.call_ids[-1], "the long result", size=1_000_000))
    request = summary_request(story)
    assert request.called_at == story.investigating.calls[story.call_ids[-1]].requested_at
    assert request.began_at == story.investigating.life.opened_at
    assert "the pods restarted at 10:05" in request.words


def test_the_summary_of_a_reply_has_the_question_and_not_its_time_as_that_of_the_alert() -> None:
    story = Story().ended().questioned("Show me the errors of cart.")
    story.when(story.answer("I look", tools=(READ,)))
    story.when(story.result(story.call_ids[-1], "the long result", size=1_000_000))
    request, question = summary_request(story), story.investigating.life.question
    assert question is not None
    assert (request.question, request.asked_at) == ("Show me the errors of cart.", question.at)
    assert request.began_at is None


@pytest.mark.parametrize(("kept", "whole"), [(1_000_000, True), (900_000, False)])
def test_it_says_whether_the_whole_result_was_kept(kept: int, whole: bool) -> None:
    story = Story().calling(READ)
    stored = StoredResult(partition=0, pieces=(Piece(offset=1, size=kept),), size=kept, lines=10)
    result = story.result(story.call_ids[0], "the long result", size=1_000_000)
    story.when(result.model_copy(update={"cut": True, "stored": stored}))
    assert summary_request(story).kept_whole is whole


def use(content: str, number: int = 0) -> ToolUse:
    return ToolUse(server="kubernetes", tool="logs", arguments={}, outcome="ok", content=content, number=number)


def test_the_newest_steps_are_whole_and_older_ones_are_shortened() -> None:
    steps: list[HistoryStep] = [
        use("first " * 2_000),
        use("second " * 2_000),
        Statement("", "and now"),
        use("newest " * 300),
    ]
    told = compose_steps(steps, 10_000)
    assert len(told) < 10_500
    assert ("newest " * 300).strip() in told
    assert "and now" in told
    assert told.count("characters left out") == 2
    assert "first first" in told


def test_all_steps_are_whole_where_there_is_room() -> None:
    told = compose_steps([use("first"), Statement("I think", "and now")], 10_000)
    assert "left out" not in told
    assert [word in told for word in ("first", "I think", "and now", "Step 1.", "Step 2.")] == [True] * 5


def test_a_call_that_still_runs_is_told_so_and_not_as_one_whose_outcome_is_unknown() -> None:
    story = Story().calling(READ, READ)
    story.when(story.result(story.call_ids[1], "the long result", size=1_000_000))
    steps = summary_request(story).steps
    assert "unknown" not in steps
    assert "still running" in steps
    assert "TOOL RESULT" not in steps


def test_a_call_that_waits_for_a_person_is_told_so() -> None:
    server = ResolvedServer(server="kubernetes", allow=("*",), approve=ApprovalRule(changing=True))
    story = Story(plan=chain(stage(agent(server=server)))).calling(READ, DELETE)
    story.when(story.result(story.call_ids[0], "the long result", size=1_000_000))
    steps = summary_request(story).steps
    assert "waits for a person" in steps
    assert "still running" not in steps


def test_earlier_results_take_less_than_half_of_a_request() -> None:
    """As large as what is to be shortened are only the results before it."""
    story = Story(max_iterations=20)
    story.calling(READ)
    for turn in range(9):
        story.when(story.result(story.call_ids[-1], f"result {turn} " + "x" * 9_000))
        story.when(story.answer(f"turn {turn}", tools=(READ,)))
    story.when(story.result(story.call_ids[-1], "y" * 65_000, size=75_000))
    request = summary_request(story)
    assert len(request.steps) < 75_000 // 2
    assert "shortened here to" in request.steps
    assert [f"result {turn}" in request.steps for turn in range(9)] == [True] * 9


def test_the_newest_results_and_those_that_were_cited_last_keep_most() -> None:
    steps: list[HistoryStep] = [use(sign * 5_000, number) for number, sign in enumerate("abcdef", start=1)]
    told = compose_earlier_steps([*steps, Statement("", "As [call 2] says.")], 60_000, results=6_000)
    kept = {sign: told.count(sign * 50) for sign in "abcdef"}
    assert kept["b"] == max(kept.values())
    assert kept["f"] > kept["d"] >= kept["a"] > 0


def test_results_that_fit_are_not_shortened() -> None:
    told = compose_earlier_steps([use("first"), use("second")], 60_000, results=1_000)
    assert "shortened" not in told
