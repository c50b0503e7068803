"""The API for people and the page: what was used today of each budget that is configured."""

from collections.abc import Awaitable, Callable
from datetime import datetime

from fastapi import APIRouter

from tarsy_bus.readers.day_spendings import DaySpendings
from tarsy_contracts.api.budgets import BudgetReport
from tarsy_contracts.budgets import ConfiguredBudgets
from tarsy_service.http.described_routes import INVALID, describe_answers
from tarsy_service.http.problems import ProblemError
from tarsy_timeline.api.caller_groups import CallerGroups
from tarsy_timeline.api.route_words import NO_CATALOG
from tarsy_timeline.system.budget_report import compose_budget_report

NOT_CONFIGURED = "The ingest, which has the configuration, has not answered yet. Try again."


def budget_report_route(
    budgets: Callable[[], ConfiguredBudgets | None],
    spendings: Callable[[], Awaitable[DaySpendings]],
    now: Callable[[], datetime],
) -> APIRouter:
    """`budgets`: those of the configuration; None before it is known. `spendings`: raises ProblemError while unread."""
    router = APIRouter(prefix="/api/v1", tags=["budgets"])

    @router.get(
        "/budgets",
        summary="The budgets that are configured, and what is spent of them today",
        responses=describe_answers(
            "Each budget with its limits.", {400: INVALID, 503: f"{NOT_CONFIGURED} {NO_CATALOG}"}
        ),
    )
    async def report_budgets(groups: CallerGroups) -> BudgetReport:
        """Each budget with its limits, what is spent of them today, and when that begins anew. Callers who are limited
        to session groups are not told what chains and teams have spent."""
        configured = budgets()
        if configured is None:
            raise ProblemError(503, "Not there yet", NOT_CONFIGURED)
        spent = await spendings()
        return compose_budget_report(configured, spent.of_day, now(), sees_all=groups is None)

    return router
