"""What follows from an input: the events to append. Pure; nothing when the input has been decided already.

A decision is what the input itself brings, and then whatever follows by itself in the state that this makes
(consequences.py), until nothing more does.
"""

from typing import assert_never

from tarsy_contracts import events as e
from tarsy_contracts import inputs as i
from tarsy_contracts.identities import execution_id, stage_id
from tarsy_orchestrator.consequences import consequences
from tarsy_orchestrator.decide_calls import (
    call_claimed,
    call_released,
    call_reported,
    deadline_passed,
    outcome_learned,
    summarised,
    worker_died,
)
from tarsy_orchestrator.decide_llm import llm_answered
from tarsy_orchestrator.given import Given
from tarsy_orchestrator.imagine import imagine
from tarsy_orchestrator.prompts import compose_prompt, compose_system
from tarsy_orchestrator.state import Absent, Beyond, Ended, Investigating, State

REPEATS_NOTED = 50


def decide(session_id: str, state: State, given: Given) -> list[e.Event]:
    """Never raises. `[]` also for what comes too late, or makes no sense in this state."""
    if given.offset is not None and given.offset <= state.decided:
        return []
    events = _direct(session_id, state, given)
    after = state
    for event in events:
        after = imagine(session_id, after, event, given)
    while events and (more := consequences(after)):
        for event in more:
            after = imagine(session_id, after, event, given)
        events = [*events, *more]
    return events


def _direct(session_id: str, state: State, given: Given) -> list[e.Event]:
    match state:
        case Absent():
            return _start(session_id, given)
        case Investigating():
            return _investigating(state, given)
        case Ended():
            return _ended(state, given)
        case Beyond():
            return []
    assert_never(state)


def _start(session_id: str, given: Given) -> list[e.Event]:
    if not isinstance(given.input, i.AlertReceived) or given.chain is None:
        return []
    stage = given.chain.stages[0]
    return [
        e.SessionStarted(input_id=given.input_id, alert=given.input.alert, chain=given.chain),
        e.StageStarted(stage_id=stage_id(session_id, 1), index=1, name=stage.name),
    ]


def _investigating(state: Investigating, given: Given) -> list[e.Event]:  # noqa: C901 - one case an input
    match given.input:
        case i.AlertReceived():
            return _repeated(state, given.input, given.input_id)
        case i.ToolsOffered():
            return _begin(state, given.input)
        case i.LlmCallReported():
            return llm_answered(state, given.input)
        case i.CallClaimed():
            return call_claimed(state, given.input)
        case i.CallNotStarted():
            return call_released(state, given.input.call_id, given.input.claim_id, given.input.reason)
        case i.ToolCallReported():
            return call_reported(state, given.input)
        case i.SummaryReported():
            return summarised(state, given.input)
        case i.WorkerDied():
            return worker_died(state, given.input)
        case i.DeadlinePassed():
            return deadline_passed(state, given)
        case i.CancelRequested():
            return _cancelled(state, given.input)
    assert_never(given.input)


def _ended(state: Ended, given: Given) -> list[e.Event]:
    match given.input:
        case i.AlertReceived():
            return _repeated(state, given.input, given.input_id)
        case i.ToolCallReported():
            return outcome_learned(state.calls.get(given.input.call_id), given.input)
        case i.CancelRequested():
            if given.input.request_id in state.answers:
                return []
            return [_refused(given.input, 409, "the session has already ended")]
        case _:
            return []


def _repeated(state: Investigating | Ended, received: i.AlertReceived, input_id: str) -> list[e.Event]:
    known = input_id == state.started.input_id or input_id in state.repeats
    if known or len(state.repeats) >= REPEATS_NOTED:
        return []
    return [e.AlertRepeated(input_id=input_id, source=received.alert.source)]


def _begin(state: Investigating, offered: i.ToolsOffered) -> list[e.Event]:
    stage = state.stage
    if stage is None or stage.stage_id != offered.stage_id or state.execution is not None or state.cancelled_by:
        return []
    agent = state.started.chain.stages[0].agents[0]
    started = e.ExecutionStarted(
        execution_id=execution_id(stage.stage_id, 1),
        stage_id=stage.stage_id,
        agent=agent.name,
        index=1,
        system=compose_system(agent, offered.unavailable_servers),
        prompt=compose_prompt(state.started.alert),
        tools=offered.tools,
        unavailable_servers=offered.unavailable_servers,
    )
    return [started]


def _cancelled(state: Investigating, asked: i.CancelRequested) -> list[e.Event]:
    if asked.request_id in state.answers:
        return []
    if state.cancelled_by is not None:
        return [_refused(asked, 409, f"the session is being cancelled already, by {state.cancelled_by}")]
    return [e.RequestAccepted(request_id=asked.request_id, request=e.CANCEL, author=asked.author)]


def _refused(asked: i.CancelRequested, code: int, reason: str) -> e.RequestRefused:
    return e.RequestRefused(
        request_id=asked.request_id, request=e.CANCEL, author=asked.author, code=code, reason=reason
    )
