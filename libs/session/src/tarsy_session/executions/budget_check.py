"""The question before every question to a model: whether the budgets that it counts to have anything left. Pure.

A budget that is used up is noted once, as an event in the place of the question. In the state that this makes the
question comes again, and is changed, dropped, or replaced by the end of its agent.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime

from tarsy_contracts import events as e
from tarsy_contracts.budgets import OF_EXECUTION, describe_spent
from tarsy_session.controllers import controller_of
from tarsy_session.decision_input import Spendings
from tarsy_session.downtime import Downtime
from tarsy_session.executions.accounts import Account, Met, is_covered, list_accounts
from tarsy_session.executions.end import end_execution
from tarsy_session.partial_analysis import compose_partial, has_evidence
from tarsy_session.state import Execution, Investigating

NICE_TO_HAVE = frozenset({"exec_summary", "compose"})
"""Types of stages for which nobody is asked to extend a budget."""


def keep_in_budget(
    state: Investigating, events: Sequence[e.Event], at: datetime, downtime: Downtime, spendings: Spendings
) -> Sequence[e.Event]:
    """The same events; questions only as far as budgets allow."""
    return list(_Check(state, at, downtime, spendings).keep(events))


class _Check:
    """One decision: what it has noted already, and how many questions begin with it."""

    def __init__(self, state: Investigating, at: datetime, downtime: Downtime, spendings: Spendings) -> None:
        self._state = state
        self._at = at
        self._downtime = downtime
        self._spendings = spendings
        self._noted: set[tuple[str, str]] = set()
        self._begun = 0

    def keep(self, events: Sequence[e.Event]) -> Iterator[e.Event]:
        for event in events:
            if isinstance(event, e.LlmCallRequested):
                yield from self._judge(event)
            else:
                yield event

    def _judge(self, event: e.LlmCallRequested) -> Iterator[e.Event]:
        execution = self._state.executions[event.execution_id]
        accounts = list(list_accounts(self._state, execution, self._at, self._spendings))
        for account in accounts:
            if account.known.reached is None and (met := self._find_met(account)):
                yield from self._note_reached(execution, account, met[0])
                return
        if any(account.known.waits_for_person for account in accounts):
            return
        if any(account.known.has_ended for account in accounts):
            yield self._end(execution, event, accounts)
            return
        for account in accounts:
            yield from self._warn(execution, account)
        self._begun += 1
        yield event

    def _find_met(self, account: Account) -> list[Met]:
        return account.find_met(self._at, self._downtime, more_calls=self._begun)

    def _note_reached(self, execution: Execution, account: Account, met: Met) -> Iterator[e.BudgetReached]:
        if not self._note(account.id, "reached"):
            return
        terms, at_end = self._state.started.chain.approval, account.budget.at_end
        asks = at_end == "ask" and execution.stage_type not in NICE_TO_HAVE
        yield e.BudgetReached(
            budget_id=account.id,
            budget=account.budget,
            execution_id=execution.id,
            resource=met.resource,
            spent=met.spent,
            limit=met.limit,
            spending=account.spending,
            at_end="conclude" if at_end == "ask" and not asks else at_end,
            role=terms.role if asks else "",
            timeout_seconds=terms.timeout_seconds if asks else 0.0,
        )

    def _warn(self, execution: Execution, account: Account) -> Iterator[e.BudgetWarned]:
        known, soft = account.known, account.budget.soft_percent
        met = account.find_met(self._at, self._downtime, percent=soft) if soft else []
        for one in met:
            if one.resource not in known.warned and self._note(account.id, one.resource):
                yield _warning(execution, account, one)
        unpriced = account.budget.money and account.spending.unpriced and not known.unpriced
        if unpriced and self._note(account.id, "unpriced"):
            one = Met("money", account.spending.cost, account.budget.money)
            yield _warning(execution, account, one).model_copy(update={"unpriced": True})

    def _note(self, id: str, what: str) -> bool:
        """Whether it is the first time in this decision."""
        first = (id, what) not in self._noted
        self._noted.add((id, what))
        return first

    def _end(self, execution: Execution, event: e.LlmCallRequested, accounts: Sequence[Account]) -> e.Event:
        """An agent that has asked nothing yet has nothing to conclude from."""
        stops = any(account.known.stops for account in accounts)
        if execution.turns and not stops:
            asks_once = controller_of(execution.agent.controller).asks_once
            changes = {"reason": e.BUDGET} if asks_once else {"reason": e.BUDGET, "purpose": "conclusion"}
            return event.model_copy(update=changes)
        reason = explain_end(self._state, execution)
        if not has_evidence(execution):
            return end_execution(execution, "failed", error=reason)
        analysis = compose_partial(self._state, execution, reason)
        return end_execution(execution, "completed", final_analysis=analysis, partial_reason=reason)


def _warning(execution: Execution, account: Account, met: Met) -> e.BudgetWarned:
    return e.BudgetWarned(
        budget_id=account.id,
        budget=account.budget,
        execution_id=execution.id,
        resource=met.resource,
        spent=met.spent,
        limit=met.limit,
        spending=account.spending,
    )


def explain_end(state: Investigating, execution: Execution | None = None) -> str:
    """Why no question may begin, of this agent or in this session; empty while one may."""
    for id, known in state.budgets.met.items():
        if known.reached is None or not known.has_ended:
            continue
        covered = not id.startswith(OF_EXECUTION) if execution is None else is_covered(state, execution, id)
        if covered:
            met = known.reached
            return f"{e.BUDGET}: {describe_spent(id, met.resource, met.spent, met.limit)}"
    return ""
