"""Rules of the configuration that an alert is judged by."""

from collections.abc import Mapping
from dataclasses import dataclass

from tarsy_config.config import Config
from tarsy_config.defaults import UnknownAlertType
from tarsy_ingest.raw_alert import AlertRejectedError


@dataclass(frozen=True, slots=True)
class AlertTypes:
    """The alert types that chains name. `unknown`: the rule for a type that no chain names."""

    known: Mapping[str, str]
    default: str
    unknown: UnknownAlertType = "refuse"

    def require(self, name: str | None) -> str:
        """For who asks for a type by its name. Raises AlertRejectedError."""
        if name is None or (name not in self.known and self.unknown == "default_chain"):
            return self.default
        if name not in self.known:
            raise AlertRejectedError(
                (("alert_type",), f"no chain has this alert type; known: {', '.join(sorted(self.known))}")
            )
        return name

    def best_match(self, *hints: str | None) -> str:
        """The first hint that is an alert type, or else the default."""
        return next((hint for hint in hints if hint is not None and hint in self.known), self.default)


@dataclass(frozen=True, slots=True)
class AlertRules:
    """`runbook_domains`: where runbooks may come from (tarsy_contracts.runbook_urls)."""

    types: AlertTypes
    mcp_servers: frozenset[str]
    runbook_domains: tuple[str, ...]


def rules_of(config: Config) -> AlertRules:
    return AlertRules(
        types=AlertTypes(config.alert_types(), config.default_alert_type, config.defaults.unknown_alert_type),
        mcp_servers=frozenset(config.mcp_servers),
        runbook_domains=config.system.runbooks.allowed_domains,
    )
