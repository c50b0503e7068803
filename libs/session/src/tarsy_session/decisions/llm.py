"""Decisions on a model's answer or failure. Pure. The transitions that follow by themselves: transitions.py."""

from datetime import datetime

from tarsy_contracts import events as e
from tarsy_contracts.chain import NativeTool
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.thoughts import part_thoughts
from tarsy_contracts.wire.same_fields import copy_fields
from tarsy_session.controllers import controller_of, describe_unknown_controller
from tarsy_session.decision_input import NO_SPENDINGS, OPEN_GATE, ActionGate, Spendings
from tarsy_session.decisions.agent_calls import request_calls
from tarsy_session.executions.charges import charge_call
from tarsy_session.state import Execution, Investigating
from tarsy_session.state.sources import number_calls, number_report
from tarsy_session.tools.offered_names import with_offered_names


def decide_llm_report(
    state: Investigating,
    reported: i.LlmCallReported,
    at: datetime,
    gate: ActionGate = OPEN_GATE,
    spendings: Spendings = NO_SPENDINGS,
) -> list[e.Event]:
    execution = _waiting(state, reported.llm_call_id)
    if execution is None or execution.waiting_for is None:
        return []
    requested = execution.waiting_for.requested
    provider = requested.llm_provider or execution.llm_provider
    charge = charge_call(state, reported.model, provider, at, spendings)
    problem = describe_unknown_controller(execution.agent.controller)
    if reported.error or problem:
        failed = copy_fields(
            e.LlmCallFailed,
            reported,
            execution_id=requested.execution_id,
            error=problem or reported.error,
            native_calls=number_calls(state, reported.native_calls),
            charge=charge,
        )
        return [failed]
    reported = _without_thoughts(number_report(state, reported))
    controller, concluding = controller_of(execution.agent.controller), requested.purpose == "conclusion"
    interpretation = controller.interpret(reported, execution.tools, concluding=concluding)
    calls = with_offered_names(interpretation.tool_calls, execution.tools)
    completed = copy_fields(
        e.LlmCallCompleted,
        reported,
        execution_id=requested.execution_id,
        text=interpretation.text,
        tool_calls=calls,
        # It repeats the text and the calls, and an answer that was cut or renamed has others.
        opaque=None
        if interpretation.text != reported.text or interpretation.cut or calls != interpretation.tool_calls
        else reported.opaque,
        final_answer=interpretation.final_answer,
        reminder=interpretation.reminder,
        native_tools_left_out=_left_out(execution, reported),
        charge=charge,
    )
    return [completed, *request_calls(state, execution, completed, reported.unreadable_calls, at, gate)]


def _left_out(execution: Execution, reported: i.LlmCallReported) -> tuple[NativeTool, ...]:
    """People are told once, and again when it changes."""
    left_out = reported.native_tools_left_out
    return () if left_out == execution.native_tools_left_out else left_out


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
