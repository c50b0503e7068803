"""Accounts: each budget that a question of an agent counts to, with what was used of it. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from tarsy_contracts.budgets import OF_EXECUTION, SESSION, Budget, Resource, Spending, find_day, sum_spendings
from tarsy_session.decision_input import NO_SPENDINGS, Spendings
from tarsy_session.downtime import NO_DOWNTIME, Downtime
from tarsy_session.executions.children import ancestors_of
from tarsy_session.state import AtRest, BudgetState, Execution, Investigating


@dataclass(frozen=True, slots=True)
class Met:
    """A limit that was met."""

    resource: Resource
    spent: float
    limit: float


@dataclass(frozen=True, slots=True)
class Account:
    """`budget`: with its extensions. `open_calls`: questions that are under way. `since`: when its time began; the time
    for which it waited for people does not count.
    """

    id: str
    budget: Budget
    known: BudgetState
    spending: Spending
    open_calls: int = 0
    since: datetime | None = None
    waited: timedelta = timedelta()

    def find_met(self, at: datetime, downtime: Downtime, *, percent: int = 100, more_calls: int = 0) -> list[Met]:
        """The limits of which so much is used. `more_calls`: questions that begin before this one."""
        return [
            Met(resource, self._spent(resource, at), limit)
            for resource, limit in self.budget.list_limits()
            if self._has_met(resource, limit * percent / 100, at, downtime, more_calls)
        ]

    def _has_met(self, resource: Resource, limit: float, at: datetime, downtime: Downtime, more_calls: int) -> bool:
        if resource != "time":
            more = self.open_calls + more_calls if resource == "calls" else 0
            return self._spent(resource, at) + more >= limit
        if self.since is None:
            return False
        return downtime.has_passed(self.since, self.since + self.waited + timedelta(seconds=limit), at)

    def _spent(self, resource: Resource, at: datetime) -> float:
        if resource != "time":
            return self.spending.amount_of(resource)
        return 0.0 if self.since is None else max(0.0, (at - self.since - self.waited).total_seconds())


def list_accounts(state: Investigating, execution: Execution, at: datetime, spendings: Spendings) -> Iterator[Account]:
    """From the agent's own to the day's. An agent or a session without a budget has no account."""
    chain, budgets = state.started.chain, state.budgets
    for one in (execution, *ancestors_of(state, execution)):
        if one.agent.budget.is_set:
            id = f"{OF_EXECUTION}{one.id}"
            below = [each for each in state.executions.values() if each is one or one in ancestors_of(state, each)]
            yield Account(
                id,
                one.agent.budget.extend(budgets.of(id).extension),
                budgets.of(id),
                sum_spendings(budgets.own_spending(each.id) for each in below),
                sum(each.waiting_for is not None for each in below),
                one.began_at,
                state.life.waited - one.waited_before,
            )
    if chain.budget.is_set:
        yield Account(
            SESSION,
            chain.budget.extend(budgets.of(SESSION).extension),
            budgets.of(SESSION),
            budgets.total,
            sum(each.waiting_for is not None for each in state.executions.values()),
            state.life.began_at,
            state.life.waited,
        )
    if chain.day_budgets.budgets:
        day = find_day(at, chain.day_budgets.time_zone)
        for scoped in chain.day_budgets.budgets:
            id = f"{day}/{scoped.scope}"
            budget = scoped.budget.extend(budgets.of(id).extension)
            yield Account(id, budget, budgets.of(id), spendings.of_day(day, scoped.scope))


def find_budget(state: Investigating | AtRest, budget_id: str) -> Budget | None:
    """The budget of this id with its extensions; None where the plan has none."""
    if state.started is None:
        return None
    chain, id = state.started.chain, budget_id
    if id == SESSION:
        budget = chain.budget
    elif id.startswith(OF_EXECUTION):
        execution = state.executions.get(id.removeprefix(OF_EXECUTION))
        budget = Budget() if execution is None else execution.agent.budget
    else:
        scope = id.partition("/")[2]
        budget = next((one.budget for one in chain.day_budgets.budgets if one.scope == scope), Budget())
    return budget.extend(state.budgets.of(id).extension) if budget.is_set else None


def find_spent_budget(state: Investigating, execution: Execution) -> str:
    """The id of a budget of the agent, or of its session, that has nothing left; empty where all have."""
    for id, known in state.budgets.met.items():
        if known.reached is not None and is_covered(state, execution, id):
            return id
    accounts = list_accounts(state, execution, execution.began_at, NO_SPENDINGS)
    return next((one.id for one in accounts if one.find_met(execution.began_at, NO_DOWNTIME)), "")


def is_covered(state: Investigating, execution: Execution, budget_id: str) -> bool:
    """Whether questions of the agent count to this budget."""
    if not budget_id.startswith(OF_EXECUTION):
        return True
    id = budget_id.removeprefix(OF_EXECUTION)
    return id == execution.id or any(one.id == id for one in ancestors_of(state, execution))
