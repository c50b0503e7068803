"""The whole configuration, and the questions that services ask it."""

from typing import Annotated

from pydantic import BeforeValidator, Field

from tarsy_config.chains import Agent, AgentChain, Stage, StageAgent
from tarsy_config.providers import LlmProvider
from tarsy_config.servers import McpServer
from tarsy_config.values import DEFAULT_ALERT_TYPE, Name, Positive, Seconds, Section, ServerId, one_or_several
from tarsy_contracts.chain import CallLimits, ResolvedAgent, ResolvedChain, ResolvedServer, ResolvedStage, SummaryRule


class UnknownAlertType(LookupError):
    """No chain names this alert type."""


class SummaryDefaults(Section):
    llm_provider: Name | None = None


class Defaults(Section):
    """`llm_provider`: the first of these that can be used, which is one whose API key is set."""

    llm_provider: Annotated[tuple[Name, ...], BeforeValidator(one_or_several)] = ()
    max_iterations: Positive = 20
    alert_type: Name = DEFAULT_ALERT_TYPE
    summarization: SummaryDefaults = SummaryDefaults()


class Limits(Section):
    """How long anybody waits for a call; of an LLM call also: until it says anything, and for more of it."""

    llm_call: Seconds = 300.0
    llm_first_chunk: Seconds = 120.0
    llm_stall: Seconds = 60.0
    tool_call: Seconds = 60.0
    summary: Seconds = 300.0


class Config(Section):
    """A configuration without mistakes: every name in it exists. Made by `load_config`.

    What a setting is follows from the most special place that has it:

    - max_iterations: 20, then `defaults`, then the agent, then the agent in its stage.
    - llm_provider: the first usable one of `defaults`, then the agent in its stage.
    - the provider of summaries: that of the agent, unless `defaults.summarization` names one.
    """

    defaults: Defaults = Defaults()
    mcp_servers: dict[ServerId, McpServer] = Field(default_factory=dict)
    agents: dict[Name, Agent] = Field(default_factory=dict)
    agent_chains: dict[Name, AgentChain] = Field(default_factory=dict)
    llm_providers: dict[Name, LlmProvider] = Field(default_factory=dict)
    limits: Limits = Limits()

    @property
    def default_alert_type(self) -> str:
        """What an alert is that does not say its type. A chain names it."""
        return self.defaults.alert_type

    @property
    def default_llm_provider(self) -> str | None:
        """Of those in `defaults` the first that can be used, or else the last."""
        names = self.defaults.llm_provider
        usable = [name for name in names if self.llm_providers[name].usable]
        return next(iter((*usable, *reversed(names))), None)

    @property
    def usable_llm_providers(self) -> dict[str, LlmProvider]:
        """Those that can be asked: a session may name any of them."""
        return {name: provider for name, provider in self.llm_providers.items() if provider.usable}

    @property
    def llm_providers_in_use(self) -> frozenset[str]:
        """Those that some investigation will ask."""
        chains = [self.chain_for(kind) for kind in self.alert_types()]
        return frozenset().union(*(chain.llm_providers for chain in chains))

    def alert_types(self) -> dict[str, str]:
        """Every alert type that a chain names, with that chain's id."""
        return {kind: chain_id for chain_id, chain in self.agent_chains.items() for kind in chain.alert_types}

    def chain_for(self, alert_type: str) -> ResolvedChain:
        """The plan for an alert, with nothing left to look up. Raises UnknownAlertType."""
        chain_id = self.alert_types().get(alert_type)
        if chain_id is None:
            raise UnknownAlertType(f"no chain names the alert type {alert_type}")
        stages = tuple(self._stage(stage) for stage in self.agent_chains[chain_id].stages)
        first = stages[0].agents[0]
        summary_provider = self.defaults.summarization.llm_provider or first.llm_provider
        chain = ResolvedChain(
            chain_id=chain_id,
            stages=stages,
            limits=CallLimits(
                llm_call_seconds=self.limits.llm_call,
                tool_call_seconds=self.limits.tool_call,
                summary_seconds=self.limits.summary,
            ),
            summary_llm_provider=summary_provider,
        )
        scripted = any(self.llm_providers[name].type == "scripted" for name in chain.llm_providers)
        return chain.model_copy(update={"scripted": scripted})

    def _stage(self, stage: Stage) -> ResolvedStage:
        return ResolvedStage(name=stage.name, agents=tuple(self._agent(agent) for agent in stage.agents))

    def _agent(self, used: StageAgent) -> ResolvedAgent:
        agent = self.agents[used.name]
        provider = used.llm_provider or self.default_llm_provider
        if provider is None:
            raise LookupError(f"agent {used.name} has no llm_provider")  # load_config refuses this
        return ResolvedAgent(
            name=used.name,
            llm_provider=provider,
            max_iterations=used.max_iterations or agent.max_iterations or self.defaults.max_iterations,
            custom_instructions=agent.custom_instructions,
            servers=tuple(self._server(server) for server in agent.mcp_servers),
        )

    def _server(self, name: str) -> ResolvedServer:
        server = self.mcp_servers[name]
        return ResolvedServer(
            server=name,
            instructions=server.instructions,
            summary=SummaryRule(
                enabled=server.summarization.enabled,
                size_threshold_tokens=server.summarization.size_threshold_tokens,
                summary_max_token_limit=server.summarization.summary_max_token_limit,
            ),
        )
