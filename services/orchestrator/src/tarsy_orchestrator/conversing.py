"""The conversation that an execution has had so far, as the next LLM call sends it. Pure."""

from tarsy_contracts import events as e
from tarsy_contracts.conversation import (
    AssistantMessage,
    Conversation,
    ConversationMessage,
    ToolDefinition,
    ToolMessage,
    UserMessage,
)
from tarsy_orchestrator.prompts import CONCLUDE, NUDGE, cut_note, fenced, summary_note
from tarsy_orchestrator.state import Call, Execution, Investigating


def conversation(state: Investigating, execution: Execution) -> Conversation:
    messages: list[ConversationMessage] = [UserMessage(content=execution.started.prompt)]
    for turn in execution.turns:
        answer = turn.answer
        messages.append(AssistantMessage(content=answer.text, tool_calls=answer.tool_calls, opaque=answer.opaque))
        messages += [_result(state.calls[call_id], answer) for call_id in turn.calls]
        if not turn.calls:
            messages.append(UserMessage(content=NUDGE))
    if execution.waiting_for is not None and execution.waiting_for.purpose == "conclusion":
        messages.append(UserMessage(content=CONCLUDE))
    return Conversation(system=execution.started.system, messages=tuple(messages))


def tools(execution: Execution) -> tuple[ToolDefinition, ...]:
    """None when the model is to conclude."""
    if execution.waiting_for is not None and execution.waiting_for.purpose == "conclusion":
        return ()
    return tuple(tool.definition for tool in execution.started.tools)


def _result(call: Call, answer: e.LlmCallCompleted) -> ToolMessage:
    name = next(asked.name for asked in answer.tool_calls if asked.id == call.requested.call_id)
    completed = call.completed
    return ToolMessage(
        tool_call_id=call.requested.call_id,
        tool_name=name,
        content="" if completed is None else _content(call, completed),
        is_error=completed is None or completed.outcome != "ok",
    )


def _content(call: Call, completed: e.ToolCallCompleted) -> str:
    """The summary where there is one; else what the log holds of the result."""
    summary = call.summary.ended if call.summary is not None else None
    if isinstance(summary, e.SummaryCompleted):
        return f"{summary_note(completed.lines, completed.size)}\n\n{summary.content}"
    text = f"<<<TOOL RESULT\n{fenced(completed.content)}\nTOOL RESULT>>>"
    if completed.cut:
        return f"{cut_note(completed.lines, completed.size)}\n\n{text}"
    return text
