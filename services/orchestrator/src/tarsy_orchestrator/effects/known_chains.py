"""Chain resolution: which chain of the configuration investigates an alert, and what its plan names.

Each plan is resolved once: alerts that choose nothing themselves share the plan of their route.
"""

import structlog

from tarsy_config.config import Config
from tarsy_config.plans.routing import ChainRoute, Router, facts_of
from tarsy_contracts.alert import Alert
from tarsy_contracts.chain import ResolvedChain

log = structlog.get_logger(__name__)


class KnownChains:
    """It holds the plans of the configuration that was asked last."""

    def __init__(self) -> None:
        self._config: Config | None = None
        self._router: Router | None = None
        self._plans: dict[tuple[ChainRoute, str], ResolvedChain] = {}

    def resolve(self, config: Config, alert: Alert) -> ResolvedChain:
        """An accepted alert is always investigated: by the default chain where no other matches (any longer)."""
        if self._router is None or config is not self._config:
            self._config, self._router, self._plans = config, config.router(), {}
        route = _route_of(self._router, alert)
        if alert.mcp is not None or alert.llm_provider is not None:
            return config.plan_by(route, alert.mcp, alert.llm_provider, alert.labels)
        days = config.system.budgets
        team = alert.labels.get(days.team_label, "")
        key = (route, team if team in days.teams else "")
        if key not in self._plans:
            self._plans[key] = config.plan_by(route, labels=alert.labels)
        return self._plans[key]


def _route_of(router: Router, alert: Alert) -> ChainRoute:
    route = router.route(facts_of(alert))
    if route.unmatched:
        log.warning("chain.unmatched", alert_type=alert.alert_type, used=route.chain_id)
    return route
