"""Access of agents to an MCP server's tools, by its annotations and by the configuration. Pure.

The plan of a session decides (libs/session); the catalog has this for people to read.
"""

from mcp_types import Tool

from tarsy_contracts.tool_patterns import is_named
from tarsy_tool_gateway.mcp.server_plan import ServerPlan


def is_read_only(tool: Tool, plan: ServerPlan) -> bool:
    """Whether it changes nothing. The configuration knows best; what nobody says anything about changes something."""
    if tool.name in plan.unrepeatable_tools:
        return False
    if is_named(tool.name, plan.read_only_tools):
        return True
    return tool.annotations is not None and tool.annotations.read_only_hint is True


def is_allowed(tool: Tool, plan: ServerPlan) -> bool:
    return is_read_only(tool, plan) or is_named(tool.name, plan.allow or ())


def needs_approval(tool: Tool, plan: ServerPlan) -> bool:
    rule = plan.approve
    return is_named(tool.name, rule.tools) or (rule.changing and not is_read_only(tool, plan))
