"""The plan of an investigation, resolved from the configuration and kept with the session that runs by it."""

from tarsy_contracts.message import Value


class SummaryRule(Value):
    """When a tool's result is summarised before the agent reads it, and how long the summary should be."""

    enabled: bool = True
    size_threshold_tokens: int = 5000
    summary_max_token_limit: int = 1000


class ResolvedServer(Value):
    """An MCP server as the plan uses it."""

    server: str
    instructions: str = ""
    summary: SummaryRule = SummaryRule()


class ResolvedAgent(Value):
    name: str
    llm_provider: str
    max_iterations: int
    custom_instructions: str = ""
    servers: tuple[ResolvedServer, ...] = ()


class ResolvedStage(Value):
    name: str
    agents: tuple[ResolvedAgent, ...]


class CallLimits(Value):
    """Seconds from the event that asked for a call to the moment at which nobody waits for it any longer."""

    llm_call_seconds: float = 300.0
    tool_call_seconds: float = 60.0
    summary_seconds: float = 300.0


class ResolvedChain(Value):
    chain_id: str
    stages: tuple[ResolvedStage, ...]
    limits: CallLimits = CallLimits()
    summary_llm_provider: str
    scripted: bool = False

    @property
    def llm_providers(self) -> frozenset[str]:
        """The names of all that are asked."""
        agents = (agent for stage in self.stages for agent in stage.agents)
        return frozenset({self.summary_llm_provider, *(agent.llm_provider for agent in agents)})
