"""The dispatch_agent tool: an agent sends another one with a task, and goes on. Pure."""

from collections.abc import Sequence

from tarsy_contracts import events as e
from tarsy_contracts.builtin_tools import DISPATCH_AGENT
from tarsy_contracts.wire.ids import sub_execution_id
from tarsy_session.builtin_tools.delegation import caller_of, define, may_delegate, read_argument
from tarsy_session.builtin_tools.tool import BuiltinTool
from tarsy_session.executions.children import find_sub_agent, list_sub_agents
from tarsy_session.executions.limits import find_obstacle
from tarsy_session.executions.start import start_child
from tarsy_session.state import Execution, Investigating, ToolCallState
from tarsy_session.tool_answers import answer_call

TASK_CHARACTERS = 20_000
OFFER = define(
    DISPATCH_AGENT,
    "Sends a sub-agent with a task. Answers at once with its execution_id; its result comes to you as a message. The"
    " same task for the same agent is done once.",
    {
        "name": {"type": "string", "description": "The name of the sub-agent."},
        "task": {
            "type": "string",
            "description": "All that it needs to know: what to look at, where, for which time, what to bring back.",
        },
    },
)


def _run(state: Investigating, call: ToolCallState) -> Sequence[e.Event]:
    """Never waits: the call ends in the decision that asks for it."""
    id, parent, stage = call.requested.call_id, caller_of(state, call), state.stage
    name, task = read_argument(call, "name"), read_argument(call, "task")
    child = find_sub_agent(state.started.chain, parent.agent, name)
    if child is None or stage is None:
        return [
            answer_call(id, "rejected", f"There is no sub-agent named {name!r}. You may send: {_names(state, parent)}.")
        ]
    if not task or len(task) > TASK_CHARACTERS:
        return [answer_call(id, "rejected", f"`task` has to have 1 to {TASK_CHARACTERS} characters.")]
    found, child_id = _find_run(state, parent, name, task)
    if found is not None:
        return [answer_call(id, "ok", _describe_duplicate(found))]
    if obstacle := find_obstacle(state, parent):
        return [answer_call(id, "rejected", obstacle)]
    started = start_child(state, stage, parent, child, id=child_id, task=task, at=call.requested_at)
    return [started, answer_call(id, "ok", f"{name} has begun. execution_id: {child_id}")]


def _find_run(state: Investigating, parent: Execution, name: str, task: str) -> tuple[Execution | None, str]:
    """Returns the run of this task that goes on or has completed, if any, and its id, or that of a new one."""
    attempt = 0
    while True:
        id = sub_execution_id(parent.id, name, task, attempt)
        run = state.executions.get(id)
        if run is None or run.completed is None or run.completed.status == "completed":
            return run, id
        attempt += 1


def _describe_duplicate(run: Execution) -> str:
    state = "still runs" if run.completed is None else "has completed, and you have its result"
    return f"You have given {run.agent.name} this task already. execution_id: {run.id}. It {state}."


def _names(state: Investigating, parent: Execution) -> str:
    return ", ".join(one.agent.name for one in list_sub_agents(state.started.chain, parent.agent))


TOOL = BuiltinTool(OFFER, offered_to=may_delegate, run=_run)
