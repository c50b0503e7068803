"""Each question begins with the one before it, so that providers find it in their caches."""

from datetime import timedelta
from itertools import pairwise

from tarsy_contracts import events as e
from tarsy_contracts.chain import ResolvedAgent, ResolvedServer
from tarsy_contracts.conversation import Conversation, ToolDefinition
from tarsy_contracts.wire.ids import summary_id
from tarsy_session.conversations.conversation import build_conversation, is_last_answer, list_offered_tools
from tarsy_testing.story.story import DELETE, READ, Story, agent, chain, stage

type Question = tuple[Conversation, tuple[ToolDefinition, ...], bool]

KUBERNETES = ResolvedServer(server="kubernetes", instructions="Look into the namespace of the alert only.")


def question(story: Story) -> Question:
    execution = story.execution()
    return build_conversation(story.investigating, execution), list_offered_tools(execution), is_last_answer(execution)


def investigated() -> list[Question]:
    """Of three iterations: two calls, a long result that is summarised, a call that fails, and the conclusion."""
    story = Story(max_iterations=3).asking()
    questions = [question(story)]
    story.when(story.answer("First I look.", tools=(READ, DELETE)))
    first, second = story.call_ids
    story.when(story.claim(second))
    story.when(story.result(second))
    story.when(story.result(first, "the beginning", size=1_000_000))
    story.now += timedelta(hours=1)
    story.when(story.summary(summary_id(first), "all pods fail"))
    questions.append(question(story))
    story.when(story.answer("", tools=()))
    questions.append(question(story))
    story.when(story.answer("Again.", tools=(READ,)))
    story.when(story.result(story.call_ids[-1], "no such namespace"))
    questions.append(question(story))
    return questions


def test_the_beginning_of_a_conversation_never_changes_while_it_goes_on() -> None:
    questions = investigated()
    for (before, _, _), (after, _, _) in pairwise(questions):
        assert len(before.messages) < len(after.messages)
        assert after.messages[: len(before.messages)] == before.messages
    assert len({conversation.system for conversation, _, _ in questions}) == 1


def test_the_tools_are_the_same_with_every_question_also_the_last_one() -> None:
    questions = investigated()
    assert [is_last for _, _, is_last in questions] == [False, False, False, True]
    assert {tuple(tool.name for tool in tools) for _, tools, _ in questions} == {
        ("kubernetes__pods_list", "kubernetes__pods_delete", "tarsy__read_result")
    }


def test_who_is_asked_once_is_asked_for_the_last_time() -> None:
    story = Story(plan=chain(stage(agent("A", controller="single_shot")))).asking()
    assert is_last_answer(story.execution())


def executions(story: Story) -> list[e.ExecutionStarted]:
    return [one.started for one in story.investigating.executions.values()]


def named(name: str, custom: str = "") -> ResolvedAgent:
    return agent(name).model_copy(update={"servers": (KUBERNETES,), "custom_instructions": custom})


def test_the_instructions_of_an_agent_are_the_same_in_every_investigation_whatever_the_time() -> None:
    first, second = Story(), Story()
    second.now += timedelta(days=3)
    (one,), (other,) = executions(first.asking()), executions(second.asking())
    assert one.system == other.system
    assert one.prompt != other.prompt


def test_agents_of_a_stage_have_all_in_common_but_what_is_their_own() -> None:
    one, other = executions(Story(plan=chain(stage(named("A", "Be brief."), named("B")))).asking())
    same = one.system[: next(at for at, (a, b) in enumerate(zip(one.system, other.system, strict=False)) if a != b)]
    assert KUBERNETES.instructions in same
    assert same.endswith("Here you are called ")
    assert other.prompt_of == one.execution_id
