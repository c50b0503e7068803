"""Public HTTP routes about the configuration.

They are here, not with the other reads, because the ingest has `tarsy.yaml` and judges alerts by it: what they offer is
what it takes. The timeline has no configuration, so that a mistake in it never hides the record.
"""

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Path, Query

from tarsy_contracts.api.alert_choices import AlertChoices, JudgedChoices
from tarsy_contracts.api.configuration import (
    AlertTypeList,
    DefaultTools,
    EffectiveConfiguration,
    LinkTemplate,
    SkillText,
)
from tarsy_contracts.budgets import ConfiguredBudgets
from tarsy_contracts.prices import ModelPrices
from tarsy_ingest.alert_choices import judge_choices
from tarsy_ingest.alert_rules import AlertRules
from tarsy_ingest.doors.configuration_answers import Offered
from tarsy_service.http.bounded_routes import create_bounded_route
from tarsy_service.http.described_routes import INVALID, describe_answers
from tarsy_service.http.problems import ProblemError

CHOICES_LIMIT_BYTES = 512 * 1024

type AlertTypeName = Annotated[
    str | None, Query(max_length=500, description="without one, those of the default alert type")
]

type SkillName = Annotated[str, Path(max_length=64)]


def configuration_routes(offered: Callable[[], Offered]) -> APIRouter:
    """`offered`: what holds now."""
    router = APIRouter(prefix="/api/v1", tags=["configuration"])

    @router.get(
        "/alert-types",
        summary="The alert types that chains investigate",
        responses=describe_answers("The types by their chains, and the default.", {400: INVALID}),
    )
    async def list_alert_types() -> AlertTypeList:
        return offered().alert_types

    @router.get(
        "/system/default-tools",
        summary="The tools of an alert that chooses none",
        responses=describe_answers("The MCP servers and native tools of the chain's agents.", {400: INVALID}),
    )
    async def get_default_tools(alert_type: AlertTypeName = None) -> DefaultTools:
        """The tools of an alert that chooses none."""
        now = offered()
        found = now.default_tools.get(now.alert_types.default_alert_type if alert_type is None else alert_type)
        if found is None:
            raise ProblemError(400, "Invalid request", "no chain has this alert type", pointer="/alert_type")
        return found

    @router.get(
        "/system/config",
        summary="The effective configuration, without its secrets",
        responses=describe_answers("All sections, built-in entries included.", {400: INVALID}),
    )
    async def get_configuration() -> EffectiveConfiguration:
        """The effective configuration, without its secrets."""
        return offered().configuration

    @router.get(
        "/system/config/links",
        summary="Links to other systems",
        responses=describe_answers("The links of the configuration, in its order.", {400: INVALID}),
    )
    async def list_links() -> tuple[LinkTemplate, ...]:
        """Templates of addresses that lead from a session to other systems, at its time."""
        return offered().links

    @router.get(
        "/system/config/skills/{name}",
        summary="A skill, with its text",
        responses=describe_answers("The skill, masked.", {400: INVALID, 404: "No skill has this name."}),
    )
    async def get_skill(name: SkillName) -> SkillText:
        """A skill, with its text."""
        found = offered().skills.get(name)
        if found is None:
            raise ProblemError(404, "Not found", "no skill has this name")
        return found

    return router


def internal_routes(rules: Callable[[], AlertRules], offered: Callable[[], Offered]) -> APIRouter:
    """For the timeline, which has alerts and tokens, but no configuration. Both answer what holds now."""
    router = APIRouter(
        prefix="/internal/v1", include_in_schema=False, route_class=create_bounded_route(CHOICES_LIMIT_BYTES)
    )

    @router.post("/alert-choices")
    async def judge(choices: AlertChoices) -> JudgedChoices:
        return judge_choices(choices, rules())

    @router.get("/prices")
    async def list_prices() -> ModelPrices:
        return offered().prices

    @router.get("/budgets")
    async def list_budgets() -> ConfiguredBudgets:
        return offered().budgets

    return router
