"""The whole configuration, and the questions that services ask it."""

from collections.abc import Mapping

from tarsy_config.errors import ConfigError, Note
from tarsy_config.plans.chain_settings import ChainSettings, settings_of
from tarsy_config.plans.routing import ChainRoute, ChainRule, Router
from tarsy_config.plans.session_plans import plan_of
from tarsy_config.sections.alert_handling import AlertSettings, alert_settings
from tarsy_config.sections.all_sections import Sections
from tarsy_config.sections.chains import AgentChain
from tarsy_config.sections.matchers import parse_matcher
from tarsy_config.sections.notifications import Receiver
from tarsy_config.sections.providers import LlmProvider
from tarsy_config.sections.resolution import AS_CONFIGURED, NO_SELECTION, AlertChoice
from tarsy_contracts.alert import McpSelection
from tarsy_contracts.chain import ResolvedChain

NO_LABELS: Mapping[str, str] = {}


class UnknownAlertTypeError(ConfigError, LookupError):
    """No chain names this alert type. The caller names another type."""


class Config(Sections):
    """A configuration without mistakes: every name in it exists. Made by `load_config`.

    It has what the files define, and the built-in parts that they refer to: an MCP server that a chain uses, a provider
    that is named. `resolution` says how settings are resolved.
    """

    @property
    def notes(self) -> tuple[Note, ...]:
        """Notes on keys that do not do what somebody may expect of them, in the order of the files."""
        return self._notes

    @property
    def default_alert_type(self) -> str:
        """The type of an alert that names none. A chain names this type."""
        return self.defaults.alert_type

    @property
    def usable_llm_providers(self) -> dict[str, LlmProvider]:
        """Those that can be asked: a session may name any of them."""
        return {name: provider for name, provider in self.llm_providers.items() if provider.usable}

    @property
    def llm_providers_in_use(self) -> frozenset[str]:
        """Those that some investigation will ask."""
        return frozenset().union(*(plan.llm_providers for plan in self.plans))

    @property
    def plans(self) -> list[ResolvedChain]:
        """The plan of each chain, for an alert that chooses nothing itself."""
        return [self._plan_chain(chain_id, AS_CONFIGURED) for chain_id in self.agent_chains]

    @property
    def receivers(self) -> dict[str, Receiver]:
        """Receivers of notifications, with the one that Go TARSy's `system.slack` names."""
        slack = {"slack": self.system.slack.receiver()} if self.system.slack.enabled else {}
        return slack | self.notifications

    def alert_types(self) -> dict[str, str]:
        """Every alert type that a chain names, with the chain of its alerts that no other one matches."""
        router = self.router()
        named = [kind for chain in self.agent_chains.values() for kind in chain.alert_types]
        return {
            kind: chain_id
            for kind in dict.fromkeys((*named, self.default_alert_type))
            if (chain_id := router.chain_of_type(kind)) is not None
        }

    def router(self) -> Router:
        """The rules by which chains are chosen."""
        return Router(
            tuple(rule_of(chain_id, chain) for chain_id, chain in self.agent_chains.items()), self.default_alert_type
        )

    def alert_settings(self, chain_id: str) -> AlertSettings:
        """Settings for alerts of this chain that come again, in a group, or are over too soon."""
        return alert_settings(self.defaults.alerts, self.agent_chains[chain_id].alerts)

    def chain_for(
        self, alert_type: str, selection: McpSelection | None = None, llm_provider: str | None = None
    ) -> ResolvedChain:
        """The plan for an alert, with nothing left to look up. Raises UnknownAlertTypeError.

        `selection` and `llm_provider`: what the alert wants used. A provider that is not configured stays in the plan.
        Agents that ask it fail, rather than get an answer of another model.
        """
        chain_id = self.alert_types().get(alert_type)
        if chain_id is None:
            raise UnknownAlertTypeError(f"no chain names the alert type {alert_type}")
        return self.plan_by(ChainRoute(chain_id, ""), selection, llm_provider)

    def plan_by(
        self,
        route: ChainRoute,
        selection: McpSelection | None = None,
        llm_provider: str | None = None,
        labels: Mapping[str, str] = NO_LABELS,
    ) -> ResolvedChain:
        """The plan for an alert that was routed; it says by which rule. `labels`: of the alert, which name its team."""
        plan = self._plan_chain(route.chain_id, AlertChoice(selection or NO_SELECTION, llm_provider, labels))
        cancels = self.alert_settings(route.chain_id).resolved_in_queue == "cancel"
        return plan.model_copy(
            update={"cancel_resolved": cancels, "chosen_by": route.chosen_by, "unmatched": route.unmatched}
        )

    def explain(self, chain_id: str) -> ChainSettings:
        """The settings that `chain_for` resolves, each with its origin."""
        return settings_of(self, chain_id, AS_CONFIGURED)

    def _plan_chain(self, chain_id: str, choice: AlertChoice) -> ResolvedChain:
        return plan_of(self, settings_of(self, chain_id, choice), choice)


def rule_of(chain_id: str, chain: AgentChain) -> ChainRule:
    matchers = None if chain.match is None else tuple(map(parse_matcher, chain.match))
    return ChainRule(chain_id, frozenset(chain.alert_types), matchers)
