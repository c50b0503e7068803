"""A chain with every setting of its stages and agents, and where each comes from."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tarsy_config import built_in
from tarsy_config.agent_settings import AgentSettings, chat_agent, executive_summary, investigator, synthesis
from tarsy_config.chains import LATER_TYPES, AgentChain, Chat, StageAgent, StageConfig, Synthesis
from tarsy_config.fallbacks import ModelChoice
from tarsy_config.provenance import DEFAULT, Found, Origin
from tarsy_config.resolution import SUCCESS_POLICY, AlertChoice, At, Levels
from tarsy_config.sections import Sections
from tarsy_contracts.chain import SuccessPolicy


@dataclass(frozen=True, slots=True)
class StageSettings:
    """`replicas`: its agents are the same one several times."""

    name: str
    agents: tuple[AgentSettings, ...]
    success_policy: Found[SuccessPolicy]
    replicas: bool
    synthesis: AgentSettings | None


@dataclass(frozen=True, slots=True)
class ChainSettings:
    chain_id: str
    alert_types: tuple[str, ...]
    defined: Origin
    stages: tuple[StageSettings, ...]
    executive_summary: AgentSettings
    chat: AgentSettings
    chat_enabled: bool
    summary_llm_provider: Found[str]
    default_runbook: Found[str]


def settings_of(sections: Sections, chain_id: str, choice: AlertChoice) -> ChainSettings:
    """`choice`: what the alert wants used instead of what is configured."""
    chain = At(("agent_chains", chain_id), sections.agent_chains[chain_id])
    written = [At((*chain.place, "stages", index), stage) for index, stage in enumerate(chain.section.stages)]
    stages = tuple(_stage(sections, chain, stage, choice) for stage in written if _expanded(sections, stage))
    first = stages[0].agents[0]
    chat = At((*chain.place, "chat"), chain.section.chat or Chat())
    return ChainSettings(
        chain_id=chain_id,
        alert_types=chain.section.alert_types,
        defined=sections.sources.origin(chain.place),
        stages=stages,
        executive_summary=_executive_summary(sections, chain, first, choice),
        chat=_chat(sections, chain, chat, stages, choice),
        chat_enabled=chat.section.enabled,
        summary_llm_provider=_summary_provider(sections),
        default_runbook=Found(sections.defaults.runbook, sections.sources.given(("defaults", "runbook"))),
    )


def _stage(sections: Sections, chain: At[AgentChain], stage: At[StageConfig], choice: AlertChoice) -> StageSettings:
    agents = tuple(
        investigator(name, _levels(sections, chain, used.section.name, stage, used), choice)
        for name, used in _expanded(sections, stage)
    )
    joins = At((*stage.place, "synthesis"), stage.section.synthesis)
    name = joins.section.agent or built_in.SYNTHESIS
    levels = _levels(sections, chain, name, stage, joins)
    return StageSettings(
        name=stage.section.name,
        agents=agents,
        success_policy=SUCCESS_POLICY.last(levels) or Found("any", DEFAULT),
        replicas=_replicas(stage.section) > 1,
        synthesis=synthesis(name, levels, choice, agents[0]) if len(agents) > 1 else None,
    )


def _executive_summary(
    sections: Sections, chain: At[AgentChain], first: AgentSettings, choice: AlertChoice
) -> AgentSettings:
    own = At((*chain.place, "executive_summary"), chain.section.executive_summary)
    general = At(("defaults", "executive_summary"), sections.defaults.executive_summary)
    levels = _levels(sections, chain, built_in.EXECUTIVE_SUMMARY, stage_agent=own)
    return executive_summary(built_in.EXECUTIVE_SUMMARY, replace(levels, job_defaults=general), choice, first)


def _chat(
    sections: Sections, chain: At[AgentChain], chat: At[Chat], stages: Sequence[StageSettings], choice: AlertChoice
) -> AgentSettings:
    name = chat.section.agent or built_in.CHAT
    levels = _levels(sections, chain, name, stage_agent=chat)
    return chat_agent(name, levels, choice, [agent for stage in stages for agent in stage.agents])


def _expanded(sections: Sections, stage: At[StageConfig]) -> list[tuple[str, At[StageAgent]]]:
    """Every agent that runs, with the name that people see. An agent that acts does not run as one that only looks."""
    used = [At((*stage.place, "agents", index), agent) for index, agent in enumerate(stage.section.agents)]
    count = _replicas(stage.section)
    running = [agent for agent in (used if count == 1 else used[:1]) if not _comes_later(sections, agent.section)]
    if count == 1:
        return [(agent.section.name, agent) for agent in running]
    return [(f"{agent.section.name}-{number}", agent) for agent in running for number in range(1, count + 1)]


def _comes_later(sections: Sections, agent: StageAgent) -> bool:
    return not LATER_TYPES.isdisjoint({agent.type, sections.agent(agent.name).type})


def _replicas(stage: StageConfig) -> int:
    return stage.replicas or 1


def _levels(
    sections: Sections,
    chain: At[AgentChain],
    agent: str,
    stage: At[StageConfig] | None = None,
    stage_agent: At[StageAgent] | At[Synthesis] | At[Chat] | At[ModelChoice] | None = None,
) -> Levels:
    of_agent = sections.defaults.agents.get(agent)
    return Levels(
        sections=sections,
        defaults=At(("defaults",), sections.defaults),
        agent=At(("agents", agent), sections.agent(agent)),
        chain=chain,
        stage=stage,
        stage_agent=stage_agent,
        agent_defaults=None if of_agent is None else At(("defaults", "agents", agent), of_agent),
    )


def _summary_provider(sections: Sections) -> Found[str]:
    """The provider of summaries whose server names none; empty for the one that the agent itself asks."""
    general = sections.defaults.summarization.llm_provider
    if general is None:
        return Found("", DEFAULT)
    return Found(general, sections.sources.origin(("defaults", "summarization", "llm_provider")))
