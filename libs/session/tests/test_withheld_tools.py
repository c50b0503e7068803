"""An agent that does not get the tools of a server says so, and so does the session."""

import pytest

from tarsy_contracts import events as e
from tarsy_contracts.chain import ResolvedServer
from tarsy_contracts.timeline.changes import TimelineCreated, timeline_changes
from tarsy_contracts.withheld_tools import MOST_NAMED, WithheldTools, describe_withheld
from tarsy_testing.story.story import DELETE, READ, Story, agent, chain, stage

NOTHING = ResolvedServer(server="kubernetes")
BOTH = (READ, DELETE)


def story_of(server: ResolvedServer, *tools: e.OfferedTool, unavailable: tuple[str, ...] = ()) -> Story:
    story = Story(plan=chain(stage(agent("Logs", server=server)))).started()
    story.offered(*tools, unavailable=unavailable)
    return story


@pytest.mark.parametrize(
    ("server", "tools", "withheld"),
    [
        (NOTHING, (DELETE,), [WithheldTools(server="kubernetes", denied=("pods_delete",), denied_count=1)]),
        (NOTHING, BOTH, [WithheldTools(server="kubernetes", offered=1, denied=("pods_delete",), denied_count=1)]),
        (ResolvedServer(server="kubernetes", allow=("*",)), BOTH, []),
        (ResolvedServer(server="kubernetes", tools=("pods_list",)), BOTH, []),
        (
            ResolvedServer(server="kubernetes", tools=("pod_list",)),
            BOTH,
            [WithheldTools(server="kubernetes", unknown=("pod_list",))],
        ),
        (ResolvedServer(server="other"), BOTH, [WithheldTools(server="other")]),
    ],
)
def test_it_is_on_record_which_tools_an_agent_did_not_get(
    server: ResolvedServer, tools: tuple[e.OfferedTool, ...], withheld: list[WithheldTools]
) -> None:
    assert list(story_of(server, *tools).execution().started.withheld) == withheld


def test_a_server_that_could_not_be_used_is_on_record_with_its_reason() -> None:
    story = story_of(NOTHING, DELETE.model_copy(update={"server": "staging"}), unavailable=("kubernetes",))
    (withheld,) = story.execution().started.withheld
    assert "All connection attempts failed" in withheld.unavailable


def test_the_story_begins_with_the_tools_that_an_agent_lacks_and_how_it_gets_them() -> None:
    story = story_of(NOTHING, DELETE)
    shown = [change for record in story.log for change in timeline_changes(record)]
    first = next(change for change in shown if isinstance(change, TimelineCreated))
    assert (first.event_type, first.execution_id) == ("missing_tools", story.execution().id)
    assert first.content == (
        "Logs has no tools of the MCP server kubernetes: `pods_delete` is not read-only and not allowed."
        " To allow it: `mcp_servers.kubernetes.allow: [pods_delete]` in tarsy.yaml."
    )


def test_an_agent_that_has_tools_of_each_server_begins_without_a_word() -> None:
    story = story_of(NOTHING, *BOTH)
    assert not [one for record in story.log for one in timeline_changes(record) if isinstance(one, TimelineCreated)]


def test_the_agent_is_asked_to_name_the_limit_of_its_evidence_only_where_it_has_no_tools() -> None:
    words = story_of(NOTHING, DELETE).execution().started.system
    assert "kubernetes: `pods_delete`" in words
    assert "a limit of your evidence" in words
    assert "a limit of your evidence" not in story_of(NOTHING, *BOTH).execution().started.system


@pytest.mark.parametrize("executive_summary", [False, True])
def test_the_end_of_the_session_says_what_its_evidence_lacks(executive_summary: bool) -> None:
    plan = chain(stage(agent("Logs", server=NOTHING)), executive_summary=executive_summary)
    story = Story(plan=plan).started()
    story.offered(DELETE)
    events = story.when(story.answer("The cause is unknown."))
    if executive_summary:
        events = story.when(story.answer("Unknown."))
    completed = next(one for one in events if isinstance(one, e.SessionCompleted))
    (limit,) = completed.evidence_limits
    assert limit.startswith("Logs has no tools of the MCP server kubernetes")


def test_an_investigation_that_had_its_tools_has_no_such_limits() -> None:
    story = story_of(NOTHING, *BOTH)
    completed = story.when(story.answer("The cause is a leak."))[-1]
    assert isinstance(completed, e.SessionCompleted)
    assert completed.evidence_limits == ()


def test_instructions_that_name_a_withheld_tool_are_told_also_where_no_tool_is_offered() -> None:
    server = ResolvedServer(server="kubernetes", instructions="Use pods_delete to free the node.")
    assert "which stand in the instructions above: pods_delete" in story_of(server, DELETE).execution().started.system


def test_many_tools_are_counted_and_the_first_are_named() -> None:
    tools = tuple(f"tool_{number:02}" for number in range(MOST_NAMED + 3))
    withheld = WithheldTools(server="big", denied=tools[:MOST_NAMED], denied_count=len(tools))
    sentence = describe_withheld("A", withheld)
    assert "`tool_09` and 3 more are not read-only" in sentence
    assert "tool_10" not in sentence
