"""Chain resolution: which chain of the configuration investigates an alert, and what its plan names."""

from collections.abc import Callable
from dataclasses import dataclass

import structlog

from tarsy_config.checks.skills import require_masked_sizes
from tarsy_config.config import Config
from tarsy_config.configured_models import ConfiguredModels, models_of
from tarsy_config.plans.routing import ChainRoute, Router, facts_of
from tarsy_contracts.alert import Alert
from tarsy_contracts.chain import ResolvedChain

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Plans:
    """The configuration that new plans are resolved from, and the models that plans name."""

    config: Config
    models: ConfiguredModels

    @property
    def most_sessions(self) -> int:
        return self.config.queue.max_concurrent_sessions


def prepare_plans(mask: Callable[[str], str], config: Config, before: Plans | None) -> Plans:
    """`mask`: skills go to the log. Raises InvalidConfigError or InvalidScriptError."""
    masked = config.with_masked_skills(mask)
    require_masked_sizes(masked)
    return Plans(masked, models_of(config, before.models if before is not None else None))


def resolve_chain(config: Config, alert: Alert) -> ResolvedChain:
    """An accepted alert is always investigated: by the default chain where no other matches (any longer)."""
    return config.plan_by(route_of(config.router(), alert), alert.mcp, alert.llm_provider, alert.labels)


def route_of(router: Router, alert: Alert) -> ChainRoute:
    route = router.route(facts_of(alert))
    if route.unmatched:
        log.warning("chain.unmatched", alert_type=alert.alert_type, used=route.chain_id)
    return route
