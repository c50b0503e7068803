"""The outcome of a stage that acts, counted from its calls. No word of a model counts. Pure."""

from collections import Counter
from collections.abc import Iterator

from tarsy_contracts import events as e
from tarsy_contracts.actions import MOST_CALLS, PROPOSE, ActionCall, ActionOutcome, verdict_of
from tarsy_session.state import Investigating, Stage, ToolCallState


def outcome_of(state: Investigating, stage: Stage) -> ActionOutcome | None:
    """None for a stage that does not act. Calls that are open end with the stage."""
    if stage.started.stage_type != "action":
        return None
    calls = [_describe(call) for call in list_changing_calls(state, stage)]
    counts = Counter(call.result for call in calls)
    return ActionOutcome(
        verdict=verdict_of(
            done=counts["done"],
            unknown=counts["unknown"],
            proposed=counts["proposed"],
            others=counts["denied"] + counts["failed"],
        ),
        done=counts["done"],
        failed=counts["failed"],
        denied=counts["denied"],
        unknown=counts["unknown"],
        proposed=counts["proposed"],
        calls=tuple(calls[:MOST_CALLS]),
    )


def list_changing_calls(state: Investigating, stage: Stage) -> Iterator[ToolCallState]:
    """Calls to tools that are not read-only, of the stage's agents and of those that they sent, in their order."""
    of_stage = frozenset(one.id for one in state.all_executions_of(stage))
    return (
        call
        for call in state.calls.values()
        if call.requested.execution_id in of_stage and call.requested.read_only is False
    )


def _describe(call: ToolCallState) -> ActionCall:
    requested = call.requested
    return ActionCall(
        call_id=requested.call_id,
        server=requested.server,
        tool=requested.tool,
        result=_result(call),
        approved_by=_approver(call),
    )


def _result(call: ToolCallState) -> str:
    match call.completed:
        case None:
            return "unknown" if call.may_have_run else "denied" if call.waits_for_person else "failed"
        case e.ToolCallCompleted(outcome="ok"):
            return "done"
        case e.ToolCallCompleted(outcome="unknown"):
            return "unknown"
        case e.ToolCallCompleted(held_by=held_by) if held_by == PROPOSE:
            return "proposed"
        case e.ToolCallCompleted(outcome="rejected"):
            return "denied"
        case _:
            return "failed"


def _approver(call: ToolCallState) -> str:
    decided = None if call.approval is None else call.approval.decided
    return decided.author if decided is not None and decided.outcome == "approved" else ""
