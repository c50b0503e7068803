"""Calls of tools, and the tools that executions were offered, as the record shows them. Pure."""

from collections.abc import Iterator
from datetime import datetime

from tarsy_contracts import events as e
from tarsy_contracts.api.trace import (
    AvailableTool,
    LearnedResult,
    ListedMcpInteraction,
    McpInteraction,
    TracedToolResult,
)
from tarsy_contracts.timeline.display import mark_cut
from tarsy_contracts.wire.envelope import wire_time
from tarsy_contracts.wire.ids import tool_list_id
from tarsy_session.state import Execution, ToolCallState
from tarsy_timeline.record.replay import ReplayedSession

NOT_OFFERED = "its tools were not offered: no tool gateway could reach it"
ERROR_CHARACTERS = 500


def list_mcp(session: ReplayedSession, execution: Execution) -> tuple[ListedMcpInteraction, ...]:
    """First the tools, server by server, then the calls."""
    at = session.began[execution.id]
    tools = [_to_listed_tools(execution, server, at) for server in _servers_of(execution)]
    return (*tools, *list_calls(session, execution.id))


def list_calls(session: ReplayedSession, execution_id: str) -> tuple[ListedMcpInteraction, ...]:
    """`execution_id` is empty for those of the session itself."""
    calls = () if session.state is None else session.state.calls.values()
    return tuple(_to_listed_call(call, session) for call in calls if call.requested.execution_id == execution_id)


def find_mcp(session: ReplayedSession, session_id: str, id: str) -> McpInteraction | None:
    call = None if session.state is None else session.state.calls.get(id)
    if call is not None:
        return _tool_call_interaction(call, session_id, session)
    for execution in session.executions.values():
        for server in _servers_of(execution):
            if tool_list_id(execution.id, server) == id:
                return _tool_listing(execution, server, session.began[execution.id])
    return None


def _servers_of(execution: Execution) -> Iterator[str]:
    offered = (tool.server for tool in execution.tools)
    yield from dict.fromkeys((*offered, *execution.started.unavailable_servers))


def _to_listed_tools(execution: Execution, server: str, at: datetime) -> ListedMcpInteraction:
    offered = any(tool.server == server for tool in execution.tools)
    return ListedMcpInteraction(
        id=tool_list_id(execution.id, server),
        interaction_type="tool_list",
        server_name=server,
        tool_name=None,
        outcome=None,
        duration_ms=None,
        error_message=None if offered else NOT_OFFERED,
        created_at=wire_time(at),
    )


def _to_listed_call(call: ToolCallState, session: ReplayedSession) -> ListedMcpInteraction:
    requested, completed = call.requested, call.completed
    ended_at = session.ended.get(requested.call_id)
    failed = completed is not None and completed.outcome != "ok"
    return ListedMcpInteraction(
        id=requested.call_id,
        interaction_type="tool_call",
        server_name=requested.server,
        tool_name=requested.tool,
        outcome=None if completed is None else completed.outcome,
        duration_ms=None if completed is None else completed.duration_ms,
        error_message=completed.content[:ERROR_CHARACTERS] if completed is not None and failed else None,
        created_at=wire_time(session.began[requested.call_id]),
        ended_at=None if ended_at is None else wire_time(ended_at),
    )


def _tool_listing(execution: Execution, server: str, at: datetime) -> McpInteraction:
    offered = [tool for tool in execution.tools if tool.server == server]
    return McpInteraction(
        **dict(_to_listed_tools(execution, server, at)),
        execution_id=execution.id,
        llm_interaction_id=None,
        tool_arguments=None,
        tool_result=None,
        learned_result=None,
        available_tools=tuple(
            AvailableTool(
                name=tool.tool,
                description=tool.definition.description,
                input_schema=tool.definition.input_schema,
            )
            for tool in offered
        ),
    )


def _tool_call_interaction(call: ToolCallState, session_id: str, session: ReplayedSession) -> McpInteraction:
    requested, completed, learned = call.requested, call.completed, call.learned
    ended = learned.event if learned is not None else completed
    left_out = () if ended is None else ended.nulls_left_out
    return McpInteraction(
        **dict(_to_listed_call(call, session)),
        execution_id=requested.execution_id,
        llm_interaction_id=requested.llm_call_id or None,
        tool_arguments={name: value for name, value in requested.arguments.items() if name not in left_out},
        tool_result=None if completed is None else _to_traced_result(completed, session_id),
        learned_result=(
            None
            if learned is None
            else LearnedResult(outcome=learned.event.outcome, content=learned.event.content, cut=learned.event.cut)
        ),
        available_tools=None,
    )


def _to_traced_result(completed: e.ToolCallCompleted, session_id: str) -> TracedToolResult:
    path = f"/api/v1/sessions/{session_id}/tool-calls/{completed.call_id}/result"
    return TracedToolResult(
        content=mark_cut(completed.content, completed.size) if completed.cut else completed.content,
        is_error=completed.outcome != "ok",
        cut=completed.cut,
        size=completed.size,
        lines=completed.lines,
        whole=path if completed.cut else None,
    )
