"""Access of agents to an MCP server's tools, by its annotations and by the configuration. Pure.

The plan of a session decides (libs/session); the catalog has this for people to read.
"""

from mcp_types import Tool, ToolAnnotations

from tarsy_contracts.tool_patterns import is_named
from tarsy_tool_gateway.mcp.server_plan import ServerPlan

LIBRARY_DEFAULTS = ToolAnnotations(
    read_only_hint=False, destructive_hint=True, idempotent_hint=False, open_world_hint=True
)
"""Annotations that mcp-go gives to each tool of which its author said nothing."""


def is_read_only(tool: Tool, plan: ServerPlan) -> bool:
    """Whether it changes nothing. The configuration knows best, then the server, then what is known of its kind.

    A tool of which nobody says anything changes something.
    """
    if tool.name in plan.unrepeatable_tools:
        return False
    if is_named(tool.name, plan.read_only_tools):
        return True
    if tool.annotations is not None and tool.annotations.read_only_hint is True:
        return True
    return tool.name in plan.known_read_only_tools and _says_nothing(tool.annotations)


def _says_nothing(notes: ToolAnnotations | None) -> bool:
    """Libraries send their defaults along: those are nobody's word on this tool."""
    return notes is None or notes.read_only_hint is None or notes.model_copy(update={"title": None}) == LIBRARY_DEFAULTS


def is_allowed(tool: Tool, plan: ServerPlan) -> bool:
    return is_read_only(tool, plan) or is_named(tool.name, plan.allow or ())


def needs_approval(tool: Tool, plan: ServerPlan) -> bool:
    rule = plan.approve
    return is_named(tool.name, rule.tools) or (rule.changing and not is_read_only(tool, plan))
