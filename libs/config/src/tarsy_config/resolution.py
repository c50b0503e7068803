"""Resolution of a setting of an agent that several places may have: the last one in its order wins.

| setting              | order                                                                              |
| -------------------- | ---------------------------------------------------------------------------------- |
| `llm_provider`       | the first usable one of `defaults`, chain, `defaults.agents`, agent in its stage, alert |
| `max_iterations`     | 20, `defaults`, agent, chain, stage, agent in its stage                             |
| `iteration_strategy` | function-calling, `defaults`, agent, chain, agent in its stage                      |
| `type`               | agent, agent in its stage                                                           |
| `mcp_servers`        | agent, chain, stage, agent in its stage, alert (a list replaces the one before)     |
| fallbacks            | none, `defaults`, chain, `defaults.agents`, stage, agent in its stage (a list replaces) |
| `native_tools`       | none, provider, agent, alert (each tool by itself; only Google has any)             |
| `success_policy`     | any, `defaults`, stage                                                              |
| chat                 | as above, with `chat` in the place of the agent in its stage; see below             |
| summaries            | the agent's provider, `defaults.summarization`, the server's `summarization`         |

The synthesis of a stage is resolved like an agent in that stage, with `synthesis` in the place of the agent in its
stage. Servers of a chat: the alert's, `chat`, chain, agent, or else those of all agents of the chain. The provider of
the executive summary has the order `defaults`, chain, `defaults.agents`, `defaults.executive_summary`, that of the
chain, alert; so have its fallbacks. Where none of these names a provider, synthesis, executive summary and chat use
that of the first agent.

The provider that an alert names is asked by all agents. Fallbacks stay as they are configured, and so do summaries:
they ask it where neither `defaults.summarization` nor the server names a provider.
"""

from dataclasses import dataclass
from typing import Literal

from tarsy_config.chains import Agent, AgentChain, AgentType, Chat, StageAgent, StageConfig, Synthesis
from tarsy_config.defaults import Defaults
from tarsy_config.errors import Place
from tarsy_config.fallbacks import Fallback, ModelChoice
from tarsy_config.provenance import Found
from tarsy_config.sections import Sections
from tarsy_contracts.alert import McpSelection
from tarsy_contracts.chain import SuccessPolicy

type Level = Literal["defaults", "agent", "chain", "agent_defaults", "stage", "job_defaults", "stage_agent"]


@dataclass(frozen=True, slots=True)
class At[S]:
    place: Place
    section: S


NO_SELECTION = McpSelection()


@dataclass(frozen=True, slots=True)
class AlertChoice:
    """Choice of an alert instead of what is configured. Its names are not checked here."""

    mcp: McpSelection = NO_SELECTION
    llm_provider: str | None = None


AS_CONFIGURED = AlertChoice()


@dataclass(frozen=True, slots=True)
class Levels:
    """The places that may say something of an agent in a stage. Executive summaries and chats are in none.

    The last one of a synthesis, a chat or an executive summary is its own section. `agent_defaults`: the agent's entry
    in `defaults.agents`. `job_defaults`: what `defaults` has for the executive summary.
    """

    sections: Sections
    defaults: At[Defaults]
    agent: At[Agent]
    chain: At[AgentChain]
    stage: At[StageConfig] | None = None
    stage_agent: At[StageAgent] | At[Synthesis] | At[Chat] | At[ModelChoice] | None = None
    agent_defaults: At[ModelChoice] | None = None
    job_defaults: At[ModelChoice] | None = None


@dataclass(frozen=True, slots=True)
class Order[T]:
    """The places that may have a key, from the most general one to the most special one."""

    key: str
    levels: tuple[Level, ...]

    def last(self, levels: Levels) -> Found[T] | None:
        found = None
        for level in self.levels:
            at: At[object] | None = getattr(levels, level)
            value: T | None = getattr(at.section, self.key, None) if at is not None else None
            if at is not None and value is not None:
                found = Found(value, levels.sections.sources.origin((*at.place, self.key)))
        return found


LLM_PROVIDER: Order[str] = Order("llm_provider", ("chain", "agent_defaults", "job_defaults", "stage_agent"))
"""After the first usable one of `defaults`."""
EXECUTIVE_SUMMARY_PROVIDER: Order[str] = Order("executive_summary_provider", ("chain",))
MAX_ITERATIONS: Order[int] = Order("max_iterations", ("defaults", "agent", "chain", "stage", "stage_agent"))
ITERATION_STRATEGY: Order[str] = Order("iteration_strategy", ("defaults", "agent", "chain", "stage_agent"))
AGENT_TYPE: Order[AgentType] = Order("type", ("agent", "stage_agent"))
MCP_SERVERS: Order[tuple[str, ...]] = Order("mcp_servers", ("agent", "chain", "stage", "stage_agent"))
FALLBACKS: tuple[Level, ...] = ("defaults", "chain", "agent_defaults", "stage", "job_defaults", "stage_agent")
SUCCESS_POLICY: Order[SuccessPolicy] = Order("success_policy", ("defaults", "stage"))


def last_fallbacks(levels: Levels) -> Found[tuple[Fallback, ...]] | None:
    """Those of the last place that has a list of its own, or names one."""
    found: Found[tuple[Fallback, ...]] | None = None
    for level in FALLBACKS:
        named = Order[str]("fallback_list", (level,)).last(levels)
        own = Order[tuple[Fallback, ...]]("fallback_providers", (level,)).last(levels)
        if named is not None and named.value:
            own = Found(levels.sections.fallback_lists[named.value], named.origin)
        found = own or found
    return found
