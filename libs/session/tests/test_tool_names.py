"""What models are told that tools are called: valid, unique, and the same however the tools come."""

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarsy_contracts.conversation import ToolCall, ToolDefinition
from tarsy_contracts.events import OfferedTool
from tarsy_session.tools.offered_names import Names, describe_unknown, with_offered_names
from tarsy_session.tools.tool_names import key_of_name, names_of

VALID = re.compile(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}")
LONG = "x" * 80

TABLE = {
    ("kubernetes", "pods_list"): "kubernetes__pods_list",
    ("git-hub", "get-file"): "git-hub__get-file",
    ("logs", "query.range"): "logs__query_range",
    ("my server", "a/b c:d"): "my_server__a_b_c_d",
    ("k8s", "Pöds"): "k8s__P_ds",
    ("1st", "tool"): "_1st__tool",
    ("-", "tool"): "_-__tool",
    ("k8s", ""): "k8s__",
}


@pytest.mark.parametrize("tool", TABLE, ids=str)
def test_a_name_stays_as_readable_as_it_can(tool: tuple[str, str]) -> None:
    assert names_of([tool]) == {tool: TABLE[tool]}
    assert VALID.fullmatch(TABLE[tool])


def test_what_is_too_long_is_cut_and_told_apart_by_a_digest() -> None:
    first, second = names_of([("k8s", f"{LONG}a"), ("k8s", f"{LONG}b")]).values()
    assert len(first) == len(second) == 64
    assert first != second
    assert first.startswith("k8s__xxxx")
    assert names_of([("k8s", f"{LONG}a")])["k8s", f"{LONG}a"] == first
    assert len(names_of([("k", "x" * 61)])["k", "x" * 61]) == 64
    assert "_" not in names_of([("k", "x" * 61)])["k", "x" * 61][3:]


def test_tools_that_would_have_the_same_name_all_get_a_digest() -> None:
    alike = [("k8s", "pods.list"), ("k8s", "pods/list"), ("k8s", "pods_list"), ("k8s", "other")]
    names = names_of(alike)
    assert names["k8s", "other"] == "k8s__other"
    assert len(set(names.values())) == 4
    assert all(re.fullmatch(r"k8s__pods_list_[0-9a-f]{8}", names[tool]) for tool in alike[:3])


def test_marks_between_server_and_tool_do_not_confuse_two_servers() -> None:
    names = names_of([("a", "b__c"), ("a__b", "c")])
    assert len(set(names.values())) == 2


def test_a_tool_that_is_called_as_another_ones_digest_says_gets_another_name() -> None:
    stolen = names_of([("k", "a.b"), ("k", "a_b")])["k", "a.b"].removeprefix("k__")
    names = names_of([("k", "a.b"), ("k", "a_b"), ("k", stolen)])
    assert len(set(names.values())) == 3


parts = st.text(st.sampled_from("abAB01._-/ é日\ud800"), max_size=4) | st.text(max_size=90)


@given(st.sets(st.tuples(parts, parts), max_size=30), st.randoms(use_true_random=False))
def test_names_are_valid_and_unique_whatever_the_order(tools: set[tuple[str, str]], drawn: random.Random) -> None:
    shuffled = sorted(tools)
    drawn.shuffle(shuffled)
    names = names_of(shuffled)
    assert names == names_of(sorted(tools))
    assert names.keys() == tools
    assert len(set(names.values())) == len(tools)
    assert all(VALID.fullmatch(name) for name in names.values())


# As agents write them that call their tools in plain text


def offered(*tools: tuple[str, str]) -> list[OfferedTool]:
    return [
        OfferedTool(
            server=server,
            tool=tool,
            repeatable=True,
            definition=ToolDefinition(name=name, description="", input_schema={}),
        )
        for (server, tool), name in names_of(tools).items()
    ]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("logs.query.range", ("logs", "query.range")),
        ("`logs.query.range`", ("logs", "query.range")),
        ("logs__query_range", ("logs", "query.range")),
        ("query.range", ("logs", "query.range")),
        ("my.server.get", ("my.server", "get")),
        ("my.server.a/b", ("my.server", "a/b")),
        ("functions.logs__query_range", ("logs", "query.range")),
        ("tools.search", ("tools", "search")),
    ],
)
def test_a_name_with_dots_finds_its_tool(written: str, meant: tuple[str, str]) -> None:
    tools = [("logs", "query.range"), ("my.server", "get"), ("my.server", "a/b"), ("tools", "search")]
    assert Names(offered(*tools)).find(written) == names_of(tools)[meant]


def test_of_tools_that_differ_by_a_mark_only_the_exact_name_finds_one() -> None:
    tools = [("k", "pods.list"), ("k", "pods_list")]
    names = Names(offered(*tools))
    for tool in tools:
        assert names.find(f"{tool[0]}.{tool[1]}") == names_of(tools)[tool]
        assert names.find(names_of(tools)[tool]) == names_of(tools)[tool]
    assert names.find("k.pods/list") is None


def test_a_name_that_could_be_two_servers_is_not_guessed() -> None:
    assert Names(offered(("a", "b.c"), ("a.b", "c"))).find("a.b.c") is None


TOOLS = offered(("kubernetes", "pods_list"), ("kubernetes", "pods_log"), ("prometheus", "query"), ("grafana", "query"))


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("kubernetes.pods_list", "kubernetes__pods_list"),
        ("kubernetes/pods-list", "kubernetes__pods_list"),
        ("functions.kubernetes__pods_list", "kubernetes__pods_list"),
        ("pods_log", "kubernetes__pods_log"),
        ("grafana.query", "grafana__query"),
        ("query", "query"),
        ("kubernetes.pods_delete", "kubernetes.pods_delete"),
    ],
)
def test_a_call_gets_the_name_of_the_one_tool_that_it_means(written: str, name: str) -> None:
    (call,) = with_offered_names([ToolCall(id="1", name=written, arguments={"a": 1})], TOOLS)
    assert call == ToolCall(id="1", name=name, arguments={"a": 1})


@pytest.mark.parametrize(
    ("written", "sentence"),
    [
        (
            "kubernetes.pods_delete",
            "The server kubernetes has no tool named 'kubernetes.pods_delete'. Its tools: kubernetes__pods_list,"
            " kubernetes__pods_log.",
        ),
        (
            "query",
            "There is no tool named 'query'. The servers you have: kubernetes, prometheus, grafana. Their tools:"
            " kubernetes__pods_list, kubernetes__pods_log, prometheus__query, grafana__query.",
        ),
    ],
)
def test_what_is_wrong_with_a_name_is_said_with_the_tools_of_its_server_or_with_the_servers(
    written: str, sentence: str
) -> None:
    assert describe_unknown(written, TOOLS) == sentence


def test_an_agent_without_tools_is_told_so() -> None:
    assert describe_unknown("a.b", ()) == "There is no tool named 'a.b'. You have no tools."


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("kubernetes__pods_delete", ("kubernetes", "pods_delete")),
        ("kube__eu__pods", ("kube__eu", "pods")),
        ("eu_1__pods", ("eu.1", "pods")),
        ("pods_delete", ("", "pods_delete")),
        ("loki__query", ("", "loki__query")),
    ],
)
def test_a_name_that_was_not_offered_tells_its_server_where_it_begins_with_one(name: str, key: tuple[str, str]) -> None:
    assert key_of_name(name, ["kubernetes", "kube", "kube__eu", "eu.1"]) == key
