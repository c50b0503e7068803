"""The API for people and the page: tokens and their cost, and how sessions ended."""

from collections.abc import Callable

from fastapi import APIRouter

from tarsy_contracts.api.calibration import CalibrationReport
from tarsy_contracts.api.usage import OutcomeReport, UsageReport
from tarsy_contracts.prices import ModelPrices
from tarsy_service.http.described_routes import describe_answers
from tarsy_timeline.api.caller_groups import CallerGroups
from tarsy_timeline.api.route_words import READING
from tarsy_timeline.queries.calibration import calibration_report
from tarsy_timeline.queries.outcome_report import outcome_report
from tarsy_timeline.queries.session_queries import SessionQueries
from tarsy_timeline.queries.usage_queries import AskedDays, AskedUsage
from tarsy_timeline.queries.usage_report import usage_report


def usage_routes(queries: SessionQueries, prices: Callable[[], ModelPrices]) -> APIRouter:
    """`prices`: those that hold now."""
    router = APIRouter(prefix="/api/v1", tags=["usage"])

    @router.get(
        "/usage",
        summary="Tokens and their cost, by chain, model or day",
        responses=describe_answers("What sessions have used in these days.", READING),
    )
    async def report_usage(wanted: AskedUsage, groups: CallerGroups) -> UsageReport:
        """Tokens and cost by chain, model or day, of sessions that are not deleted, by what their
        models cost on their days, as the configuration says now."""
        current = prices()
        return usage_report(wanted.by, await queries.usage(wanted, groups, current), current)

    @router.get(
        "/calibration",
        summary="How well judges and analyses knew what people found afterwards",
        responses=describe_answers("Forecasts against the ratings of these days.", READING),
    )
    async def report_calibration(wanted: AskedDays, groups: CallerGroups) -> CalibrationReport:
        """Scores of judges, and the `Confidence:` of analyses, against what people said of them in these days."""
        return calibration_report(await queries.ratings(wanted, groups))

    @router.get(
        "/usage/outcomes",
        summary="How sessions ended, by day, alert type and hour of the week",
        responses=describe_answers("Sessions whose alerts came in these days.", READING),
    )
    async def report_outcomes(wanted: AskedDays, groups: CallerGroups) -> OutcomeReport:
        """How many sessions were completed, failed or were cancelled, and how long completed ones took."""
        return outcome_report(await queries.outcomes(wanted, groups))

    return router
