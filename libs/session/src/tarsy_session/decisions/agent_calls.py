"""The calls that an agent asks for in an answer: requested, refused, held, tried out or waiting for a person. Pure."""

from collections.abc import Iterator, Mapping
from datetime import datetime

from tarsy_contracts import events as e
from tarsy_contracts.conversation import ToolCall
from tarsy_session.actions.dry_runs import find_template, find_template_fault, request_dry_run
from tarsy_session.actions.guard import Hold, find_hold, hold_call, mode_of
from tarsy_session.builtin_tools import find_builtin
from tarsy_session.decision_input import ActionGate
from tarsy_session.decisions.approvals import request_approval
from tarsy_session.prompts.notes import note_same_call
from tarsy_session.state import Execution, Investigating
from tarsy_session.state_queries import next_call_number
from tarsy_session.tool_answers import answer_call
from tarsy_session.tools.offered_names import describe_unknown
from tarsy_session.tools.tool_names import key_of_name

MOST_SAME_CALLS = 2
"""So often an agent makes the same call with the same arguments."""


def request_calls(
    state: Investigating,
    execution: Execution,
    answer: e.LlmCallCompleted,
    unreadable: Mapping[str, str],
    at: datetime,
    gate: ActionGate,
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
            repeatable=_may_repeat(state, execution, tool) and not needs_approval if tool else True,
            timeout_seconds=limits.tool_call_seconds,
            read_only=tool.read_only if tool else None,
            number=number,
        )
        events.append(requested)
        text = unreadable.get(call.id) or _refusal(state, execution, call, tool)
        if text is not None:
            events.append(answer_call(call.id, "rejected", text))
        elif tool is not None:
            hold = find_hold(state, execution, tool, gate, at)
            events += _guarded(state, execution, answer, requested, tool, hold)
    return events


def _guarded(
    state: Investigating,
    execution: Execution,
    answer: e.LlmCallCompleted,
    call: e.ToolCallRequested,
    tool: e.OfferedTool,
    hold: Hold | None,
) -> Iterator[e.Event]:
    """Yields the events that come with the request, in its batch: a hold, or its dry run and the wait for a person."""
    template = find_template(execution, tool)
    if hold is None and template is not None:
        hold = find_template_fault(tool, template)
    if hold is not None:
        yield hold_call(call.call_id, hold)
        return
    trial = None if template is None else request_dry_run(call, template)
    if trial is not None:
        yield trial
    if tool.definition.name in execution.approvals:
        yield request_approval(state, answer, call, trial)


def _may_repeat(state: Investigating, execution: Execution, tool: e.OfferedTool) -> bool:
    """A change by an action agent runs on a grant, also where its server calls it idempotent."""
    return tool.repeatable and (tool.read_only or not mode_of(state, execution))


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
        and not made.requested.dry_run_of
        and (made.requested.server, made.requested.tool) == (tool.server, tool.tool)
        and made.requested.arguments == call.arguments
        and made.completed is not None
        and made.completed.outcome in ("ok", "tool_error")
    ]
    returned = {made.completed.content for made in earlier[-MOST_SAME_CALLS:] if made.completed is not None}
    if len(earlier) < MOST_SAME_CALLS or len(returned) > 1:
        return None
    return note_same_call([made.requested.number for made in earlier])
