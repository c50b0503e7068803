"""What an LLM's answer brings. Pure. What follows from it by itself is in consequences.py."""

from tarsy_contracts import events as e
from tarsy_contracts import inputs as i
from tarsy_contracts.conversation import ToolCall
from tarsy_orchestrator.controllers import understood
from tarsy_orchestrator.reading_on import reads, refusal
from tarsy_orchestrator.state import Execution, Investigating


def llm_answered(state: Investigating, reported: i.LlmCallReported) -> list[e.Event]:
    execution = _waiting(state, reported.llm_call_id)
    if execution is None or execution.waiting_for is None:
        return []
    requested = execution.waiting_for.requested
    if reported.error:
        failed = e.LlmCallFailed(
            llm_call_id=requested.llm_call_id,
            execution_id=requested.execution_id,
            error=reported.error,
            retryable=reported.retryable,
            kind=reported.kind,
            retry_after_seconds=reported.retry_after_seconds,
        )
        return [failed]
    said = understood(execution, requested, reported)
    completed = e.LlmCallCompleted(
        llm_call_id=requested.llm_call_id,
        execution_id=requested.execution_id,
        thinking=reported.thinking,
        text=said.text,
        tool_calls=said.tool_calls,
        usage=reported.usage,
        model=reported.model,
        duration_ms=reported.duration_ms,
        # It repeats the text, and an answer that was cut has another.
        opaque=reported.opaque if said.text == reported.text else None,
        final_answer=said.final_answer,
        reminder=said.reminder,
    )
    return [completed, *_calls(state, execution, completed)]


def _waiting(state: Investigating, llm_call_id: str) -> Execution | None:
    for execution in state.executions.values():
        if execution.waiting_for is not None and execution.waiting_for.requested.llm_call_id == llm_call_id:
            return execution
    return None


def _calls(state: Investigating, execution: Execution, answer: e.LlmCallCompleted) -> list[e.Event]:
    """The calls of one answer. What the agent may not call is rejected at once, with what it could do instead."""
    events: list[e.Event] = []
    limits = state.started.chain.limits
    for call in answer.tool_calls:
        tool = offered_tool(execution.started, call.name)
        requested = e.ToolCallRequested(
            call_id=call.id,
            execution_id=answer.execution_id,
            llm_call_id=answer.llm_call_id,
            server=tool.server if tool else "",
            tool=tool.tool if tool else call.name,
            arguments=call.arguments,
            repeatable=tool.repeatable if tool else True,
            timeout_seconds=limits.tool_call_seconds,
        )
        events.append(requested)
        text = _refusal(state, execution, call, tool)
        if text is not None:
            size = len(text.encode())
            events.append(e.ToolCallCompleted(call_id=call.id, outcome="rejected", content=text, size=size, lines=1))
    return events


def _refusal(state: Investigating, execution: Execution, call: ToolCall, tool: e.OfferedTool | None) -> str | None:
    if tool is None:
        names = ", ".join(one.definition.name for one in execution.started.tools) or "none"
        return f"There is no tool named {call.name!r}. The tools you have: {names}."
    return refusal(state.calls, call.arguments) if reads(tool.server, tool.tool) else None


def offered_tool(started: e.ExecutionStarted, name: str) -> e.OfferedTool | None:
    return next((tool for tool in started.tools if tool.definition.name == name), None)
