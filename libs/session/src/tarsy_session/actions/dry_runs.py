"""Dry runs: a call that changes something is tried out first, where the operator said how. Pure.

Call and dry run come in one batch. While the dry run is open the call is owed by nobody, and nobody may approve it.
"""

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from tarsy_contracts import events as e
from tarsy_contracts.actions import DRY_RUN
from tarsy_contracts.argument_templates import apply_template
from tarsy_contracts.wire.ids import dry_run_id
from tarsy_session.actions.guard import Hold, hold_call
from tarsy_session.state import Execution, Investigating, ToolCallState
from tarsy_session.text import shorten

REASON_CHARACTERS = 4_000
FAILED = "Its dry run failed ({outcome}), so that the call was not made. What came back:\n\n{content}"
NO_ARGUMENT = "The operator wants a dry run first, and the tool has no argument {names}. The call was not made."


def find_template(execution: Execution, tool: e.OfferedTool) -> Mapping[str, JsonValue] | None:
    """How a call of the tool becomes harmless; None where it needs no dry run."""
    if tool.read_only:
        return None
    server = next((one for one in execution.agent.servers if one.server == tool.server), None)
    return None if server is None else server.dry_run.get(tool.tool)


def find_template_fault(tool: e.OfferedTool, template: Mapping[str, JsonValue]) -> Hold | None:
    """A server would ignore an argument that it does not know, and do the real thing."""
    known = tool.definition.input_schema.get("properties")
    missing = [name for name in template if not isinstance(known, dict) or name not in known]
    return Hold(DRY_RUN, NO_ARGUMENT.format(names=", ".join(missing))) if missing else None


def request_dry_run(call: e.ToolCallRequested, template: Mapping[str, JsonValue]) -> e.ToolCallRequested:
    """Harmless by the operator's word, and so repeatable."""
    return call.model_copy(
        update={
            "call_id": dry_run_id(call.call_id),
            "arguments": apply_template(call.arguments, template),
            "repeatable": True,
            "read_only": True,
            "number": 0,
            "dry_run_of": call.call_id,
        }
    )


def is_tried_out(state: Investigating, call: ToolCallState) -> bool:
    """Whether its dry run has not ended yet."""
    trial = state.calls.get(dry_run_id(call.requested.call_id))
    return trial is not None and trial.open


def may_run(state: Investigating, call: ToolCallState) -> bool:
    """Whether it waits neither for a person nor for its dry run."""
    return not call.waits_for_person and not is_tried_out(state, call)


def end_tried_calls(state: Investigating, execution: Execution) -> Sequence[e.Event]:
    """Ends calls whose dry run failed, and dry runs of calls that have ended."""
    if not any(server.dry_run for server in execution.agent.servers):
        return []
    return [
        event
        for trial in state.calls.values()
        if trial.requested.dry_run_of and trial.requested.execution_id == execution.id
        for event in _end(trial, state.calls[trial.requested.dry_run_of])
    ]


def _end(trial: ToolCallState, call: ToolCallState) -> list[e.Event]:
    if trial.completed is None:
        why = "the call that it tries out has ended"
        ended = e.ToolCallCompleted(call_id=trial.requested.call_id, outcome="cancelled", content=why)
        return [] if call.open else [ended]
    if not call.open or trial.completed.outcome == "ok":
        return []
    content = shorten(trial.completed.content, REASON_CHARACTERS)
    hold = Hold(DRY_RUN, FAILED.format(outcome=trial.completed.outcome, content=content))
    id = call.requested.call_id
    waited = [e.ToolCallApprovalDecided(call_id=id, outcome="cancelled")] if call.waits_for_person else []
    return [*waited, hold_call(id, hold)]
