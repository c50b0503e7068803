"""Deadlines of calls, iterations, cancelled sessions and sessions, and what ends at them. Pure.

Deadlines count from the broker's stamps of the log, and have passed when the broker's stamp of an input says so.
Downtime (downtime.py) does not count: neither for calls nor for iterations, sessions, and those that are cancelled.
While a call waits for a person, its session and the iteration of its agent have no deadline; the wait has its own.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from tarsy_contracts import events as e
from tarsy_contracts.budgets import find_day_end, find_day_of
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.wire.ids import (
    approval_id,
    budget_wait_id,
    execution_time_id,
    iteration_id,
    time_budget_id,
    verification_wait_id,
)
from tarsy_session.actions.dry_runs import may_run
from tarsy_session.actions.verification import find_wait, request_verification
from tarsy_session.decisions.approvals import expire
from tarsy_session.downtime import Downtime
from tarsy_session.executions.children import waits_for_children
from tarsy_session.executions.end import (
    UNKNOWN,
    UnfinishedAnswers,
    close_execution,
    close_question,
    end_may_have_run,
)
from tarsy_session.llm_failures import ITERATION_TIMEOUT, SESSION_TIMEOUT
from tarsy_session.state import Execution, Investigating, ToolCallState
from tarsy_session.state_queries import call_of_summary, calls_waiting_for_person, waits_for_person
from tarsy_session.summary_outcomes import fail_summary
from tarsy_session.termination import time_out
from tarsy_session.time_budget import (
    NEARLY_UP,
    agents_with_tools,
    find_child_time,
    find_tool_time,
    may_call_tools,
)

CANCEL_GRACE = timedelta(seconds=1)
"""Time that a cancelled session waits for the outcome of calls that may have taken effect."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """`id` is what `deadline.passed` names."""

    id: str
    since: datetime
    at: datetime


def list_deadlines(state: Investigating) -> Iterator[Deadline]:
    """Yields those of the session, of its agents' tools, of its iterations, and of calls that wait for a person."""
    if state.cancelled is not None:
        yield Deadline(state.session_id, state.cancelled.at, state.cancelled.at + CANCEL_GRACE)
        return
    began_at = state.life.began_at
    if began_at is not None and state.life.waiting_since is None:
        end = began_at + timedelta(seconds=state.life.seconds) + state.life.waited
        yield Deadline(state.session_id, began_at, end)
    if (time := find_tool_time(state)) is not None and agents_with_tools(state):
        yield Deadline(time_budget_id(state.session_id), time.since, time.end)
    for execution in state.executions.values():
        yield from _of_child(state, execution)
        since, end_of_iteration = execution.iteration_since, execution.deadline
        if not execution.open or since is None or end_of_iteration is None:
            continue
        if not waits_for_person(state, execution) and not waits_for_children(state, execution):
            yield Deadline(iteration_id(execution.id, execution.iteration), since, end_of_iteration)
    if state.stage is not None and (wait := find_wait(state, state.stage)) is not None:
        yield Deadline(verification_wait_id(state.stage.started.stage_id), *wait)
    yield from _of_people(state)


def _of_people(state: Investigating) -> Iterator[Deadline]:
    """Yields the ends of waits for a person: who decides about a call, or about a budget."""
    for call in calls_waiting_for_person(state):
        if call.approval is not None:
            yield Deadline(approval_id(call.requested.call_id), call.approval.since, call.approval.deadline)
    for id, known in state.budgets.met.items():
        if known.since is not None and known.wait_end is not None:
            end = min(known.wait_end, _find_day_end(state, id) or known.wait_end)
            yield Deadline(budget_wait_id(state.session_id, id, known.waits), known.since, end)


def _find_day_end(state: Investigating, budget_id: str) -> datetime | None:
    """When the day of a day's budget is over; None for another one."""
    day = find_day_of(budget_id)
    return find_day_end(day, state.started.chain.day_budgets.time_zone) if day else None


def _of_child(state: Investigating, execution: Execution) -> Iterator[Deadline]:
    """Yields when a sub-agent loses its tools, and when its time is up."""
    time = find_child_time(state, execution) if execution.open else None
    if time is None:
        return
    if time.tools_end < time.end and may_call_tools(state, execution):
        yield Deadline(time_budget_id(execution.id), time.since, time.tools_end)
    yield Deadline(execution_time_id(execution.id), time.since, time.end)


def decide_deadline(state: Investigating, noticed: i.DeadlinePassed, at: datetime, downtime: Downtime) -> list[e.Event]:
    """The deadline is that of a call, a summary, an iteration, a wait for a person, the tools, or the session."""
    id, unfinished = noticed.call_id, {one.llm_call_id: one for one in noticed.unfinished}
    if (call := state.calls.get(id)) is not None:
        return _call(state, call, at, downtime)
    if (call := call_of_summary(state.calls, id)) is not None:
        return _summary(call, at, downtime)
    found = next((one for one in list_deadlines(state) if one.id == id), None)
    if found is None or not downtime.has_passed(found.since, found.at, at):
        return []
    if any(one.id == id for one in _of_people(state)):
        return _expire(state, id, at)
    if state.stage is not None and id == verification_wait_id(state.stage.started.stage_id):
        return list(request_verification(state, state.stage))
    if id == time_budget_id(state.session_id):
        return [event for one in agents_with_tools(state) for event in _take_tools(state, one, unfinished)]
    if (child := _child(state, id)) is not None:
        return _end_child(state, child, id, unfinished)
    if id != state.session_id:
        return _iteration(state, id, unfinished)
    if state.cancelled is None:
        return time_out(state, unfinished)
    return list(end_may_have_run(state.calls.values(), f"Cancelled by {state.cancelled.author}."))


def _child(state: Investigating, id: str) -> Execution | None:
    """The sub-agent whose deadline this is."""
    children = (one for one in state.executions.values() if one.open and one.parent_id)
    return next((one for one in children if id in (time_budget_id(one.id), execution_time_id(one.id))), None)


def _end_child(state: Investigating, child: Execution, id: str, unfinished: UnfinishedAnswers) -> list[e.Event]:
    if id == time_budget_id(child.id):
        return _take_tools(state, child, unfinished)
    error = "the time of the sub-agent was up"
    return list(close_execution(state, child, "timed_out", error, SESSION_TIMEOUT, unfinished))


def _expire(state: Investigating, id: str, at: datetime) -> list[e.Event]:
    """Nobody decided in time. Agents whose budget nobody extended conclude, or have that of the next day."""
    if (call := _waiting(state, id)) is not None:
        return expire(state, call)
    met = state.budgets.met.items()
    ids = [one for one, known in met if budget_wait_id(state.session_id, one, known.waits) == id]
    return [e.BudgetDecided(budget_id=one, outcome="expired", day_over=_is_day_over(state, one, at)) for one in ids]


def _is_day_over(state: Investigating, budget_id: str, at: datetime) -> bool:
    end = _find_day_end(state, budget_id)
    return end is not None and end <= at


def _waiting(state: Investigating, id: str) -> ToolCallState | None:
    return next((call for call in calls_waiting_for_person(state) if approval_id(call.requested.call_id) == id), None)


def _call(state: Investigating, call: ToolCallState, at: datetime, downtime: Downtime) -> list[e.Event]:
    if not call.open or not may_run(state, call) or not downtime.has_passed(call.requested_at, call.deadline, at):
        return []
    return [_given_up(call, f"No result after {call.requested.timeout_seconds:g} seconds.")]


def _given_up(call: ToolCallState, why: str) -> e.ToolCallCompleted:
    call_id = call.requested.call_id
    if call.may_have_run:
        return e.ToolCallCompleted(call_id=call_id, outcome="unknown", content=f"{why} {UNKNOWN}")
    return e.ToolCallCompleted(call_id=call_id, outcome="unavailable", content=why)


def _summary(call: ToolCallState, at: datetime, downtime: Downtime) -> list[e.Event]:
    summary = call.summary
    if summary is None or summary.ended is not None:
        return []
    if not downtime.has_passed(summary.requested_at, summary.deadline, at):
        return []
    return [fail_summary(call, summary, f"no summary after {summary.requested.timeout_seconds:g} seconds")]


def _iteration(state: Investigating, id: str, unfinished: UnfinishedAnswers) -> list[e.Event]:
    """Ends the LLM call, or else the tool calls that it led to; the agent goes on with what it has."""
    execution = next(one for one in state.executions.values() if iteration_id(one.id, one.iteration) == id)
    seconds = state.started.chain.limits.iteration_seconds
    error = f"the iteration took longer than {seconds:g} seconds"
    question = list(close_question(state, execution, error, ITERATION_TIMEOUT, unfinished, retryable=True))
    return [*question, *_calls(state, execution, f"{error[:1].upper()}{error[1:]}.")]


def _take_tools(state: Investigating, execution: Execution, unfinished: UnfinishedAnswers) -> list[e.Event]:
    """Ends what could lead to further calls; the agent is asked to conclude."""
    question = close_question(state, execution, NEARLY_UP, e.TIME_BUDGET, unfinished, retryable=True)
    return [*question, *_calls(state, execution, f"{NEARLY_UP[:1].upper()}{NEARLY_UP[1:]}.")]


def _calls(state: Investigating, execution: Execution, why: str) -> Sequence[e.Event]:
    calls = [state.calls[call_id] for call_id in execution.turns[-1].calls] if execution.turns else []
    events: list[e.Event] = []
    for call in calls:
        if call.open:
            events.append(_given_up(call, why))
        elif call.summary is not None and call.summary.ended is None:
            events.append(fail_summary(call, call.summary, why))
    return events
