"""What follows from an LLM's answer. Pure."""

from tarsy_contracts import events as e
from tarsy_contracts import inputs as i
from tarsy_contracts.identities import llm_call_id
from tarsy_orchestrator.consequences import finish, offered_tool
from tarsy_orchestrator.state import Execution, Investigating

LLM_ATTEMPTS = 3


def llm_answered(state: Investigating, reported: i.LlmCallReported) -> list[e.Event]:
    execution = state.execution
    if execution is None or execution.waiting_for is None:
        return []
    asked = execution.waiting_for
    if asked.llm_call_id != reported.llm_call_id:
        return []
    if reported.error:
        return _llm_failed(state, execution, asked, reported)
    completed = e.LlmCallCompleted(
        llm_call_id=asked.llm_call_id,
        execution_id=asked.execution_id,
        thinking=reported.thinking,
        text=reported.text,
        tool_calls=reported.tool_calls,
        usage=reported.usage,
        model=reported.model,
        duration_ms=reported.duration_ms,
        opaque=reported.opaque,
    )
    if asked.purpose == "conclusion":
        return [completed]
    return [completed, *_calls(state, execution, completed)]


def _llm_failed(
    state: Investigating, execution: Execution, asked: e.LlmCallRequested, reported: i.LlmCallReported
) -> list[e.Event]:
    failed = e.LlmCallFailed(
        llm_call_id=asked.llm_call_id,
        execution_id=asked.execution_id,
        error=reported.error,
        retryable=reported.retryable,
    )
    if not reported.retryable or asked.attempt >= LLM_ATTEMPTS:
        return [failed, *finish(state, "failed", error=reported.error)]
    attempt = asked.attempt + 1
    again = asked.model_copy(
        update={"llm_call_id": llm_call_id(asked.execution_id, asked.iteration, attempt), "attempt": attempt}
    )
    return [failed, again]


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
        if tool is None:
            names = ", ".join(one.definition.name for one in execution.started.tools) or "none"
            text = f"There is no tool named {call.name!r}. The tools you have: {names}."
            events.append(
                e.ToolCallCompleted(call_id=call.id, outcome="rejected", content=text, size=len(text), lines=1)
            )
    return events
