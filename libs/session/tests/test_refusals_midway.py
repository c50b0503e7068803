"""An investigation that has found something ends with an analysis, however its model refuses or stumbles."""

import pytest

from tarsy_contracts import events as e
from tarsy_contracts.chain import ResolvedAgent
from tarsy_contracts.conversation import Usage
from tarsy_session.conversations.conversation import build_conversation, list_offered_tools
from tarsy_session.prompts.notes import CALL_AGAIN
from tarsy_session.state import AtRest
from tarsy_session.transitions import CUT
from tarsy_testing.story.story import READ, Story, agent, chain, stage, types

LONG = "x" * 9_000


def found(results: int = 1, content: str = "api-7 was killed: out of memory") -> Story:
    story = Story(max_iterations=20).asking()
    for turn in range(results):
        story.when(story.answer(f"turn {turn}", tools=(READ,)))
        story.when(story.result(story.call_ids[-1], f"{content} {turn}"))
    return story


def refused(story: Story, **more: object) -> list[e.Event]:
    return story.when(story.answer(error="too long", kind="context_full").model_copy(update=more))


def said(story: Story) -> str:
    return "\n".join(message.content for message in build_conversation(story.investigating, story.execution()).messages)


def partial(story: Story) -> str:
    assert isinstance(story.state, AtRest)
    assert isinstance(story.state.ended, e.SessionCompleted)
    (execution,) = story.state.executions.values()
    assert execution.completed is not None
    assert execution.completed.partial_reason == story.state.ended.partial_reason != ""
    assert story.state.ended.final_analysis.startswith("**Partial analysis.**")
    return story.state.ended.final_analysis


def test_a_conversation_that_is_too_long_is_shortened_and_asked_again() -> None:
    story = found(6, LONG)
    before = said(story)
    events = refused(story)
    assert types(events) == ["llm_call.failed", "llm_call.requested"]
    assert isinstance(events[1], e.LlmCallRequested)
    assert events[1].shortened == e.Shortening(results_left_out=3)
    assert len(said(story)) < len(before)
    assert [f"{LONG} {turn}" in said(story) for turn in range(6)] == [False] * 3 + [True] * 3
    assert said(story).count('To read it again: tarsy__read_result with result "') == 3


def test_what_was_shortened_stays_shortened() -> None:
    story = found(6, LONG)
    refused(story)
    story.when(story.answer("so the log", tools=(READ,)))
    story.when(story.result(story.call_ids[-1], "new"))
    assert story.execution().shortened.results_left_out == 3


def test_refusal_after_refusal_leads_to_a_conclusion_and_then_to_a_partial_analysis() -> None:
    story = found(3, LONG)
    for _ in range(20):
        if isinstance(story.state, AtRest):
            break
        refused(story)
    assert "turn 2" in partial(story)


def test_a_conversation_is_shortened_before_the_limit_that_a_refusal_told() -> None:
    story = found(4, LONG)
    refused(story, context_tokens=10_000)
    answer = story.answer("so the log", tools=(READ,)).model_copy(update={"usage": Usage(input_tokens=8_000)})
    story.when(answer)
    events = story.when(story.result(story.call_ids[-1], LONG))
    assert isinstance(events[-1], e.LlmCallRequested)
    assert events[-1].shortened is not None


def small(name: str = "A", **more: object) -> ResolvedAgent:
    """Its model reads 10,000 tokens at once, by the configuration."""
    contexts = {"known_contexts": {"scripted": 10_000}}
    return agent(name, max_iterations=20).model_copy(update=contexts | more)


def grown(story: Story, *, counted: int | None, name: str = "") -> e.Event:
    """The next event after an answer that its provider counted so, and one more result."""
    answer = story.answer("so the log", tools=(READ,), agent=name)
    story.when(answer.model_copy(update={"usage": Usage(input_tokens=counted)}))
    return story.when(story.result(story.call_ids[-1], f"{LONG} {len(story.execution(name).turns)}"))[-1]


@pytest.mark.parametrize(("counted", "shortened"), [(2_000, False), (6_000, True)])
def test_a_conversation_is_shortened_before_the_limit_that_is_configured(counted: int, shortened: bool) -> None:
    story = Story(plan=chain(stage(small()))).asking()
    grown(story, counted=1_000)
    asked = grown(story, counted=counted)
    assert isinstance(asked, e.LlmCallRequested)
    assert (asked.shortened is not None) == shortened


def test_where_a_provider_does_not_count_its_tokens_characters_are_counted() -> None:
    story = Story(plan=chain(stage(small()))).asking()
    asked = [grown(story, counted=None) for _ in range(3)]
    assert [one.shortened is not None for one in asked if isinstance(one, e.LlmCallRequested)] == [False, False, True]


def test_what_is_shown_of_results_counts_and_not_what_was_left_out() -> None:
    story = Story(plan=chain(stage(small()))).asking()
    grown(story, counted=1_000)
    while story.execution().shortened.result_characters is None:
        refused(story)
    asked = grown(story, counted=6_500)
    assert isinstance(asked, e.LlmCallRequested)
    assert asked.shortened is None


def test_what_one_agent_was_refused_for_another_with_the_same_provider_knows() -> None:
    """The refusal is on the log: so does any owner that reads it."""
    agents = (agent("A", max_iterations=20), agent("B", max_iterations=20))
    story = Story(plan=chain(stage(*agents))).started()
    story.offered(READ)
    story.when(
        story.answer(error="too long", kind="context_full", agent="A").model_copy(update={"context_tokens": 8_000})
    )
    asked = grown(story, counted=6_000, name="B")
    assert isinstance(asked, e.LlmCallRequested)
    assert asked.shortened is not None


def test_the_next_provider_has_a_context_of_its_own_and_takes_the_tools() -> None:
    story = Story(plan=chain(stage(agent("A", fallbacks=("second",), max_iterations=20)))).asking()
    grown(story, counted=1_000)
    refused(story, context_tokens=8_000)
    story.when(
        story.answer(error="bad", kind="tools_refused").model_copy(update={"refused_tools": (READ.definition.name,)})
    )
    story.when(story.answer(error="no key", kind="credentials"))
    assert story.asked().llm_provider == "second"
    assert READ.definition.name in [tool.name for tool in list_offered_tools(story.execution())]
    asked = grown(story, counted=6_000)
    assert isinstance(asked, e.LlmCallRequested)
    assert asked.shortened is None


@pytest.mark.parametrize("kind", ["refused", "malformed_call", "truncated", "invalid_request"])
def test_a_model_that_cannot_go_on_is_asked_to_conclude(kind: str) -> None:
    story = found()
    for _ in range(3):
        if story.asked().purpose == "conclusion":
            break
        story.when(story.answer(error="no", kind=kind))
    assert story.asked().purpose == "conclusion"
    story.when(story.answer("It is a leak."))
    assert isinstance(story.state, AtRest)
    assert story.state.ended == e.SessionCompleted(final_analysis="It is a leak.")


@pytest.mark.parametrize("kind", ["refused", "malformed_call", "truncated", "provider_error", "cut_off", "credentials"])
def test_evidence_is_never_thrown_away(kind: str) -> None:
    story = found()
    while not isinstance(story.state, AtRest):
        story.when(story.answer(error="no", kind=kind))
    assert "api-7 was killed: out of memory" in partial(story)


def test_who_has_found_nothing_fails() -> None:
    story = Story().asking()
    assert types(story.when(story.answer(error="no", kind="refused")))[-1] == "session.failed"


def test_after_a_malformed_call_the_model_is_told() -> None:
    story = found()
    story.when(story.answer(error="MALFORMED_FUNCTION_CALL", kind="malformed_call"))
    assert said(story).endswith(CALL_AGAIN)


def test_a_model_that_does_not_conclude_is_told_so_and_ends_partially() -> None:
    story = Story(max_iterations=1).calling(READ)
    story.when(story.result(story.call_ids[0], "api-7 was killed"))
    for _ in range(3):
        assert story.asked().purpose == "conclusion"
        story.when(story.answer(tools=(READ,)).model_copy(update={"thinking": ""}))
    assert "api-7 was killed" in partial(story)


def test_the_reminder_of_a_conclusion_asks_for_no_call() -> None:
    story = Story(max_iterations=1).calling(READ)
    story.when(story.result(story.call_ids[0]))
    story.when(story.answer(tools=(READ,)))
    assert "Call a tool" not in said(story)


def test_an_answer_that_stands_only_in_its_thoughts_is_the_analysis_in_the_end() -> None:
    story = Story(max_iterations=10).asking()
    for _ in range(3):
        story.when(story.answer().model_copy(update={"thinking": "ROOT CAUSE: the disk of db-1 is full."}))
    assert "ROOT CAUSE: the disk of db-1 is full." in partial(story)


def test_thoughts_in_the_text_leave_the_analysis() -> None:
    story = Story().asking()
    story.when(story.answer("<think>Hm, the disk?</think>\nThe disk of db-1 is full."))
    assert isinstance(story.state, AtRest)
    assert story.state.ended == e.SessionCompleted(final_analysis="The disk of db-1 is full.")


def test_an_analysis_that_was_cut_says_so() -> None:
    story = Story().asking()
    story.when(story.answer("The disk of db-1").model_copy(update={"cut": True}))
    assert isinstance(story.state, AtRest)
    assert isinstance(story.state.ended, e.SessionCompleted)
    assert "Partial analysis" in story.state.ended.final_analysis
    assert story.state.ended.partial_reason == CUT


def test_of_several_agents_those_are_named_whose_analysis_is_partial() -> None:
    story = Story(plan=chain(stage(agent("A"), agent("B")))).started()
    story.offered()
    story.when(story.answer("It leaks.", agent="A"))
    story.when(story.answer("It may", agent="B").model_copy(update={"cut": True}))
    story.when(story.answer("It leaks, they say."))
    assert isinstance(story.state, AtRest)
    assert isinstance(story.state.ended, e.SessionCompleted)
    assert story.state.ended.partial_reason == f"B: {CUT}"


def test_the_same_call_is_not_made_a_third_time() -> None:
    story = Story(max_iterations=9).asking()
    for _ in range(2):
        story.when(story.answer(tools=(READ,)))
        story.when(story.result(story.call_ids[-1], "no pods"))
    events = story.when(story.answer(tools=(READ,)))
    assert [one.outcome for one in events if isinstance(one, e.ToolCallCompleted)] == ["rejected"]
    assert "2 times already ([call 1] and [call 2])" in said(story)


def test_a_call_whose_result_changes_may_be_made_again() -> None:
    story = found(2)
    events = story.when(story.answer(tools=(READ,)))
    assert "tool_call.completed" not in types(events)


def test_a_call_that_nobody_can_read_is_a_failed_call() -> None:
    story = Story().asking()
    answer = story.answer(tools=(READ,))
    unread = answer.model_copy(update={"unreadable_calls": {answer.tool_calls[0].id: "That was no JSON."}})
    assert types(story.when(unread)) == [
        "llm_call.completed",
        "tool_call.requested",
        "tool_call.completed",
        "llm_call.requested",
    ]
    assert "That was no JSON." in said(story)


# Tools


def test_a_tool_that_the_provider_refuses_costs_that_tool() -> None:
    story = Story().asking()
    refusal = story.answer(error="bad schema", kind="tools_refused")
    events = story.when(refusal.model_copy(update={"refused_tools": ("kubernetes__pods_delete",)}))
    assert types(events) == ["llm_call.failed", "llm_call.requested"]
    names = [tool.name for tool in list_offered_tools(story.execution())]
    assert "kubernetes__pods_delete" not in names
    assert "kubernetes__pods_list" in names
    assert "kubernetes__pods_delete" in said(story)


def test_of_too_many_tools_some_are_left_out() -> None:
    many = tuple(
        READ.model_copy(
            update={"tool": f"t{n}", "definition": READ.definition.model_copy(update={"name": f"kubernetes__t{n}"})}
        )
        for n in range(9)
    )
    story = Story().started()
    story.offered(*many)
    story.when(story.answer(error="array too long", kind="tools_refused").model_copy(update={"most_tools": 5}))
    names = [tool.name for tool in list_offered_tools(story.execution())]
    assert len(names) == 5
    assert "tarsy__read_result" in names


def test_a_refusal_of_tools_that_names_none_goes_to_the_next_provider() -> None:
    story = Story(plan=chain(stage(agent("A", fallbacks=("second",))))).asking()
    events = story.when(story.answer(error="bad tools", kind="tools_refused"))
    assert types(events) == ["llm_call.failed", "execution.fell_back", "llm_call.requested"]
