"""Decisions on a model's answer or failure. Pure. The transitions that follow by themselves: transitions.py."""

from collections.abc import Mapping

from tarsy_contracts import events as e
from tarsy_contracts.conversation import ToolCall
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.thoughts import part_thoughts
from tarsy_session.builtin_tools import find_builtin
from tarsy_session.controllers import controller_of, describe_unknown_controller
from tarsy_session.decisions.approvals import request_approval
from tarsy_session.prompts.notes import note_same_call
from tarsy_session.state import Execution, Investigating
from tarsy_session.state_queries import next_call_number
from tarsy_session.tool_answers import answer_call
from tarsy_session.tools.offered_names import describe_unknown, with_offered_names
from tarsy_session.tools.tool_names import key_of_name

MOST_SAME_CALLS = 2
"""So often an agent makes the same call with the same arguments."""


def decide_llm_report(state: Investigating, reported: i.LlmCallReported) -> list[e.Event]:
    execution = _waiting(state, reported.llm_call_id)
    if execution is None or execution.waiting_for is None:
        return []
    requested = execution.waiting_for.requested
    problem = describe_unknown_controller(execution.agent.controller)
    if reported.error or problem:
        failed = e.LlmCallFailed(
            llm_call_id=requested.llm_call_id,
            execution_id=requested.execution_id,
            error=problem or reported.error,
            retryable=reported.retryable,
            kind=reported.kind,
            retry_after_seconds=reported.retry_after_seconds,
            usage=reported.usage,
            request_digest=reported.request_digest,
            refused_tools=reported.refused_tools,
            most_tools=reported.most_tools,
            context_tokens=reported.context_tokens,
            thinking=reported.thinking,
            text=reported.text,
        )
        return [failed]
    reported = _without_thoughts(reported)
    controller, concluding = controller_of(execution.agent.controller), requested.purpose == "conclusion"
    interpretation = controller.interpret(reported, execution.tools, concluding=concluding)
    calls = with_offered_names(interpretation.tool_calls, execution.tools)
    completed = e.LlmCallCompleted(
        llm_call_id=requested.llm_call_id,
        execution_id=requested.execution_id,
        thinking=reported.thinking,
        text=interpretation.text,
        tool_calls=calls,
        usage=reported.usage,
        model=reported.model,
        duration_ms=reported.duration_ms,
        # It repeats the text and the calls, and an answer that was cut or renamed has others.
        opaque=None
        if interpretation.text != reported.text or interpretation.cut or calls != interpretation.tool_calls
        else reported.opaque,
        final_answer=interpretation.final_answer,
        reminder=interpretation.reminder,
        request_digest=reported.request_digest,
        cut=reported.cut,
    )
    return [completed, *_calls(state, execution, completed, reported.unreadable_calls)]


def _without_thoughts(reported: i.LlmCallReported) -> i.LlmCallReported:
    """Thoughts that a server left in the text are none of the agent's words."""
    parted = part_thoughts(reported.text)
    if not parted.thoughts:
        return reported
    thinking = "\n\n".join(part for part in (reported.thinking, parted.thoughts) if part)
    return reported.model_copy(update={"text": parted.spoken, "thinking": thinking})


def _waiting(state: Investigating, llm_call_id: str) -> Execution | None:
    for execution in state.executions.values():
        if execution.waiting_for is not None and execution.waiting_for.requested.llm_call_id == llm_call_id:
            return execution
    return None


def _calls(
    state: Investigating, execution: Execution, answer: e.LlmCallCompleted, unreadable: Mapping[str, str]
) -> list[e.Event]:
    """Requests the calls of one answer. A tool that was not offered is rejected at once, with those that were.

    A call that waits for a person is approved for one run: it is never repeatable.
    """
    events: list[e.Event] = []
    limits = state.started.chain.limits
    offered = {tool.definition.name: tool for tool in execution.tools}
    servers = [server.server for server in execution.agent.servers]
    for number, call in enumerate(answer.tool_calls, next_call_number(state)):
        tool = offered.get(call.name)
        server, name = (tool.server, tool.tool) if tool else key_of_name(call.name, servers)
        needs_approval = tool is not None and call.name in execution.approvals
        requested = e.ToolCallRequested(
            call_id=call.id,
            execution_id=answer.execution_id,
            llm_call_id=answer.llm_call_id,
            server=server,
            tool=name,
            arguments=call.arguments,
            repeatable=tool.repeatable and not needs_approval if tool else True,
            timeout_seconds=limits.tool_call_seconds,
            read_only=tool.read_only if tool else None,
            number=number,
        )
        events.append(requested)
        text = unreadable.get(call.id) or _refusal(state, execution, call, tool)
        if text is not None:
            events.append(answer_call(call.id, "rejected", text))
        elif needs_approval:
            events.append(request_approval(state, answer, requested))
    return events


def _refusal(state: Investigating, execution: Execution, call: ToolCall, tool: e.OfferedTool | None) -> str | None:
    if tool is None:
        return describe_unknown(call.name, execution.tools)
    if (note := _same_calls(state, execution, call, tool)) is not None:
        return note
    builtin = find_builtin(tool.server, tool.tool)
    return None if builtin is None else builtin.refusal(state, call.arguments)


def _same_calls(state: Investigating, execution: Execution, call: ToolCall, tool: e.OfferedTool) -> str | None:
    """A call that has returned the same twice is not made a third time. One whose result changes is."""
    earlier = [
        made
        for made in state.calls.values()
        if made.requested.execution_id == execution.id
        and (made.requested.server, made.requested.tool) == (tool.server, tool.tool)
        and made.requested.arguments == call.arguments
        and made.completed is not None
        and made.completed.outcome in ("ok", "tool_error")
    ]
    returned = {made.completed.content for made in earlier[-MOST_SAME_CALLS:] if made.completed is not None}
    if len(earlier) < MOST_SAME_CALLS or len(returned) > 1:
        return None
    return note_same_call([made.requested.number for made in earlier])
