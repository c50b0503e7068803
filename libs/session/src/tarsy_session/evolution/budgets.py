"""Evolution of budgets: what questions used, and what became of a limit. Pure; None for what makes no sense here.

While a budget waits for a person, the clock of its session stands.
"""

from dataclasses import replace
from datetime import datetime
from typing import assert_never

from tarsy_contracts import events as e
from tarsy_contracts.budgets import Amounts, Charge
from tarsy_contracts.conversation import Usage
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_session.evolution.clocks import begin_wait, end_wait
from tarsy_session.state import AtRest, BudgetState, Investigating

type BudgetEvent = e.BudgetWarned | e.BudgetReached | e.BudgetDecided
type Spender = e.LlmCallCompleted | e.LlmCallFailed | e.SummaryCompleted | e.SummaryFailed


def add_spending(state: Investigating, event: Spender) -> Investigating:
    """A call that was broken off counts, whatever is known of its tokens."""
    budgets = state.budgets
    spent = budgets.own_spending(event.execution_id)
    questions = _questions(event)
    if not questions:
        return state
    for usage, charge in questions:
        spent = spent.add(usage, charge)
    return replace(state, budgets=replace(budgets, spent={**budgets.spent, event.execution_id: spent}))


def _questions(event: Spender) -> list[tuple[Usage, Charge | None]]:
    if isinstance(event, e.LlmCallCompleted | e.LlmCallFailed):
        return [(event.usage, event.charge)]
    return [(one.usage, one.charge) for one in event.attempts]


def apply_budget_event(state: Investigating, event: BudgetEvent, record: RecordedEvent) -> Investigating | None:
    known = state.budgets.of(event.budget_id)
    match event:
        case e.BudgetWarned():
            if event.unpriced:
                noted = replace(known, unpriced=True)
            else:
                noted = replace(known, warned=known.warned | {event.resource})
            return _with_budget(state, event.budget_id, noted)
        case e.BudgetReached():
            asks = event.at_end == "ask"
            reached = replace(known, reached=event, since=record.appended_at, decided=None, waits=known.waits + asks)
            after = _with_budget(state, event.budget_id, reached)
            return begin_wait(after, record.appended_at) if asks else after
        case e.BudgetDecided():
            return _end_wait(with_decision(state, event), record.appended_at)
    assert_never(event)


def with_decision[S: Investigating | AtRest](state: S, event: e.BudgetDecided) -> S:
    """Also for a session at rest: people extend a budget to go on with questions."""
    known = state.budgets.of(event.budget_id)
    if event.outcome == "extended" or event.day_over:
        noted = BudgetState(extension=_add(known.extension, event.extension), waits=known.waits)
    else:
        noted = replace(known, decided=event)
    return replace(state, budgets=replace(state.budgets, met={**state.budgets.met, event.budget_id: noted}))


def _end_wait(state: Investigating, at: datetime) -> Investigating:
    """The iterations of agents that waited begin their time anew."""
    if state.budgets.wait_for_people:
        return state
    executions = {
        id: replace(one, deadline=None) if one.open and one.waiting_for is None else one
        for id, one in state.executions.items()
    }
    return end_wait(replace(state, executions=executions), at)


def _with_budget(state: Investigating, id: str, known: BudgetState) -> Investigating:
    budgets = replace(state.budgets, met={**state.budgets.met, id: known})
    return replace(state, budgets=budgets)


def _add(one: Amounts, other: Amounts) -> Amounts:
    return Amounts(
        tokens=one.tokens + other.tokens,
        money=one.money + other.money,
        seconds=one.seconds + other.seconds,
        calls=one.calls + other.calls,
    )
