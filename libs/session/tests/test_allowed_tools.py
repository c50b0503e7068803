"""Given what the operator allows, when the tools of a stage are known, then only those are offered."""

from tarsy_contracts import events as e
from tarsy_contracts.chain import ResolvedServer
from tarsy_session.state import Investigating
from tarsy_testing.story.story import DELETE, READ, Story, agent, chain, stage, types


def story_with(server: ResolvedServer) -> Story:
    return Story(plan=chain(stage(agent(server=server)))).started()


def offered_to(server: ResolvedServer) -> list[str]:
    story = story_with(server)
    story.offered(READ, DELETE)
    return [tool.tool for tool in story.execution().tools if tool.server == "kubernetes"]


def test_a_tool_that_changes_something_is_not_offered_unless_the_operator_allows_it() -> None:
    assert offered_to(ResolvedServer(server="kubernetes")) == ["pods_list"]
    assert offered_to(ResolvedServer(server="kubernetes", allow=("pods_delete",))) == ["pods_list", "pods_delete"]


def test_patterns_and_all_allow_a_tool() -> None:
    assert "pods_delete" in offered_to(ResolvedServer(server="kubernetes", allow=("pods_*",)))
    assert "pods_delete" in offered_to(ResolvedServer(server="kubernetes", allow=("*",)))
    assert "pods_delete" not in offered_to(ResolvedServer(server="kubernetes", allow=("pod",)))


def test_what_the_operator_allows_on_one_server_is_not_allowed_on_another() -> None:
    other = DELETE.model_copy(update={"server": "staging"})
    story = story_with(ResolvedServer(server="kubernetes", allow=("*",)))
    story.offered(READ, other)
    assert "staging" not in {tool.server for tool in story.execution().tools}


def test_the_choice_of_an_alert_does_not_allow_what_the_operator_does_not() -> None:
    assert offered_to(ResolvedServer(server="kubernetes", tools=("pods_list", "pods_delete"))) == ["pods_list"]


def test_a_tool_that_the_log_does_not_call_read_only_is_one_that_changes_something() -> None:
    said = e.OfferedTool.model_validate(READ.model_dump(exclude={"read_only"}))
    story = story_with(ResolvedServer(server="kubernetes"))
    story.offered(said)
    assert story.execution().tools == ()


def test_a_call_of_a_tool_that_was_not_offered_is_rejected_and_the_model_reads_which_tools_there_are() -> None:
    story = story_with(ResolvedServer(server="kubernetes"))
    story.offered(READ, DELETE)
    events = story.when(story.answer(tools=(DELETE,)))
    assert types(events)[:3] == ["llm_call.completed", "tool_call.requested", "tool_call.completed"]
    asked, rejected = events[1:3]
    assert isinstance(asked, e.ToolCallRequested)
    assert (asked.server, asked.tool) == ("kubernetes", "pods_delete")
    assert isinstance(rejected, e.ToolCallCompleted)
    assert rejected.outcome == "rejected"
    assert "kubernetes__pods_list" in rejected.content
    assert "pods_delete'. Its tools" in rejected.content


def test_a_stage_keeps_what_it_was_offered_whatever_the_plan_would_allow_now() -> None:
    """As with an event of before there was a rule: the tools lie on the log."""
    story = story_with(ResolvedServer(server="kubernetes", allow=("*",)))
    story.offered(READ, DELETE)
    assert isinstance(story.state, Investigating)
    assert "kubernetes__pods_delete" in story.state.stages[0].tools


def test_the_agent_reads_that_its_instructions_name_a_tool_that_it_may_not_call() -> None:
    server = ResolvedServer(server="kubernetes", instructions="Use pods_delete to free the node.")
    story = story_with(server)
    story.offered(READ, DELETE)
    assert "pods_delete" in story.execution().started.system.partition("pods_delete")[2]
