"""The tools of a stage stand once on the log, however many agents may call them."""

import pytest

from tarsy_contracts import events as e
from tarsy_contracts.chain import Controller, ResolvedServer
from tarsy_contracts.conversation import ToolDefinition
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.wire.topics import LIMIT_BYTES
from tarsy_orchestrator.partition.decision_batch import Decision, PendingInput, SessionTail, make_decisions
from tarsy_session.conversations.conversation import build_conversation, list_offered_tools
from tarsy_session.evolution.stages import apply_execution_started, apply_tools_offered
from tarsy_session.state import AtRest
from tarsy_testing.story.story import DELETE, READ, SESSION, UNREACHED, Story, agent, chain, stage, types

AGENTS = 40
GONE = i.UnavailableServer(server="kubernetes", reason=UNREACHED)


def large(count: int, size: int = 2_000) -> tuple[e.OfferedTool, ...]:
    return tuple(
        e.OfferedTool(
            server="kubernetes",
            tool=f"t{number}",
            repeatable=True,
            read_only=True,
            definition=ToolDefinition(name=f"kubernetes__t{number}", description="d" * size, input_schema={}),
        )
        for number in range(count)
    )


def started(controller: Controller = "function_calling", agents: int = AGENTS) -> Story:
    return Story(plan=chain(stage(*(agent(f"A{number}", controller=controller) for number in range(agents))))).started()


def decision(story: Story, offered: tuple[e.OfferedTool, ...]) -> Decision:
    stage_id = story.investigating.stages[-1].started.stage_id
    offer = i.ToolsOffered(stage_id=stage_id, tools=offered, unavailable_servers=())
    waiting = PendingInput(SESSION, story.given(offer))
    decisions, _, _ = make_decisions([waiting], lambda _: SessionTail(story.state, "a" * 32, 3), source="test")
    return decisions[0]


def types_of(decided: Decision) -> set[str]:
    return {dict(entry.headers)["ce_type"].decode() for entry in decided.entries}


@pytest.mark.parametrize("controller", ["function_calling", "react"])
def test_forty_agents_with_a_hundred_tools_begin(controller: Controller) -> None:
    decided = decision(started(controller), large(100))
    assert types_of(decided) == {"stage.tools_offered", "execution.started", "llm_call.requested"}
    assert sum(entry.size for entry in decided.entries) < 1024 * 1024


def test_what_they_may_call_is_said_before_them_and_each_names_its_own() -> None:
    narrow = agent("A").model_copy(update={"servers": (ResolvedServer(server="kubernetes", tools=("pods_list",)),)})
    story = Story(plan=chain(stage(narrow, agent("B"), agent("C", controller="single_shot")))).started()
    offered, *begun = story.offered(READ, DELETE)[:4]
    assert isinstance(offered, e.StageToolsOffered)
    assert [tool.tool for tool in offered.tools] == ["pods_list", "pods_delete", "read_result"]
    assert [one.stage_tools for one in begun if isinstance(one, e.ExecutionStarted)] == [
        ("kubernetes__pods_list", "tarsy__read_result"),
        ("kubernetes__pods_list", "kubernetes__pods_delete", "tarsy__read_result"),
        (),
    ]
    names = [[tool.name for tool in list_offered_tools(story.execution(name))] for name in "ABC"]
    assert names == [list(one.stage_tools) for one in begun if isinstance(one, e.ExecutionStarted)]


def test_what_none_of_them_may_call_is_not_said() -> None:
    narrow = agent("A").model_copy(update={"servers": (ResolvedServer(server="kubernetes", tools=("pods_list",)),)})
    offered = Story(plan=chain(stage(narrow))).started().offered(READ, DELETE)[0]
    assert isinstance(offered, e.StageToolsOffered)
    assert [tool.tool for tool in offered.tools] == ["pods_list", "read_result"]


def test_without_tools_nothing_is_said_of_them() -> None:
    story = Story().started()
    stage_id = story.investigating.stages[-1].started.stage_id
    events = story.when(i.ToolsOffered(stage_id=stage_id, tools=(), unavailable_servers=(GONE,)))
    assert types(events) == ["execution.started", "llm_call.requested"]


def test_more_than_the_log_takes_fails_the_session_with_a_sentence() -> None:
    story = started(agents=1)
    events = story.offered(*large(5, size=LIMIT_BYTES // 6))
    assert isinstance(story.state, AtRest)
    failed = events[-1]
    assert isinstance(failed, e.SessionFailed)
    assert failed.error.startswith("The tools of the stage 'investigation' have 34")
    assert "(kubernetes: 34" in failed.error
    assert "use fewer MCP servers in one stage" in failed.error


def test_an_agent_that_writes_its_calls_is_told_of_each_tool_once() -> None:
    story = started("react", agents=2)
    story.offered(READ)
    system = build_conversation(story.investigating, story.execution("A1")).system
    assert system.count("### kubernetes__pods_list") == 1
    assert "### kubernetes__pods_list" not in story.execution("A1").started.system


def test_executions_of_older_logs_carry_their_tools_themselves() -> None:
    story = Story(plan=chain(stage(agent(controller="react")))).started()
    _, begun, _ = story.offered(READ)
    assert isinstance(begun, e.ExecutionStarted)
    older = Story(plan=story.plan).started()
    older.append(
        begun.model_copy(update={"tools": (READ,), "stage_tools": (), "system": "with its tools"}),
        older.given(i.SessionAdmitted()),
    )
    assert older.execution().tools == (READ,)
    assert build_conversation(older.investigating, older.execution()).system == "with its tools"


def test_what_makes_no_sense_is_of_newer_code() -> None:
    story = Story().started()
    offered, begun, _ = story.offered(READ)
    assert isinstance(offered, e.StageToolsOffered)
    assert isinstance(begun, e.ExecutionStarted)
    before = Story().started().investigating
    assert apply_execution_started(before, begun, story.now) is None
    assert apply_tools_offered(before, offered.model_copy(update={"stage_id": "another"})) is None
    assert apply_tools_offered(story.investigating, offered) is None
