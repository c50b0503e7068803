"""Shared parts of the three tools of delegation: who gets them, and their definition. Pure."""

from collections.abc import Sequence

from pydantic import JsonValue

from tarsy_contracts import events as e
from tarsy_contracts.builtin_tools import OWN_SERVER
from tarsy_contracts.chain import ResolvedAgent
from tarsy_contracts.conversation import ToolDefinition
from tarsy_session.controllers import controller_of
from tarsy_session.executions.children import list_sub_agents
from tarsy_session.state import Execution, Investigating, ToolCallState


def define(tool: str, description: str, properties: dict[str, JsonValue]) -> e.OfferedTool:
    """All properties are required."""
    return e.OfferedTool(
        server=OWN_SERVER,
        tool=tool,
        repeatable=True,
        read_only=True,
        definition=ToolDefinition(
            name=f"{OWN_SERVER}__{tool}",
            description=description,
            input_schema={
                "type": "object",
                "properties": properties,
                "required": list(properties),
                "additionalProperties": False,
            },
        ),
    )


def may_delegate(state: Investigating, agent: ResolvedAgent, tools: Sequence[e.OfferedTool]) -> bool:
    """Whether the agent may send anybody. One that is asked once cannot read what comes of it."""
    once = controller_of(agent.controller).asks_once
    return not once and bool(list_sub_agents(state.started.chain, agent))


def read_argument(call: ToolCallState, name: str) -> str:
    given = call.requested.arguments.get(name)
    return given.strip() if isinstance(given, str) else ""


def caller_of(state: Investigating, call: ToolCallState) -> Execution:
    """The agent that made the call: only agents are offered these tools."""
    return state.executions[call.requested.execution_id]
