"""Known servers: tools that popular MCP servers document as reading only, though not each version says so itself.

A server's own annotations come first, and the configuration before both. A name is what the server says of itself, as
its annotations are. `docs/reference/known-servers.md` says which pages this follows, and which servers are left out.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KnownServer:
    """`versions`: those that it holds for, as a whole match. `page`: where its tools are described."""

    name: str
    versions: re.Pattern[str]
    page: str
    read_only_tools: frozenset[str]


ANY = re.compile(r".*", re.DOTALL)
KNOWN_SERVERS = (
    KnownServer(
        "Loki MCP Server",
        re.compile(r"v?0\..*"),
        "github.com/grafana/loki-mcp: README.md, internal/handlers/loki.go",
        frozenset({"loki_query", "loki_label_names", "loki_label_values"}),
    ),
    KnownServer(
        "Prometheus MCP",
        ANY,
        "github.com/pab1it0/prometheus-mcp-server: README.md, Tools",
        frozenset(
            {
                "health_check", "execute_query", "execute_range_query", "list_metrics", "get_metric_metadata",
                "get_targets",
            }
        ),
    ),
    KnownServer(
        "mcp-grafana",
        ANY,
        "github.com/grafana/mcp-grafana: README.md, Tools (those that need no right to write)",
        frozenset(
            {
                "search_dashboards", "get_dashboard_by_uid", "get_dashboard_panel_queries", "get_dashboard_property",
                "get_dashboard_summary", "list_datasources", "get_datasource", "query_prometheus",
                "list_prometheus_metric_metadata", "list_prometheus_metric_names", "list_prometheus_label_names",
                "list_prometheus_label_values", "query_prometheus_histogram", "list_incidents", "get_incident",
                "query_loki_logs", "list_loki_label_names", "list_loki_label_values", "query_loki_stats",
                "query_loki_patterns", "list_oncall_schedules", "get_oncall_shift", "get_current_oncall_users",
                "list_oncall_teams", "list_oncall_users", "list_alert_groups", "get_alert_group",
                "get_sift_investigation", "get_sift_analysis", "list_sift_investigations",
                "list_pyroscope_label_names", "list_pyroscope_label_values", "list_pyroscope_profile_types",
                "fetch_pyroscope_profile", "get_assertions", "generate_deeplink", "get_annotations",
                "get_annotation_tags",
            }
        ),
    ),
    KnownServer(
        "kubernetes-mcp-server",
        ANY,
        "github.com/containers/kubernetes-mcp-server: README.md, Tools",
        frozenset(
            {
                "events_list", "namespaces_list", "projects_list", "nodes_log", "nodes_stats_summary", "nodes_top",
                "pods_list", "pods_list_in_namespace", "pods_get", "pods_log", "pods_top", "resources_list",
                "resources_get", "helm_list",
            }
        ),
    ),
)  # fmt: skip
BY_NAME: Mapping[str, KnownServer] = {known.name: known for known in KNOWN_SERVERS}


def find_known_server(name: str, version: str) -> KnownServer | None:
    known = BY_NAME.get(name)
    return known if known is not None and known.versions.fullmatch(version) else None
