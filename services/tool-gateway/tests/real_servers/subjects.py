"""The servers that the tests talk to, and what each of them is known to answer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

import tarsy_testing.servers.mcp_servers as servers
from tarsy_testing.servers.mcp_kubernetes import NAMESPACE, POD
from tarsy_testing.servers.mcp_servers import COMMIT, NOTES, Start, Surroundings, Wire

HANDSHAKE, STATELESS = "2025-11-25", "2026-07-28"


@dataclass(frozen=True, slots=True)
class Known:
    """A call, and what stands in its answer."""

    tool: str
    arguments: dict[str, JsonValue]
    answer: str


@dataclass(frozen=True, slots=True)
class Talk:
    """`works` are called at once. `failure`: the outcome of `fails`; some servers call a failure an answer."""

    works: tuple[Known, Known]
    fails: Known
    misfits: Known
    failure: str = "tool_error"


@dataclass(frozen=True, slots=True)
class Subject:
    """`wires`: the version that is agreed on over each when nothing is configured."""

    name: str
    start: Callable[[Surroundings, Wire, int], Start]
    wires: Mapping[Wire, str]
    tools: int
    unrepeatable: frozenset[str]
    talk: Callable[[Surroundings], Talk] = field(repr=False)


def _everything(_: Surroundings) -> Talk:
    return Talk(
        works=(
            Known("get-sum", {"a": 2, "b": 40}, "The sum of 2 and 40 is 42."),
            Known("echo", {"message": "crème brûlée ✓"}, "Echo: crème brûlée ✓"),
        ),
        fails=Known("get-resource-reference", {"resourceId": -1}, "Invalid resourceId: -1"),
        misfits=Known("get-sum", {"a": 2, "b": "forty"}, "'forty' is not of type 'number' (at /b)"),
    )


def _filesystem(around: Surroundings) -> Talk:
    return Talk(
        works=(
            Known("read_text_file", {"path": str(around.folder / "notes.txt")}, NOTES),
            Known("list_directory", {"path": str(around.folder)}, "[FILE] notes.txt"),
        ),
        fails=Known("read_text_file", {"path": "/etc/hostname"}, "Access denied - path outside allowed directories"),
        misfits=Known("read_text_file", {}, "'path' is a required property"),
    )


def _kubernetes(_: Surroundings) -> Talk:
    return Talk(
        works=(
            Known("pods_get", {"namespace": NAMESPACE, "name": POD}, "restartCount: 17"),
            Known("events_list", {"namespace": NAMESPACE}, "Back-off restarting failed container"),
        ),
        fails=Known("pods_get", {"namespace": NAMESPACE, "name": "checkout"}, "failed to get pod checkout"),
        misfits=Known("pods_get", {"namespace": NAMESPACE}, "'name' is a required property"),
    )


def _grafana(_: Surroundings) -> Talk:
    return Talk(
        works=(
            Known("generate_deeplink", {"resourceType": "dashboard", "dashboardUid": "pods"}, "/d/pods"),
            Known("get_tempo_traceql_docs", {"topic": "basic"}, "# TraceQL: Basic Filters"),
        ),
        fails=Known("list_datasources", {}, "connection refused"),
        misfits=Known("list_datasources", {"limit": "all"}, "'all' is not of type 'integer' (at /limit)"),
    )


def _prometheus(_: Surroundings) -> Talk:
    return Talk(
        works=(
            Known("execute_query", {"query": "up"}, '"job":"itself"'),
            Known("list_metrics", {"filter_pattern": "prometheus_build_info"}, '"prometheus_build_info"'),
        ),
        fails=Known("execute_query", {"query": "up{"}, "400 Client Error: Bad Request"),
        misfits=Known("execute_query", {"time": "now"}, "'query' is a required property"),
    )


def _git(around: Surroundings) -> Talk:
    place: dict[str, JsonValue] = {"repo_path": str(around.repository)}
    return Talk(
        works=(Known("git_log", place, COMMIT), Known("git_status", place, "On branch main")),
        fails=Known("git_show", place | {"revision": "nowhere"}, "Ref 'nowhere' did not resolve to an object"),
        misfits=Known("git_log", place | {"max_count": "all"}, "'all' is not of type 'integer' (at /max_count)"),
    )


def _sqlite(_: Surroundings) -> Talk:
    return Talk(
        works=(
            Known("read_query", {"query": "SELECT state FROM orders WHERE id = 7"}, "[{'state': 'stuck'}]"),
            Known("list_tables", {}, "[{'name': 'orders'}]"),
        ),
        fails=Known("read_query", {"query": "SELECT * FROM nowhere"}, "Database error: no such table: nowhere"),
        failure="ok",
        misfits=Known("describe_table", {}, "'table_name' is a required property"),
    )


EVERYTHING = Subject(
    name="everything",
    start=servers.everything,
    wires={"stdio": HANDSHAKE, "http": HANDSHAKE, "sse": HANDSHAKE},
    tools=15,
    unrepeatable=frozenset(
        {
            "simulate-research-query",
            "toggle-simulated-logging",
            "toggle-subscriber-updates",
            "trigger-elicitation-request",
            "trigger-url-elicitation",
        }
    ),
    talk=_everything,
)
KUBERNETES = Subject(
    name="kubernetes",
    start=servers.kubernetes_server,
    wires={"stdio": STATELESS, "http": HANDSHAKE, "sse": HANDSHAKE},
    tools=20,
    unrepeatable=frozenset({"pods_exec", "pods_run"}),
    talk=_kubernetes,
)
GRAFANA = Subject(
    name="grafana",
    start=servers.grafana,
    wires={"stdio": STATELESS, "http": STATELESS, "sse": HANDSHAKE},
    tools=79,
    unrepeatable=frozenset(
        {
            "add_activity_to_incident",
            "alerting_routing_write",
            "alerting_rules_write",
            "alerting_silences_write",
            "create_annotation",
            "create_datasource",
            "create_folder",
            "create_incident",
            "create_snapshot",
            "delete_annotation",
            "delete_snapshot",
            "generate_deeplink",
            "grafana_api_request",
            "install_plugin",
            "update_alert_group",
            "update_annotation",
            "update_dashboard",
        }
    ),
    talk=_grafana,
)
SUBJECTS = (
    EVERYTHING,
    Subject(
        name="filesystem",
        start=servers.filesystem,
        wires={"stdio": HANDSHAKE},
        tools=14,
        unrepeatable=frozenset({"edit_file", "move_file"}),
        talk=_filesystem,
    ),
    KUBERNETES,
    GRAFANA,
    Subject(
        name="prometheus",
        start=servers.prometheus_server,
        wires={"stdio": STATELESS, "http": STATELESS, "sse": HANDSHAKE},
        tools=6,
        unrepeatable=frozenset(),
        talk=_prometheus,
    ),
    Subject(
        name="git",
        start=servers.git,
        wires={"stdio": STATELESS},
        tools=12,
        unrepeatable=frozenset({"git_checkout", "git_commit", "git_create_branch"}),
        talk=_git,
    ),
    Subject(
        name="sqlite",
        start=servers.sqlite,
        wires={"stdio": HANDSHAKE},
        tools=6,
        unrepeatable=frozenset(
            {"append_insight", "create_table", "describe_table", "list_tables", "read_query", "write_query"}
        ),
        talk=_sqlite,
    ),
)
