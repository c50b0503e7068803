"""The cancel_agent tool: an agent ends a sub-agent of its own. Pure."""

from collections.abc import Sequence

from tarsy_contracts import events as e
from tarsy_contracts.builtin_tools import CANCEL_AGENT
from tarsy_session.builtin_tools.delegation import caller_of, define, may_delegate, read_argument
from tarsy_session.builtin_tools.tool import BuiltinTool
from tarsy_session.executions.children import children_of
from tarsy_session.executions.end import close_execution
from tarsy_session.state import Investigating, ToolCallState
from tarsy_session.tool_answers import answer_call

OFFER = define(
    CANCEL_AGENT,
    "Ends a sub-agent of yours whose result you no longer need.",
    {"execution_id": {"type": "string", "description": "As dispatch_agent and list_agents name it."}},
)


def _run(state: Investigating, call: ToolCallState) -> Sequence[e.Event]:
    id, caller = call.requested.call_id, caller_of(state, call)
    meant = read_argument(call, "execution_id")
    child = next((one for one in children_of(state, caller) if one.id == meant), None)
    if child is None:
        return [answer_call(id, "rejected", f"You have sent no sub-agent with the execution_id {meant!r}.")]
    if child.completed is not None:
        return [answer_call(id, "ok", f"{child.agent.name} had ended already: {child.completed.status}.")]
    closed = close_execution(state, child, "cancelled", f"cancelled by {caller.agent.name}")
    return [*closed, answer_call(id, "ok", f"{child.agent.name} is cancelled.")]


TOOL = BuiltinTool(OFFER, offered_to=may_delegate, run=_run)
