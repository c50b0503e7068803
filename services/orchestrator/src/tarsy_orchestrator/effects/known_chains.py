"""Plans of a configuration, each resolved once: alerts that choose nothing themselves share the plan of their route."""

from tarsy_config.config import Config
from tarsy_config.plans.routing import ChainRoute, Router
from tarsy_contracts.alert import Alert
from tarsy_contracts.chain import ResolvedChain
from tarsy_orchestrator.effects.chain_resolution import route_of


class KnownChains:
    """It holds the plans of the configuration that was asked last."""

    def __init__(self) -> None:
        self._config: Config | None = None
        self._router: Router | None = None
        self._plans: dict[tuple[ChainRoute, str], ResolvedChain] = {}

    def resolve(self, config: Config, alert: Alert) -> ResolvedChain:
        """Returns what `resolve_chain` returns."""
        if self._router is None or config is not self._config:
            self._config, self._router, self._plans = config, config.router(), {}
        route = route_of(self._router, alert)
        if alert.mcp is not None or alert.llm_provider is not None:
            return config.plan_by(route, alert.mcp, alert.llm_provider, alert.labels)
        days = config.system.budgets
        team = alert.labels.get(days.team_label, "")
        key = (route, team if team in days.teams else "")
        if key not in self._plans:
            self._plans[key] = config.plan_by(route, labels=alert.labels)
        return self._plans[key]
