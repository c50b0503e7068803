"""Advice that no tool can follow is told, and nothing else is taken for it."""

import time

import pytest
from prompt_material import outside_of_fences

from tarsy_contracts.chain import ResolvedAgent, ResolvedServer
from tarsy_contracts.conversation import ToolDefinition
from tarsy_contracts.events import ExecutionStarted, OfferedTool
from tarsy_session.system_prompt import compose_system
from tarsy_session.tools.missing_tools import MOST_NAMED, MOST_READ, find_missing_tools
from tarsy_testing.story.story import Story, chain, stage

SCHEMA = {
    "type": "object",
    "properties": {
        "label_selector": {"type": "string", "description": "such as `app.kubernetes.io/name=checkout`"},
        "kind": {"type": "string", "enum": ["Event", "pods_metric"]},
        "query": {"type": "string"},
    },
}


def tool(name: str, server: str = "kubernetes") -> OfferedTool:
    definition = ToolDefinition(name=f"{server}__{name}", description="Reads.", input_schema=SCHEMA)
    return OfferedTool(server=server, tool=name, repeatable=True, definition=definition)


LIST, LOG, DELETE = tool("pods_list"), tool("pods_log"), tool("pods_delete")
QUERY = tool("execute_query", "prometheus")
SEARCH = tool("search")


def agent(kubernetes: str = "", *, custom: str = "", tools: tuple[str, ...] | None = None) -> ResolvedAgent:
    servers = (
        ResolvedServer(server="kubernetes", instructions=kubernetes, tools=tools, allow=("*",)),
        ResolvedServer(server="prometheus"),
    )
    return ResolvedAgent(name="A", llm_provider="p", max_iterations=3, servers=servers, custom_instructions=custom)


def missing(text: str, *, custom: str = "", offered: tuple[OfferedTool, ...] = (LIST, LOG, QUERY)) -> tuple[str, ...]:
    catalogued = (LIST, LOG, DELETE, QUERY, SEARCH)
    described = {one.definition.name: one.model_dump_json() for one in offered}
    return find_missing_tools(agent(text, custom=custom), offered, catalogued, described)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("You may restart a pod with pods_delete, once.", ["pods_delete"]),
        ("Use `pods_delete`.", ["pods_delete"]),
        ("Use kubernetes__pods_delete or kubernetes.pods_exec.", ["kubernetes__pods_delete", "kubernetes.pods_exec"]),
        ("Look with pods_describe first, then pods_log.", ["pods_describe"]),
        ("Call events_watch, or the get_rollout tool.", ["events_watch", "get_rollout"]),
        ("Find names with `search`.", ["search"]),
        ("pods_delete, pods_delete and pods-delete", ["pods_delete"]),
    ],
)
def test_a_tool_that_is_not_offered_is_found(text: str, names: list[str]) -> None:
    assert list(missing(text)) == names


@pytest.mark.parametrize(
    "text",
    [
        "Use pods_list, `pods_log`, kubernetes.pods_list, kubernetes__pods_log, PODS-LIST, execute_query.",
        "Filter by label_selector; the kind `pods_metric` has no namespace.",
        "Look for `checkout`, `order-db` and `my_release` in namespace `shop`; search well.",
        "Rates of http_requests_total, container_memory_working_set_bytes, kube_pod_status_phase, pods_ready_ratio.",
        "See kubernetes.io, https://k8s.example.com/pods_delete/x, pods_delete.py and $pods_delete.",
        "Labels: app_kubernetes_io_name, kube_state_metrics; set PGDATABASE_URL and read `restart_count`.",
        "You may also have google_search. When there is a tool that lists contexts, call it first.",
        "When services call `payments`, look at its tool calls.",
        "",
    ],
)
def test_ordinary_words_are_no_tools(text: str) -> None:
    assert missing(text) == ()


def test_the_own_instructions_of_an_agent_are_read_against_all_its_servers() -> None:
    assert missing("", custom="Delete with pods_delete; ask with execute_range.") == ("pods_delete", "execute_range")


def test_a_tool_is_missing_also_where_none_is_offered_at_all() -> None:
    assert missing("Use pods_delete.", offered=()) == ("pods_delete",)


@pytest.mark.timing
def test_few_are_named_and_a_long_text_takes_no_time() -> None:
    many = " ".join(f"pods_x{number}y" for number in range(MOST_NAMED * 5))
    assert len(missing(many)) == MOST_NAMED
    for hostile in ("pods_", "a_b ", "`", "pods_a.", "pods_metric "):
        began = time.process_time()
        missing(hostile * 1_000_000)
        assert time.process_time() - began < 2, "it is linear in what is looked at"
    assert missing(" " * MOST_READ + "pods_delete") == ()


def test_the_prompt_says_it_in_one_sentence_behind_all_instructions() -> None:
    of = agent("Use pods_delete.", custom="Be brief.")
    words = compose_system(
        of, stage_type="investigation", tools=[LIST], unavailable_servers=[], missing=["pods_delete"]
    )
    told = "No tool of yours has one of these names, which stand in the instructions above: pods_delete. Where"
    assert told in outside_of_fences(words)
    assert words.index("Be brief.") < words.index(told)


def test_a_selection_of_tools_leaves_advice_behind_and_each_agent_is_told_its_own() -> None:
    narrow = agent("Restart with pods_delete.", tools=("pods_list",))
    wide = agent("Restart with pods_delete.").model_copy(update={"name": "B"})
    story = Story(plan=chain(stage(narrow, wide))).started()
    begun = [event for event in story.offered(LIST, DELETE) if isinstance(event, ExecutionStarted)]
    assert ["Not offered" in one.system for one in begun] == [True, False]
