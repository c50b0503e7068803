"""Report of budgets: each that is configured, with what was spent of it today. Pure."""

from collections.abc import Callable, Iterator
from datetime import datetime
from math import ceil

from tarsy_contracts.api.budgets import BudgetLimit, BudgetReport, BudgetStatus, LimitState
from tarsy_contracts.budgets import (
    DAY,
    SESSION,
    Budget,
    ConfiguredBudgets,
    Resource,
    Spending,
    find_day,
    find_day_end,
)
from tarsy_contracts.wire.envelope import wire_time

STATES: tuple[LimitState, ...] = ("below", "warned", "met")


def compose_budget_report(
    configured: ConfiguredBudgets, spent_of: Callable[[str, str], Spending], at: datetime, *, sees_all: bool
) -> BudgetReport:
    """`spent_of`: of a scope in a day. A caller who sees some sessions is told of the shared budget only."""
    zone = configured.days.time_zone
    day = find_day(at, zone)
    budgets = [
        _describe(one.scope, one.budget, spent_of(day, one.scope) if sees_all or one.scope == DAY else None)
        for one in configured.days.budgets
    ]
    budgets += [
        _describe(f"{SESSION}/{chain}" if chain else SESSION, budget, None)
        for chain, budget in configured.sessions.items()
    ]
    return BudgetReport(day=day, time_zone=zone, resets_at=wire_time(find_day_end(day, zone)), budgets=tuple(budgets))


def _describe(scope: str, budget: Budget, spent: Spending | None) -> BudgetStatus:
    limits = tuple(_list_limits(budget, spent))
    states = [one.state for one in limits if one.state is not None]
    return BudgetStatus(
        scope=scope,
        at_end=budget.at_end,
        limits=limits,
        state=None if spent is None else max(states, key=STATES.index, default="below"),
        calls=None if spent is None else spent.calls,
        unpriced_calls=None if spent is None else spent.unpriced,
    )


def _list_limits(budget: Budget, spent: Spending | None) -> Iterator[BudgetLimit]:
    for resource, limit in budget.list_limits():
        soft = _find_soft_limit(resource, limit, budget.soft_percent) if budget.soft_percent else None
        used = None if spent is None else spent.amount_of(resource)
        yield BudgetLimit(
            resource=resource, limit=limit, soft_limit=soft, spent=used, state=_find_state(used, soft, limit)
        )


def _find_soft_limit(resource: Resource, limit: float, percent: int) -> float:
    """Tokens and calls come whole."""
    part = limit * percent / 100
    return part if resource == "money" else float(ceil(part))


def _find_state(spent: float | None, soft: float | None, limit: float) -> LimitState | None:
    if spent is None:
        return None
    if spent >= limit:
        return "met"
    return "warned" if soft is not None and spent >= soft else "below"
