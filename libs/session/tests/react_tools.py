"""The tools of an agent that calls them in plain text."""

from tarsy_contracts.conversation import ToolDefinition
from tarsy_contracts.events import OfferedTool


def offered(server: str, tool: str) -> OfferedTool:
    definition = ToolDefinition(name=f"{server}__{tool}", description="", input_schema={})
    return OfferedTool(server=server, tool=tool, repeatable=True, definition=definition)


TOOLS = (
    offered("kubernetes", "pods_list"),
    offered("kubernetes", "pods_log"),
    offered("kubernetes", "delete-pod"),
    offered("prometheus", "query"),
    offered("docs", "search"),
    offered("tickets", "search"),
)
