"""Rules of the configuration that an alert is judged by."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tarsy_config.config import Config
from tarsy_config.plans.routing import AlertFacts, Router
from tarsy_config.sections.alert_handling import AlertSettings
from tarsy_config.sections.defaults import Queue, UnknownAlertType
from tarsy_contracts.alert import AlertSource
from tarsy_ingest.known_fields import FieldTable, table_of
from tarsy_ingest.raw_alert import AlertRejectedError
from tarsy_ingest.tool_follower import ToolNames


class DefaultAlertType(str):
    """The type of an alert that names none that a chain has."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class AlertTypes:
    """The alert types that chains name. `unknown`: the rule for a type that no chain names.

    `grouped`: the ids of chains that investigate a group of alerts as one. `router`: chains by the labels of alerts.
    """

    known: Mapping[str, str]
    default: str
    unknown: UnknownAlertType = "refuse"
    grouped: frozenset[str] = frozenset()
    router: Router | None = None

    def find_grouping_chain(self, alert_type: str, labels: Mapping[str, str], source: AlertSource) -> str | None:
        """The chain of such an alert, if alerts of its type are investigated as one group. Each chain has its own."""
        chain_id = self.known.get(alert_type)
        if chain_id not in self.grouped or self.router is None:
            return chain_id if chain_id in self.grouped else None
        named = {"alert_type": alert_type, **{name.lower(): value for name, value in labels.items()}, "source": source}
        facts = AlertFacts(alert_type, named, names_no_type=isinstance(alert_type, DefaultAlertType))
        return self.router.route(facts).chain_id

    def require(self, name: str | None) -> str:
        """For who asks for a type by its name. Raises AlertRejectedError."""
        if name is None or (name not in self.known and self.unknown == "default_chain"):
            return DefaultAlertType(self.default)
        if name not in self.known:
            raise AlertRejectedError(
                (("alert_type",), f"no chain has this alert type; known: {', '.join(sorted(self.known))}")
            )
        return name

    def best_match(self, *hints: str | None) -> str:
        """The first hint that is an alert type, or else the default."""
        known = (hint for hint in hints if hint is not None and hint in self.known)
        return next(known, DefaultAlertType(self.default))


@dataclass(frozen=True, slots=True)
class AlertHandlingRules:
    """Settings of each alert type for alerts that come again or in groups. `chains`: the chain of each type."""

    chains: Mapping[str, str]
    by_type: Mapping[str, AlertSettings]

    def of(self, alert_type: str) -> AlertSettings:
        return self.by_type.get(alert_type, NO_SETTINGS)


NO_SETTINGS = AlertSettings()
NO_RULES = AlertHandlingRules({}, {})


@dataclass(frozen=True, slots=True)
class AlertRules:
    """`runbook_domains`: where runbooks may come from (tarsy_contracts.runbook_urls).

    `max_pending`: how many sessions may wait (PendingSessions). `mcp_tools`: the tools of each server that is reached.
    `doors`: senders whose JSON has names of its own.
    """

    types: AlertTypes
    mcp_servers: frozenset[str]
    llm_providers: frozenset[str]
    runbook_domains: tuple[str, ...]
    handling: AlertHandlingRules = NO_RULES
    max_pending: int = Queue().max_pending
    mcp_tools: ToolNames = field(default_factory=dict)
    doors: Mapping[str, FieldTable] = field(default_factory=dict)


def rules_of(config: Config) -> AlertRules:
    chains = config.alert_types()
    settings = {alert_type: config.alert_settings(chain_id) for alert_type, chain_id in chains.items()}
    grouped = frozenset(id for id in config.agent_chains if config.alert_settings(id).grouping == "group")
    return AlertRules(
        types=AlertTypes(
            chains, config.default_alert_type, config.defaults.unknown_alert_type, grouped, config.router()
        ),
        handling=AlertHandlingRules(chains, settings),
        mcp_servers=frozenset(config.mcp_servers),
        llm_providers=frozenset(config.llm_providers),
        runbook_domains=config.system.runbooks.allowed_domains,
        max_pending=config.queue.max_pending,
        doors={name: table_of(name, door) for name, door in config.alert_doors.items()},
    )
