"""Plans of a configuration, each resolved once: alerts that choose nothing themselves share the plan of their type."""

from tarsy_config.config import Config
from tarsy_contracts.alert import Alert
from tarsy_contracts.chain import ResolvedChain
from tarsy_orchestrator.effects.chain_resolution import resolve_chain


class KnownChains:
    """It holds the plans of the configuration that was asked last."""

    def __init__(self) -> None:
        self._config: Config | None = None
        self._chains: dict[str, ResolvedChain] = {}

    def resolve(self, config: Config, alert: Alert) -> ResolvedChain:
        """Returns what `resolve_chain` returns."""
        if alert.mcp is not None or alert.llm_provider is not None:
            return resolve_chain(config, alert)
        if config is not self._config:
            self._config, self._chains = config, {}
        found = self._chains.get(alert.alert_type)
        if found is None:
            found = resolve_chain(config, alert)
            # Types that no chain names come from outside: there is no end to them, and each is logged.
            if alert.alert_type in config.alert_types():
                self._chains[alert.alert_type] = found
        return found
