"""A chain with every setting of its stages and agents, and where each comes from."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tarsy_config.document.provenance import DEFAULT, Found, Origin
from tarsy_config.errors import KeyPath
from tarsy_config.sections import built_in
from tarsy_config.sections.agent_options import AgentSettings, resolve_agent
from tarsy_config.sections.all_sections import Sections
from tarsy_config.sections.chains import LATER_TYPES, NEVER_SENT, AgentChain, Chat, StageAgent, StageConfig
from tarsy_config.sections.resolution import AlertChoice, At, Levels, find_fallbacks, key_of_sub_agent
from tarsy_config.sections.sub_agents import SubAgentChoice
from tarsy_config.values import Section
from tarsy_contracts.chain import SuccessPolicy

FALLBACK_KEYS = ("fallback_providers", "fallback_list")


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
    """`summary_llm_provider`: of summaries whose server names none; empty for the one that the agent itself asks.
    `summary_fallbacks`: who stands in for it; None for those of the agent.

    `sub_agents`: all that agents of the chain may send, by the keys that these have.
    """

    chain_id: str
    alert_types: tuple[str, ...]
    defined: Origin
    stages: tuple[StageSettings, ...]
    executive_summary: AgentSettings
    compose: AgentSettings
    compose_enabled: bool
    scoring: AgentSettings
    scoring_enabled: bool
    scoring_rate: Found[float]
    reflector: AgentSettings
    memory_enabled: bool
    chat: AgentSettings
    chat_enabled: bool
    summary_llm_provider: Found[str]
    summary_fallbacks: Found[tuple[str, ...]] | None
    default_runbook: Found[str]
    sub_agents: Mapping[str, AgentSettings]


def settings_of(sections: Sections, chain_id: str, choice: AlertChoice) -> ChainSettings:
    """`choice`: what the alert wants used instead of what is configured."""
    chain = At(("agent_chains", chain_id), sections.agent_chains[chain_id])
    written = [At((*chain.place, "stages", index), stage) for index, stage in enumerate(chain.section.stages)]
    stages = tuple(_stage(sections, chain, stage, choice) for stage in written if _expanded(sections, stage))
    first = stages[0].agents[0]
    chat = At((*chain.place, "chat"), chain.section.chat or Chat())
    general = _levels(sections, choice, built_in.CHAT, chain)
    answerer = _chat(sections, chain, chat, stages, choice)
    senders = [*(agent for stage in stages for agent in stage.agents), answerer]
    return ChainSettings(
        chain_id=chain_id,
        alert_types=chain.section.alert_types,
        defined=sections.sources.origin(chain.place),
        stages=stages,
        executive_summary=_executive_summary(sections, chain, first, choice),
        compose=_compose(sections, chain, first, choice),
        compose_enabled=_is_composed(sections, chain.section, stages),
        scoring=_scoring(sections, chain, first, choice),
        scoring_enabled=_is_scored(sections, chain.section),
        scoring_rate=_find_rate(sections, chain),
        memory_enabled=sections.defaults.memory.enabled,
        reflector=_reflector(sections, chain, first, choice),
        chat=answerer,
        chat_enabled=chat.section.enabled,
        summary_llm_provider=general.last("summarization", "llm_provider") or Found("", DEFAULT),
        summary_fallbacks=find_fallbacks(general, *(("summarization", key) for key in FALLBACK_KEYS)),
        default_runbook=Found(sections.defaults.runbook, sections.sources.origin_or_default(("defaults", "runbook"))),
        sub_agents=_sub_agents(sections, chain, senders, choice),
    )


def _stage(sections: Sections, chain: At[AgentChain], stage: At[StageConfig], choice: AlertChoice) -> StageSettings:
    agents = tuple(
        resolve_agent(name, _levels(sections, choice, used.section.name, chain, stage, used))
        for name, used in _expanded(sections, stage)
    )
    joins = At((*stage.place, "synthesis"), stage.section.synthesis)
    name = joins.section.agent or built_in.SYNTHESIS
    levels = _levels(sections, choice, name, chain, stage, joins)
    job = replace(levels, job="synthesis", first_provider=agents[0].llm_provider)
    return StageSettings(
        name=stage.section.name,
        agents=agents,
        success_policy=levels.last("success_policy") or Found("any", DEFAULT),
        replicas=(stage.section.replicas or 1) > 1,
        synthesis=resolve_agent(name, job) if len(agents) > 1 else None,
    )


def _executive_summary(
    sections: Sections, chain: At[AgentChain], first: AgentSettings, choice: AlertChoice
) -> AgentSettings:
    own = At((*chain.place, "executive_summary"), chain.section.executive_summary)
    general = At(("defaults", "executive_summary"), sections.defaults.executive_summary)
    levels = _levels(sections, choice, built_in.EXECUTIVE_SUMMARY, chain, general, own)
    job = replace(levels, job="exec_summary", first_provider=first.llm_provider)
    return resolve_agent(built_in.EXECUTIVE_SUMMARY, job)


def _compose(sections: Sections, chain: At[AgentChain], first: AgentSettings, choice: AlertChoice) -> AgentSettings:
    own = At((*chain.place, "compose"), chain.section.compose)
    general = At(("defaults", "compose"), sections.defaults.compose)
    levels = _levels(sections, choice, built_in.COMPOSER, chain, general, own)
    return resolve_agent(built_in.COMPOSER, replace(levels, job="compose", first_provider=first.llm_provider))


def _reflector(sections: Sections, chain: At[AgentChain], first: AgentSettings, choice: AlertChoice) -> AgentSettings:
    general = At(("defaults", "memory"), sections.defaults.memory)
    levels = _levels(sections, choice, built_in.REFLECTOR, chain, general)
    return resolve_agent(built_in.REFLECTOR, replace(levels, job="reflection", first_provider=first.llm_provider))


def _is_composed(sections: Sections, chain: AgentChain, stages: Sequence[StageSettings]) -> bool:
    """Where nothing acts there is nothing to amend."""
    wanted = (chain.compose.enabled, sections.defaults.compose.enabled)
    acts = any(all(agent.action.value for agent in stage.agents) for stage in stages)
    return acts and next((one for one in wanted if one is not None), True)


def _scoring(sections: Sections, chain: At[AgentChain], first: AgentSettings, choice: AlertChoice) -> AgentSettings:
    """A provider that the alert chose investigates, and does not judge."""
    own = At((*chain.place, "scoring"), chain.section.scoring)
    general = At(("defaults", "scoring"), sections.defaults.scoring)
    name = own.section.agent or general.section.agent or built_in.SCORING
    levels = _levels(sections, replace(choice, llm_provider=None), name, chain, general, own)
    return resolve_agent(name, replace(levels, job="scoring", first_provider=first.llm_provider))


def _is_scored(sections: Sections, chain: AgentChain) -> bool:
    """Without a word about it: where a model is named for it."""
    places = (chain.scoring, sections.defaults.scoring)
    named = any(place.llm_provider is not None for place in places)
    return next((place.enabled for place in places if place.enabled is not None), named)


def _find_rate(sections: Sections, chain: At[AgentChain]) -> Found[float]:
    places = (((*chain.place, "scoring"), chain.section.scoring), (("defaults", "scoring"), sections.defaults.scoring))
    for path, place in places:
        if place.rate is not None:
            return Found(place.rate, sections.sources.origin_or_default((*path, "rate")))
    return Found(1.0, DEFAULT)


def _chat(
    sections: Sections, chain: At[AgentChain], chat: At[Chat], stages: Sequence[StageSettings], choice: AlertChoice
) -> AgentSettings:
    name = chat.section.agent or built_in.CHAT
    others = [agent for stage in stages for agent in stage.agents]
    servers = tuple(dict.fromkeys(server for other in others for server in other.mcp_servers.value))
    levels = _levels(sections, choice, name, chain, chat)
    return resolve_agent(name, replace(levels, first_provider=others[0].llm_provider, other_servers=servers))


def _sub_agents(
    sections: Sections, chain: At[AgentChain], senders: Sequence[AgentSettings], choice: AlertChoice
) -> Mapping[str, AgentSettings]:
    """Also those whom sub-agents may send."""
    named = dict(_named_sub_agents(sections, chain))
    found: dict[str, AgentSettings] = {}
    keys = [key for sender in senders for key in sender.sub_agents.value]
    while keys:
        key = keys.pop(0)
        one = named[key]
        if key in found or sections.agent(one.section.name).type in NEVER_SENT:
            continue
        levels = _levels(sections, choice, one.section.name, chain, one)
        found[key] = resolve_agent(one.section.name, replace(levels, sent=True, first_provider=senders[0].llm_provider))
        keys += found[key].sub_agents.value
    return found


def _named_sub_agents(sections: Sections, chain: At[AgentChain]) -> Iterator[tuple[str, At[SubAgentChoice]]]:
    """Yields all that any section names, by their keys."""
    stages = [((*chain.place, "stages", index), stage) for index, stage in enumerate(chain.section.stages)]
    agents = [((*place, "agents", index), one) for place, stage in stages for index, one in enumerate(stage.agents)]
    definitions = {**built_in.AGENTS, **sections.agents}
    senders: list[tuple[KeyPath, Section]] = [(("defaults",), sections.defaults), (chain.place, chain.section)]
    senders += [(("agents", name), agent) for name, agent in definitions.items()]
    senders += [*stages, *agents, ((*chain.place, "chat"), chain.section.chat or Chat())]
    for place, sender in senders:
        named: tuple[SubAgentChoice, ...] = vars(sender).get("sub_agents") or ()
        for index, one in enumerate(named):
            yield key_of_sub_agent(place, index, one), At((*place, "sub_agents", index), one)


def _expanded(sections: Sections, stage: At[StageConfig]) -> list[tuple[str, At[StageAgent]]]:
    """Every agent that runs, with the name that people see. One of a type that comes later does not run."""
    used = [At((*stage.place, "agents", index), agent) for index, agent in enumerate(stage.section.agents)]
    count = stage.section.replicas or 1
    running = [agent for agent in (used if count == 1 else used[:1]) if not _comes_later(sections, agent.section)]
    if count == 1:
        return [(agent.section.name, agent) for agent in running]
    return [(f"{agent.section.name}-{number}", agent) for agent in running for number in range(1, count + 1)]


def _comes_later(sections: Sections, agent: StageAgent) -> bool:
    return not LATER_TYPES.isdisjoint({agent.type, sections.agent(agent.name).type})


def _levels(
    sections: Sections, choice: AlertChoice, agent: str, chain: At[AgentChain], *special: At[Section]
) -> Levels:
    """`special`: the places behind those that every agent of the chain has."""
    own = sections.defaults.agents.get(agent)
    paths: list[At[Section]] = [At(("defaults",), sections.defaults), At(("agents", agent), sections.agent(agent))]
    paths += [chain] if own is None else [chain, At(("defaults", "agents", agent), own)]
    return Levels(
        (*paths, *special),
        sections.sources,
        sections.llm_providers,
        sections.fallback_lists,
        choice,
        skills=tuple(sections.skills),
    )
