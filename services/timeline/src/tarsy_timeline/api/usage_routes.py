"""The API for people and the page: tokens and their cost, and how sessions ended."""

from collections.abc import Callable

from fastapi import APIRouter

from tarsy_contracts.api.calibration import CalibrationReport
from tarsy_contracts.api.usage import OutcomeReport, PriceHistory, UsageReport, UsageSeries
from tarsy_contracts.api.usage_summary import UsageSummary
from tarsy_contracts.prices import ModelPrices
from tarsy_service.http.described_routes import describe_answers
from tarsy_service.http.problems import ProblemError
from tarsy_timeline.api.caller_groups import CallerGroups
from tarsy_timeline.api.route_words import READING
from tarsy_timeline.queries.calibration import calibration_report
from tarsy_timeline.queries.outcome_report import outcome_report
from tarsy_timeline.queries.price_history import price_history
from tarsy_timeline.queries.usage_queries import AskedDays, AskedUsage, UsageQuery
from tarsy_timeline.queries.usage_reads import UsageReads
from tarsy_timeline.queries.usage_report import usage_report, usage_series
from tarsy_timeline.queries.usage_summary import usage_summary
from tarsy_timeline.queries.usage_summary_query import AskedSummary


def usage_routes(reads: UsageReads, prices: Callable[[], ModelPrices]) -> APIRouter:
    """`prices`: those that hold now."""
    router = APIRouter(prefix="/api/v1", tags=["usage"])

    @router.get(
        "/usage",
        summary="Tokens and their cost, by day, chain, model, alert type, team or tool server",
        responses=describe_answers("What sessions have used in these days.", READING),
    )
    async def report_usage(wanted: AskedUsage, groups: CallerGroups) -> UsageReport:
        """Tokens and cost by chain, model, day ..., of sessions that are not deleted, by what their
        models cost on their days, as the configuration says now."""
        current = prices()
        return usage_report(wanted.by, await reads.usage(wanted, groups, current), current)

    @router.get(
        "/usage/series",
        summary="Tokens and their cost by day, apart for what uses most",
        responses=describe_answers("What was used on each of these days.", READING),
    )
    async def report_series(wanted: AskedUsage, groups: CallerGroups) -> UsageSeries:
        """Tokens and cost of each day, by the chains, models, teams ... that used most, and of all others."""
        return usage_series(wanted.by, await reads.usage_series(wanted, groups), prices())

    @router.get(
        "/usage/summary",
        summary="Tokens and their cost, in the shape of Go TARSy",
        responses=describe_answers("What sessions have used in this window.", READING),
    )
    async def report_summary(wanted: AskedSummary, groups: CallerGroups) -> UsageSummary:
        """Tokens and cost of all, and by model, alert type, chain, and the sessions that used most."""
        current = prices()
        if wanted.rank_by == "cost" and not current:
            raise ProblemError(400, "No prices", "No model has a price, so nothing can be ranked by cost.")
        rank_by = wanted.rank_by or ("cost" if current else "tokens")
        return usage_summary(wanted.days, rank_by, await reads.usage_summary(wanted, groups, current), current)

    @router.get(
        "/usage/prices",
        summary="The prices of the models that were used, and on which days each holds",
        responses=describe_answers("Each price with its days, as the configuration says now.", READING),
    )
    async def report_prices(wanted: AskedDays, groups: CallerGroups) -> PriceHistory:
        """Prices by which costs are worked out, of the models that answered in these days."""
        current = prices()
        by_model = UsageQuery.model_construct(by="model", first=wanted.first, last=wanted.last)
        return price_history(await reads.usage(by_model, groups, current), current)

    @router.get(
        "/calibration",
        summary="How well judges and analyses knew what people found afterwards",
        responses=describe_answers("Forecasts against the ratings of these days.", READING),
    )
    async def report_calibration(wanted: AskedDays, groups: CallerGroups) -> CalibrationReport:
        """Scores of judges, and the `Confidence:` of analyses, against what people said of them in these days."""
        return calibration_report(await reads.ratings(wanted, groups))

    @router.get(
        "/usage/outcomes",
        summary="How sessions ended, by day, alert type and hour of the week",
        responses=describe_answers("Sessions whose alerts came in these days.", READING),
    )
    async def report_outcomes(wanted: AskedDays, groups: CallerGroups) -> OutcomeReport:
        """How many sessions were completed, failed or were cancelled, and how long completed ones took."""
        return outcome_report(await reads.outcomes(wanted, groups))

    return router
