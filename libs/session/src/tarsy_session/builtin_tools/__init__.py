"""Built-in tools. A new one is a module with a `BuiltinTool`, and a line here."""

from collections.abc import Mapping, Sequence

from tarsy_contracts import events as e
from tarsy_contracts.builtin_tools import OWN_SERVER
from tarsy_contracts.chain import ResolvedAgent
from tarsy_session.builtin_tools import (
    cancel_agent,
    dispatch_agent,
    fetch_runbook,
    list_agents,
    load_skill,
    read_result,
    recall,
    search_sessions,
)
from tarsy_session.builtin_tools.tool import BuiltinTool, Run
from tarsy_session.state import Execution, Investigating, ToolCallState

BUILTIN_TOOLS: Mapping[str, BuiltinTool] = {
    tool.offer.tool: tool
    for tool in (
        fetch_runbook.TOOL,
        recall.TOOL,
        search_sessions.TOOL,
        load_skill.TOOL,
        read_result.TOOL,
        dispatch_agent.TOOL,
        cancel_agent.TOOL,
        list_agents.TOOL,
    )
}


def find_builtin(server: str, tool: str) -> BuiltinTool | None:
    return BUILTIN_TOOLS.get(tool) if server == OWN_SERVER else None


def run_of(state: Investigating, call: ToolCallState) -> Run | None:
    """Returns how the core runs the call; None where a tool gateway does."""
    tool = find_builtin(call.requested.server, call.requested.tool)
    return None if tool is None or tool.leaves_core(state, call) else tool.run


def with_builtins(
    state: Investigating, agent: ResolvedAgent, tools: Sequence[e.OfferedTool]
) -> tuple[e.OfferedTool, ...]:
    """Adds the built-in tools for an agent that has these tools of its servers."""
    return (*tools, *(one.offer for one in BUILTIN_TOOLS.values() if one.offered_to(state, agent, tools)))


def first_calls(state: Investigating) -> list[e.ToolCallRequested]:
    """The calls of the session itself. Its first agent begins when they have ended."""
    return [call for tool in BUILTIN_TOOLS.values() if (call := tool.call_first(state)) is not None]


def run_calls(state: Investigating, execution: Execution) -> Sequence[e.Event]:
    """Returns what follows for one call of the last turn that the core runs. The next one sees its outcome."""
    calls = (state.calls[call_id] for call_id in (execution.turns[-1].calls if execution.turns else ()))
    waiting = [call for call in calls if call.open and not call.waits_for_person]
    steps = (run(state, call) for call in waiting if (run := run_of(state, call)) is not None)
    return next((events for events in steps if events), [])
