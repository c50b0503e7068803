"""Given a chain of several stages and agents, when something comes, then this follows."""

import pytest

from tarsy_contracts import events as e
from tarsy_contracts.chain import ResolvedServer, SuccessPolicy
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.wire.ids import runbook_call_id
from tarsy_session.conversations.conversation import build_conversation
from tarsy_session.effects import OfferToolsEffect, effects_of
from tarsy_session.state import AtRest
from tarsy_testing.story.story import ALERT, DELETE, READ, SESSION, Story, agent, chain, stage, types

TWO = (stage(agent("A"), name="look"), stage(agent("B"), name="look again"))
PARALLEL = stage(agent("A"), agent("B"), name="look")


def of[E: e.Event](events: list[e.Event], kind: type[E]) -> list[E]:
    return [event for event in events if isinstance(event, kind)]


def failing(story: Story, who: str) -> list[e.Event]:
    """This agent cannot go on."""
    return story.when(story.answer(error="no key", kind="credentials", agent=who))


# One after the other


def test_a_stage_that_completed_starts_the_next_one_which_reads_what_it_came_to() -> None:
    story = Story(plan=chain(*TWO)).asking()
    events = story.when(story.answer("the cause is X"))
    assert types(events)[1:] == ["execution.completed", "stage.completed", "stage.started"]
    (started,) = of(story.offered(), e.ExecutionStarted)
    assert "the cause is X" in started.prompt
    story.when(story.answer("it is Y"))
    assert isinstance(story.state, AtRest)
    assert story.state.ended == e.SessionCompleted(final_analysis="it is Y")


def test_a_stage_that_failed_ends_the_session_and_the_next_one_never_starts() -> None:
    story = Story(plan=chain(*TWO)).asking()
    events = failing(story, "A")
    assert types(events) == ["llm_call.failed", "execution.completed", "stage.completed", "session.failed"]


def test_the_index_of_stages_counts_them_all() -> None:
    story = Story(plan=chain(PARALLEL, stage(agent("C")), executive_summary=True)).asking()
    for who in ("A", "B", "SynthesisAgent"):
        story.when(story.answer(f"{who} says", agent=who))
    story.offered()
    story.when(story.answer("C says"))
    story.when(story.answer("in short"))
    started = [record.event for record in story.log if isinstance(record.event, e.StageStarted)]
    assert [(one.index, one.stage_type, one.chain_stage) for one in started] == [
        (1, "investigation", 0),
        (2, "synthesis", 0),
        (3, "investigation", 1),
        (4, "exec_summary", None),
    ]
    assert started[1].referenced_stage_id == started[0].stage_id


# Side by side


def test_all_agents_of_a_stage_start_together_and_only_the_first_carries_the_prompt() -> None:
    story = Story(plan=chain(PARALLEL)).started()
    events = story.offered()
    assert types(events) == ["stage.tools_offered", *["execution.started"] * 2, *["llm_call.requested"] * 2]
    first, second = of(events, e.ExecutionStarted)
    assert (first.prompt_of, second.prompt_of, second.prompt) == ("", first.execution_id, "")
    messages = [build_conversation(story.investigating, story.execution(who)).messages for who in ("A", "B")]
    assert messages[0] == messages[1]


def test_each_agent_gets_the_tools_of_its_own_servers_and_of_those_only_the_selected_ones() -> None:
    server = ResolvedServer(server="kubernetes", tools=("pods_list",))
    narrow = agent("A").model_copy(update={"servers": (server,)})
    none = agent("B").model_copy(update={"servers": ()})
    story = Story(plan=chain(stage(narrow, none))).started()
    story.offered(READ, DELETE)
    begun = story.investigating.executions.values()
    assert [[tool.tool for tool in one.tools] for one in begun] == [["pods_list", "read_result"], []]


def test_a_stage_ends_when_its_last_agent_has_ended() -> None:
    story = Story(plan=chain(PARALLEL)).asking()
    assert types(story.when(story.answer("X", agent="B"))) == ["llm_call.completed", "execution.completed"]
    assert "stage.completed" in types(story.when(story.answer("Y", agent="A")))


@pytest.mark.parametrize(
    ("policy", "failing_agents", "status"),
    [("any", ["A"], "completed"), ("all", ["A"], "failed"), ("any", ["A", "B"], "failed"), ("all", [], "completed")],
)
def test_the_success_policy_says_how_many_agents_must_complete(
    policy: SuccessPolicy, failing_agents: list[str], status: str
) -> None:
    story = Story(plan=chain(stage(agent("A"), agent("B"), policy=policy))).asking()
    events: list[e.Event] = []
    for who in ("A", "B"):
        events += failing(story, who) if who in failing_agents else story.when(story.answer("X", agent=who))
    assert of(events, e.StageCompleted)[0].status == status


def test_the_synthesis_reads_everything_that_the_agents_did_and_its_result_is_what_counts() -> None:
    story = Story(plan=chain(PARALLEL)).asking()
    story.when(story.answer("looking", tools=(READ,), agent="A"))
    story.when(story.result(story.call_ids[0], "three pods crash"))
    story.when(story.answer("A says X", agent="A"))
    events = failing(story, "B")
    (synthesis,) = of(events, e.ExecutionStarted)
    for seen in ("three pods crash", "A says X", "no key"):
        assert seen in synthesis.prompt
    assert types(events)[-1] == "llm_call.requested"
    story.when(story.answer("both say Z"))
    assert isinstance(story.state, AtRest)
    assert story.state.ended == e.SessionCompleted(final_analysis="both say Z")


def test_what_comes_after_a_synthesis_reads_it_in_place_of_what_it_joined() -> None:
    story = Story(plan=chain(PARALLEL, stage(agent("C")))).asking()
    for who in ("A", "B", "SynthesisAgent"):
        story.when(story.answer(f"{who} says this", agent=who))
    (started,) = of(story.offered(), e.ExecutionStarted)
    assert "SynthesisAgent says this" in started.prompt
    assert "A says this" not in started.prompt


def test_who_is_asked_once_may_have_said_all_of_it_in_its_thoughts() -> None:
    story = Story(plan=chain(executive_summary=True)).asking()
    story.when(story.answer("the cause is X"))
    story.when(story.answer("").model_copy(update={"thinking": "in short: X"}))
    assert isinstance(story.state, AtRest)
    assert story.state.ended == e.SessionCompleted(final_analysis="the cause is X", executive_summary="in short: X")


def test_a_synthesis_that_fails_fails_the_session() -> None:
    story = Story(plan=chain(PARALLEL)).asking()
    for who in ("A", "B"):
        story.when(story.answer("X", agent=who))
    assert types(failing(story, "SynthesisAgent"))[-1] == "session.failed"


# At the end


def test_the_executive_summary_is_written_last() -> None:
    story = Story(plan=chain(executive_summary=True)).asking()
    events = story.when(story.answer("the cause is X"))
    assert types(events)[2:] == ["stage.completed", "stage.started", "execution.started", "llm_call.requested"]
    story.when(story.answer("in short: X"))
    assert isinstance(story.state, AtRest)
    assert story.state.ended == e.SessionCompleted(final_analysis="the cause is X", executive_summary="in short: X")


def test_without_an_executive_summary_the_session_completes_and_says_why() -> None:
    story = Story(plan=chain(executive_summary=True)).asking()
    story.when(story.answer("the cause is X"))
    failing(story, "ExecSummaryAgent")
    assert isinstance(story.state, AtRest)
    ended = e.SessionCompleted(final_analysis="the cause is X", executive_summary_error="no key")
    assert story.state.ended == ended


# The runbook


def with_runbook() -> Story:
    return Story(alert=ALERT.model_copy(update={"runbook_url": "https://github.com/acme/books/blob/main/pods.md"}))


def test_the_runbook_is_fetched_before_the_tools_are_looked_up_and_stands_in_the_prompt() -> None:
    story = with_runbook().waiting()
    assert types(story.when(i.SessionAdmitted())) == ["stage.started", "tool_call.requested"]
    assert not [one for one in effects_of(story.state) if isinstance(one, OfferToolsEffect)]
    story.when(story.result(runbook_call_id(SESSION), "first look at the nodes"))
    assert [one for one in effects_of(story.state) if isinstance(one, OfferToolsEffect)]
    (started,) = of(story.offered(), e.ExecutionStarted)
    assert "first look at the nodes" in started.prompt


def test_a_runbook_that_cannot_be_fetched_is_replaced_by_the_default_one_and_the_agent_is_told() -> None:
    plan = chain().model_copy(update={"default_runbook": "look at the logs"})
    story = with_runbook()
    story.plan = plan
    story.started()
    gone = story.result(runbook_call_id(SESSION), "404: there is no such page")
    story.when(gone.model_copy(update={"outcome": "tool_error"}))
    (started,) = of(story.offered(), e.ExecutionStarted)
    assert "look at the logs" in started.prompt
    assert "404" in started.prompt
