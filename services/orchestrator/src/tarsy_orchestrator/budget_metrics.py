"""Metrics of budgets: which were nearly used up, used up, extended, and given up."""

from prometheus_client import CollectorRegistry, Counter

from tarsy_contracts.budgets import OF_EXECUTION
from tarsy_contracts.events import BudgetDecided, BudgetReached, BudgetWarned, Event

KINDS = ("execution", "session", "day")
STEPS = ("warned", "reached", "extended", "concluded", "expired")


class BudgetMetrics:
    def __init__(self, registry: CollectorRegistry) -> None:
        self._steps = Counter(
            "tarsy_orchestrator_budgets_total",
            "Budgets of sessions here that were nearly used up, used up, extended, or not extended",
            ["budget", "step"],
            registry=registry,
        )
        for kind in KINDS:
            for step in STEPS:
                self._steps.labels(kind, step)

    def record_event(self, event: Event | None) -> None:
        match event:
            case BudgetWarned():
                self._steps.labels(_kind(event.budget_id), "warned").inc()
            case BudgetReached():
                self._steps.labels(_kind(event.budget_id), "reached").inc()
            case BudgetDecided():
                self._steps.labels(_kind(event.budget_id), event.outcome).inc()
            case _:
                pass


def _kind(budget_id: str) -> str:
    if budget_id.startswith(OF_EXECUTION):
        return "execution"
    return "day" if "/" in budget_id else "session"
