"""From the settings of a chain to the plan that a session keeps, with nothing left to look up."""

from collections.abc import Sequence
from typing import Any

from tarsy_config.plans.chain_settings import ChainSettings, StageSettings
from tarsy_config.sections import built_in
from tarsy_config.sections.agent_options import AgentSettings
from tarsy_config.sections.all_sections import Sections
from tarsy_config.sections.approval import Approve, rule_of, terms_of
from tarsy_config.sections.providers import DEFAULT_CONTEXT_TOKENS
from tarsy_config.sections.resolution import AlertChoice, Setting
from tarsy_contracts.alert import McpSelection
from tarsy_contracts.budgets import NO_BUDGET
from tarsy_contracts.chain import CallLimits, ResolvedAgent, ResolvedChain, ResolvedServer, ResolvedStage, SummaryRule
from tarsy_contracts.skills import PlannedSkill


def plan_of(sections: Sections, settings: ChainSettings, choice: AlertChoice) -> ResolvedChain:
    configured = sections.agent_chains[settings.chain_id]
    days = sections.system.budgets
    memory = sections.defaults.memory.to_rule()
    build = Build(sections, choice.mcp, configured.approve)
    chain = ResolvedChain(
        chain_id=settings.chain_id,
        stages=tuple(build.stage(stage) for stage in settings.stages),
        limits=limits_of(sections),
        summary_llm_provider=settings.summary_llm_provider.value,
        summary_fallbacks=None if settings.summary_fallbacks is None else settings.summary_fallbacks.value,
        executive_summary=build.agent(settings.executive_summary),
        compose=build.agent(settings.compose) if settings.compose_enabled else None,
        scoring=build.agent(settings.scoring) if settings.scoring_enabled else None,
        scoring_rate=settings.scoring_rate.value,
        chat=build.agent(settings.chat),
        chat_enabled=settings.chat_enabled,
        default_runbook=settings.default_runbook.value,
        config_version=sections.version,
        approval=terms_of(sections.defaults.approval, configured.approval),
        verify=None if (verify := configured.verify or sections.defaults.verify) is None else verify.to_rule(),
        actions_per_hour=sections.defaults.actions_per_hour
        if configured.actions_per_hour is None
        else configured.actions_per_hour,
        calendar=sections.system.calendar,
        budget=NO_BUDGET if (budget := configured.budget or sections.defaults.budget) is None else budget.to_budget(),
        day_budgets=days.of_session(settings.chain_id, choice.labels.get(days.team_label, "")),
        labels=sections.labels_of(configured),
        memory=memory,
        reflector=None if memory is None else build.agent(settings.reflector),
        sub_agents={key: build.agent(one) for key, one in settings.sub_agents.items()},
    )
    requested = (sections.llm_providers.get(name) for name in chain.llm_providers)
    scripted = any(provider is not None and provider.type == "scripted" for provider in requested)
    return chain.model_copy(update={"scripted": scripted})


def limits_of(sections: Sections) -> CallLimits:
    return CallLimits(
        llm_call_seconds=sections.limits.llm_call,
        tool_call_seconds=sections.limits.tool_call,
        summary_seconds=sections.limits.summary,
        iteration_seconds=sections.limits.iteration,
        session_seconds=sections.queue.session_timeout,
        rate_limit_seconds=sections.limits.rate_limit,
        reply_seconds=sections.limits.reply,
        conclusion_seconds=sections.limits.conclusion,
    )


class Build:
    def __init__(self, sections: Sections, selection: McpSelection, approve: Approve | None) -> None:
        """`approve`: what the chain adds to the rules of servers."""
        self._sections = sections
        self._approve = approve
        self._tools = {server.name: server.tools or None for server in reversed(selection.servers)}

    def stage(self, stage: StageSettings) -> ResolvedStage:
        return ResolvedStage(
            name=stage.name,
            agents=tuple(self.agent(agent) for agent in stage.agents),
            success_policy=stage.success_policy.value,
            replicas=stage.replicas,
            synthesis=self.agent(stage.synthesis) if stage.synthesis is not None else None,
        )

    def agent(self, agent: AgentSettings) -> ResolvedAgent:
        settings = {name: _value(found) for name, found in agent.by_name().items()}
        providers = (agent.llm_provider.value, *agent.fallback_providers.value)
        return ResolvedAgent(
            name=agent.name,
            servers=tuple(self._server(name) for name in settings.pop("mcp_servers")),
            context_tokens=self._context_tokens(providers),
            known_contexts=self._known_contexts(providers),
            skills=self._skills(settings.pop("skills"), settings.pop("required_skills")),
            description=self._description(agent.name),
            **settings,
        )

    def _skills(self, names: Sequence[str], required: Sequence[str]) -> tuple[PlannedSkill, ...]:
        known = self._sections.skills
        return tuple(
            PlannedSkill(name=name, digest=known[name].digest, required=name in required)
            for name in names
            if name in known
        )

    def _description(self, name: str) -> str:
        """Replicas of an agent have names that nothing defines; nobody sends them."""
        defined = {**built_in.AGENTS, **self._sections.agents}
        return defined[name].description if name in defined else ""

    def _context_tokens(self, providers: Sequence[str]) -> int:
        """Each of them may be asked to go on with the conversation, so that the smallest counts.

        An alert may name a provider that is not configured (any longer): its call fails, and is not about size.
        """
        known = (self._sections.llm_providers.get(name) for name in providers)
        return min(DEFAULT_CONTEXT_TOKENS if one is None else one.context_tokens_in_use for one in known)

    def _known_contexts(self, providers: Sequence[str]) -> dict[str, int]:
        """Nothing of one whose context is only assumed: a conversation is not shortened for a guess."""
        known = {name: self._sections.llm_providers.get(name) for name in providers}
        found = {name: None if one is None else one.known_context_tokens for name, one in known.items()}
        return {name: tokens for name, tokens in found.items() if tokens is not None}

    def _server(self, name: str) -> ResolvedServer:
        """One that is not configured (any longer) stays: the agent is told that it is unavailable."""
        tools = self._tools.get(name)
        server = self._sections.mcp_servers.get(name)
        if server is None:
            return ResolvedServer(server=name, tools=tools)
        rule = server.summarization
        return ResolvedServer(
            server=name,
            instructions=server.instructions,
            summary=SummaryRule(
                enabled=rule.enabled,
                size_threshold_tokens=rule.size_threshold_tokens,
                summary_max_token_limit=rule.summary_max_token_limit,
                llm_provider=rule.llm_provider or "",
            ),
            tools=tools,
            isolation=server.isolation_in_use,
            allow=server.allow or (),
            approve=rule_of(self._sections.approve_of(server), self._approve),
            dry_run=server.dry_run,
        )


def _value(setting: Setting) -> Any:
    return tuple(each.value for each in setting) if isinstance(setting, tuple) else setting.value
