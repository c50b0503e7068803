"""The MCP server of the lab's cluster."""

from mcp.server import MCPServer
from mcp_types import ToolAnnotations

from tarsy_lab.calls import CallLog
from tarsy_lab.cluster import Cluster
from tarsy_lab.recorded_tools import RecordedTools
from tarsy_lab.tools import Tools

_READ_ONLY = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
_DESTRUCTIVE = ToolAnnotations(
    read_only_hint=False, destructive_hint=True, idempotent_hint=False, open_world_hint=False
)


def build(cluster: Cluster, calls: CallLog) -> MCPServer:
    tools = Tools(cluster)
    recorded = RecordedTools(cluster.releases, cluster.metrics, calls)
    server = MCPServer(
        "tarsy-lab",
        version="0.1.0",
        instructions="A recorded Kubernetes cluster. Nothing here changes: a deleted pod is still listed. Only metrics"
        " show to who rolled a release back that it was.",
    )
    by_annotations = (
        (_READ_ONLY, (tools.namespaces_list, tools.pods_list, tools.pods_get, tools.pods_log)),
        (_READ_ONLY, (tools.resources_list, tools.resources_get, tools.events_list)),
        (_READ_ONLY, (recorded.helm_history, recorded.prometheus_query)),
        (_DESTRUCTIVE, (tools.pods_delete, recorded.helm_rollback)),
    )
    for annotations, group in by_annotations:
        for tool in group:
            # Structured output would carry the same text a second time: 20 MB instead of 10 for the long log.
            server.add_tool(calls.record_calls(tool), annotations=annotations, structured_output=False)
    return server
