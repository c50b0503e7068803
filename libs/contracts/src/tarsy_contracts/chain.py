"""The plan of an investigation, resolved from the configuration and kept with the session that runs by it."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field, JsonValue

from tarsy_contracts.actions import ActionMode, VerificationRule
from tarsy_contracts.budgets import NO_BUDGET, NO_DAY_BUDGETS, Budget, DayBudgets
from tarsy_contracts.calendar import Calendar
from tarsy_contracts.memory import MemoryRule
from tarsy_contracts.skills import PlannedSkill
from tarsy_contracts.wire.message import Value
from tarsy_contracts.wire.numbers import Count, Index, Seconds, Share

CONTROLLERS = ("function_calling", "react", "single_shot")
Controller = Annotated[str, Field(examples=[*CONTROLLERS])]
"""How an agent is controlled: by native tool calls, by text that we parse (for models without them), or by one question
without tools. An execution whose controller is not known fails with that reason.
"""

STAGE_TYPES = ("investigation", "synthesis", "exec_summary", "action", "compose", "chat", "scoring", "reflection")
STAGES_AFTER_THE_END = ("chat", "scoring", "reflection")
"""Those of them that do not belong to the investigation: they follow it, and change nothing of how it went."""
StageType = Annotated[str, Field(examples=[*STAGE_TYPES])]
"""The purpose of a stage. One that is not known is shown as it is; its agents investigate."""

NATIVE_TOOLS = ("google_search", "url_context", "code_execution")
NativeTool = Annotated[str, Field(examples=[*NATIVE_TOOLS])]
"""Tools of the LLM provider itself. One that is not known is left out."""

type SuccessPolicy = Literal["any", "all"]
type ParallelType = Literal["multi_agent", "replica"]
type Isolation = Literal["shared", "session"]


class SummaryRule(Value):
    """When a tool's result is summarised before the agent reads it, how long the summary should be, and who writes it.

    Without an `llm_provider` it is the one that the chain names for summaries.
    """

    enabled: bool = True
    size_threshold_tokens: Count = 5000
    summary_max_token_limit: Count = 1000
    llm_provider: str = ""


type AtTimeout = Literal["deny", "fail"]
RESPONDER = "responder"
"""The role that decides about calls where the configuration names no other."""


class ApprovalRule(Value):
    """The calls that wait for a person: of tools that are not read-only (`changing`), and of `tools` (patterns)."""

    changing: bool = False
    tools: tuple[str, ...] = ()


class ApprovalTerms(Value):
    """`role`: who may decide. A wait ends after `timeout_seconds`: the call is denied, or the session fails."""

    role: str = RESPONDER
    timeout_seconds: Seconds = 1800.0
    on_timeout: AtTimeout = "deny"


class ResolvedServer(Value):
    """An MCP server as the plan uses it. `tools`: only these of its tools; None for all.

    `isolation`: whether all investigations share its sessions, or each has one of its own.

    `allow`: the tools (patterns) that may be offered though they are not read-only. Plans from before there was such a
    rule allow none. `approve`: the calls that wait for a person. `dry_run`: by tool, the arguments that make a call
    of it harmless (`apply_template` of `tarsy_contracts.argument_templates`).
    """

    server: str
    instructions: str = ""
    summary: SummaryRule = SummaryRule()
    tools: tuple[str, ...] | None = None
    isolation: Isolation = "shared"
    allow: tuple[str, ...] = ()
    approve: ApprovalRule = ApprovalRule()
    dry_run: dict[str, dict[str, JsonValue]] = Field(default_factory=dict)


class SubAgentLimits(Value):
    """Limits of the sub-agents that an agent sends. `max_running`: at once; `max_started`: in all.

    `max_depth`: of sub-agents below an agent of a stage, with 1 for those that send nobody. `max_tokens`: of all below
    the agent together. `seconds`: of each; `total_seconds`: of all, since the first began. 0 is no limit of these.
    No sub-agent goes on for longer than its parent may call tools.

    `required`: the agent counts as completed only if all its sub-agents have completed.
    """

    max_running: Index = 5
    max_started: Index = 20
    max_depth: Index = 1
    max_tokens: Count = 0
    seconds: Seconds = 0.0
    total_seconds: Seconds = 0.0
    required: bool = False


class ResolvedAgent(Value):
    """`name` is what people see (`X-2` is the second replica of X).

    `llm_provider` is asked first; when it fails, `fallback_providers` in their order. `context_tokens`: what each of
    them can read at once; 0 is unknown. `known_contexts`: the same by provider, of those whose context is configured or
    follows from their type. `lacking_native_tools`: those that it should have, and that `llm_provider` has not;
    a fallback may have them. `skills`: those that it may have, wherever they fit. `action`: whether it may change
    something, and whether it only proposes that. `description`: for an agent that may send it. `sub_agents`: those that
    it may send itself, by their names in the plan. `budget`: of one run of it, with those of the sub-agents below it.
    """

    name: str
    llm_provider: str
    max_iterations: Index
    custom_instructions: str = ""
    servers: tuple[ResolvedServer, ...] = ()
    controller: Controller = "function_calling"
    fallback_providers: tuple[str, ...] = ()
    native_tools: tuple[NativeTool, ...] = ()
    lacking_native_tools: tuple[NativeTool, ...] = ()
    context_tokens: Count = 0
    known_contexts: dict[str, Count] = Field(default_factory=dict)
    skills: tuple[PlannedSkill, ...] = ()
    action: ActionMode = ""
    description: str = ""
    sub_agents: tuple[str, ...] = ()
    sub_agent_limits: SubAgentLimits = SubAgentLimits()
    budget: Budget = NO_BUDGET

    @property
    def llm_providers(self) -> frozenset[str]:
        """All that it may ask, also for its summaries."""
        summaries = (server.summary.llm_provider for server in self.servers if server.summary.llm_provider)
        return frozenset({self.llm_provider, *self.fallback_providers, *summaries})


class ResolvedStage(Value):
    """Its agents run in parallel. `synthesis` is who makes one analysis of theirs; there is one when they are several.

    `success_policy`: whether any or all of them must complete. `replicas`: they are the same agent several times.
    """

    name: str
    agents: tuple[ResolvedAgent, ...]
    success_policy: SuccessPolicy = "any"
    replicas: bool = False
    synthesis: ResolvedAgent | None = None


class CallLimits(Value):
    """Seconds from the event that asked for something to the moment at which nobody waits for it any longer.

    An iteration is an LLM call, however often it is tried, until its answer; waits that a provider asked for do not
    count. `rate_limit_seconds`: how long one LLM call may wait in all because a provider has too much to do.
    `session_seconds` count from its first stage, `reply_seconds` from the question of a person. `conclusion_seconds`
    before their end agents lose their tools; plans from before there was such a time have none.
    """

    llm_call_seconds: Seconds = 300.0
    tool_call_seconds: Seconds = 60.0
    summary_seconds: Seconds = 300.0
    iteration_seconds: Seconds = 360.0
    session_seconds: Seconds = 2400.0
    rate_limit_seconds: Seconds = 600.0
    reply_seconds: Seconds = 900.0
    conclusion_seconds: Seconds = 0.0


class SummaryLabel(Value):
    label: str
    description: str = ""


class LabelRule(Value):
    """The labels that an executive summary may give its session: one of them, or several with `multi`."""

    labels: tuple[SummaryLabel, ...]
    multi: bool = False
    instructions: str = ""


class ResolvedChain(Value):
    """`summary_llm_provider` writes the summaries of long results; the default is the agent's own provider.
    `summary_fallbacks` stand in for it; None: those of the agent.

    `executive_summary`: who writes it at the end; nobody without one.

    `chat`: who answers questions about the finished investigation. Without one (plans from before chat) it is the first
    agent, with the servers of all.

    `default_runbook` is what agents read when the alert names no runbook, or when its runbook cannot be fetched.

    `config_version`: the version of the configuration that it was resolved from; empty in plans from before there was
    one.

    `cancel_resolved`: a session that still waits for its turn ends when its alert is resolved.

    `approval`: who decides about calls that wait for a person, and what happens if nobody does.

    `chosen_by`: the rule by which the chain was chosen, for people; empty in plans from before there was one.
    `unmatched`: it is the default, as no chain matched.

    `verify`: how to see whether an action helped; nobody looks without it. `compose`: who writes the amended report
    after the last stage that acts; nobody without one. `actions_per_hour`: so many calls of its action agents are
    granted for one workload; 0 is no limit.
    `calendar`: what agents are told of the day on which they begin; nothing without one. In a session it is that of
    the alert's team. `labels`: those that the executive summary chooses from; none without.
    `sub_agents`: all that other agents may send. Where their settings differ, those of one name have several keys.
    `scoring`: who judges the finished investigation; nobody without one. `scoring_rate`: the share of sessions that are
    judged by themselves.
    `memory`: what agents are given of earlier investigations, and `reflector`: who draws memories from this one;
    without them nobody is, and nobody does.
    `budget`: of the session, in all its lives. `day_budgets`: those of its day that it counts to.
    """

    chain_id: str
    stages: tuple[ResolvedStage, ...]
    limits: CallLimits = CallLimits()
    summary_llm_provider: str
    summary_fallbacks: tuple[str, ...] | None = None
    scripted: bool = False
    executive_summary: ResolvedAgent | None = None
    default_runbook: str = ""
    chat: ResolvedAgent | None = None
    chat_enabled: bool = True
    config_version: str = ""
    cancel_resolved: bool = False
    approval: ApprovalTerms = ApprovalTerms()
    chosen_by: str = ""
    unmatched: bool = False
    verify: VerificationRule | None = None
    compose: ResolvedAgent | None = None
    actions_per_hour: Count = 0
    sub_agents: dict[str, ResolvedAgent] = Field(default_factory=dict)
    calendar: Calendar | None = None
    budget: Budget = NO_BUDGET
    day_budgets: DayBudgets = NO_DAY_BUDGETS
    labels: LabelRule | None = None
    scoring: ResolvedAgent | None = None
    scoring_rate: Share = 1.0
    memory: MemoryRule | None = None
    reflector: ResolvedAgent | None = None

    def agents(self) -> Iterator[ResolvedAgent]:
        """All that may run, in their order."""
        for stage in self.stages:
            yield from stage.agents
            if stage.synthesis is not None:
                yield stage.synthesis
        if self.compose is not None:
            yield self.compose
        if self.executive_summary is not None:
            yield self.executive_summary
        if self.chat is not None:
            yield self.chat
        if self.scoring is not None:
            yield self.scoring
        if self.reflector is not None:
            yield self.reflector
        yield from self.sub_agents.values()

    @property
    def llm_providers(self) -> frozenset[str]:
        """The names of all that may be asked."""
        requested = (agent.llm_providers for agent in self.agents())
        return frozenset({self.summary_llm_provider, *(self.summary_fallbacks or ())} - {""}).union(*requested)
