"""The list_agents tool: whom an agent may send, and how those are that it has sent. Pure."""

from collections.abc import Sequence

from tarsy_contracts import events as e
from tarsy_contracts.builtin_tools import LIST_AGENTS
from tarsy_session.builtin_tools.delegation import caller_of, define, may_delegate
from tarsy_session.builtin_tools.tool import BuiltinTool
from tarsy_session.executions.children import children_of, list_sub_agents
from tarsy_session.prompts.delegation import list_descriptions
from tarsy_session.state import Execution, Investigating, ToolCallState
from tarsy_session.text import to_one_line
from tarsy_session.tool_answers import answer_call

TASK_CHARACTERS = 200
OFFER = define(LIST_AGENTS, "Lists the sub-agents that you may send, and the state of those that you have sent.", {})


def _run(state: Investigating, call: ToolCallState) -> Sequence[e.Event]:
    caller = caller_of(state, call)
    available = list_descriptions([one.agent for one in list_sub_agents(state.started.chain, caller.agent)])
    sent = "\n".join(_describe(one) for one in children_of(state, caller)) or "(none)"
    return [answer_call(call.requested.call_id, "ok", f"You may send:\n{available}\n\nYou have sent:\n{sent}")]


def _describe(child: Execution) -> str:
    status = "active" if child.completed is None else child.completed.status
    iterations = f"{child.iteration} of {child.agent.max_iterations} iterations"
    return (
        f"- {child.id} {child.agent.name}: {status}, {iterations}: {to_one_line(child.started.task, TASK_CHARACTERS)}"
    )


TOOL = BuiltinTool(OFFER, offered_to=may_delegate, run=_run)
