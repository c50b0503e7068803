"""AGENT_OPTIONS: the settings of an agent.

Sections, resolution, plan, `config show`, checks and documentation read this table. A new setting is a line of it, and
a field of AgentOptions, AgentSettings and the plan's `ResolvedAgent`.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Literal

from pydantic import create_model

from tarsy_config.document.key_paths import AGENT, CHAIN, CHAT, DEFAULTS, MODEL, SENDERS, STAGE, STAGE_AGENT
from tarsy_config.document.provenance import Found
from tarsy_config.errors import KeyPath
from tarsy_config.sections import resolution as rules
from tarsy_config.sections.budgets import BudgetSettings
from tarsy_config.sections.providers import NativeTools
from tarsy_config.sections.resolution import Levels, Option, Setting
from tarsy_config.sections.sub_agents import Orchestrator, SubAgents
from tarsy_config.values import Name, Positive, Section, Servers, Strategy
from tarsy_contracts.actions import ACT, ActionMode
from tarsy_contracts.budgets import Budget
from tarsy_contracts.chain import Controller, NativeTool, SubAgentLimits

type AgentType = Literal["", "synthesis", "exec_summary", "action", "scoring"]


class AgentOptions(Section):
    """The settings of an agent as sections have them, beside those of `ModelChoice`."""

    type: AgentType | None = None
    mcp_servers: Servers = None
    custom_instructions: str = ""
    max_iterations: Positive | None = None
    iteration_strategy: Strategy | None = None
    native_tools: NativeTools = NativeTools()
    skills: tuple[Name, ...] | None = None
    required_skills: tuple[Name, ...] | None = None
    action: Literal["act", "propose"] | None = None
    sub_agents: SubAgents | None = None
    orchestrator: Orchestrator | None = None
    budget: BudgetSettings | None = None


if TYPE_CHECKING:

    class SomeOptions(AgentOptions):
        """The settings that `with_options` adds, which a type checker cannot know: all."""

else:
    SomeOptions = Section

SKILLS = (AGENT, STAGE, STAGE_AGENT)

AGENT_OPTIONS = (
    Option(
        "llm_provider",
        MODEL,
        rules.take_provider,
        order="`llm_provider` | the first of `defaults` that can be used → {} → the alert",
    ),
    Option(
        "max_iterations",
        (DEFAULTS, AGENT, CHAIN, STAGE, STAGE_AGENT, CHAT),
        rules.take_last,
        otherwise=20,
        asked_once=1,
        order="`max_iterations` | 20 → {}",
    ),
    Option(
        "iteration_strategy",
        (DEFAULTS, AGENT, CHAIN, STAGE_AGENT, CHAT),
        rules.choose_controller,
        setting="controller",
        otherwise="function-calling",
        order="`iteration_strategy` | `function-calling` → {}",
    ),
    Option("type", (AGENT, STAGE_AGENT), order="`type` | {}"),
    Option(
        "action",
        (DEFAULTS, AGENT, CHAIN, STAGE, STAGE_AGENT),
        rules.choose_action,
        otherwise=ACT,
        order="`action` | `act` → {}; only agents of type `action`",
    ),
    Option(
        "mcp_servers",
        (AGENT, CHAIN, STAGE, STAGE_AGENT, CHAT),
        rules.replace_list,
        asked_once=(),
        order="`mcp_servers` | {} → the alert; a list replaces the one before, an empty one says nothing",
    ),
    Option(
        "fallback_providers",
        (DEFAULTS, STAGE, *MODEL),
        rules.take_last_list,
        order="`fallback_providers`, or the name of a list in `fallback_list` | "
        "none → {}; a list replaces the one before, `[]` clears it",
    ),
    Option("fallback_list", (DEFAULTS, STAGE, *MODEL)),
    Option(
        "native_tools",
        (AGENT,),
        rules.take_each_tool,
        order="`native_tools` | none → provider → {} → the alert; each tool by itself; "
        "[who has which](../how-to/bring-your-own-model.md#tools-of-the-providers-own)",
    ),
    Option("native_tools", (AGENT,), rules.take_each_lacking_tool, setting="lacking_native_tools"),
    Option(
        "skills",
        SKILLS,
        rules.add_skills,
        asked_once=(),
        order="`skills` | {}; without a list all, and `[]` is none; a list of a stage adds to the agent's",
    ),
    Option(
        "required_skills",
        SKILLS,
        rules.add_names,
        asked_once=(),
        order="`required_skills` | none → {}; each place adds",
    ),
    Option("custom_instructions", (AGENT,), rules.take_last, otherwise="", free_text=True),
    Option(
        "sub_agents",
        SENDERS,
        rules.take_sub_agents,
        asked_once=(),
        order="`sub_agents` | none → {}; a list replaces the one before, `[]` clears it; "
        "a sub-agent has those of its own definition only",
    ),
    Option(
        "orchestrator",
        SENDERS,
        rules.take_each_limit,
        setting="sub_agent_limits",
        order="`orchestrator` | [their defaults](#sub-agents) → {}; each by itself",
    ),
    Option(
        "budget",
        (DEFAULTS, AGENT, CHAIN, STAGE_AGENT),
        rules.take_budget,
        order="`budget` | none → {}; the whole of it. In `defaults` and a chain it is that of each session, "
        "else that of one run of the agent",
    ),
)
SETTINGS = {option.setting or option.key: option for option in AGENT_OPTIONS if option.rule}


@dataclass(frozen=True, slots=True)
class AgentSettings:
    """An agent as a chain uses it. `config show` and the plan have these settings under the same names."""

    name: str
    llm_provider: Found[str]
    fallback_providers: Found[tuple[str, ...]]
    controller: Found[Controller]
    max_iterations: Found[int]
    mcp_servers: Found[tuple[str, ...]]
    native_tools: tuple[Found[NativeTool], ...]
    lacking_native_tools: tuple[Found[NativeTool], ...]
    skills: Found[tuple[str, ...]]
    required_skills: Found[tuple[str, ...]]
    custom_instructions: Found[str]
    action: Found[ActionMode]
    sub_agents: Found[tuple[str, ...]]
    sub_agent_limits: Found[SubAgentLimits]
    budget: Found[Budget]

    def by_name(self) -> dict[str, Setting]:
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name in SETTINGS}


def resolve_agent(name: str, levels: Levels) -> AgentSettings:
    levels = replace(levels, provider=rules.find_provider(levels))
    found: dict[str, Any] = {key: option.rule(option, levels) for key, option in SETTINGS.items() if option.rule}
    controller: Found[Controller] = found["controller"]
    if controller.value == "single_shot":
        once = {key: option.asked_once for key, option in SETTINGS.items() if option.asked_once is not None}
        found |= {key: Found(value, controller.origin) for key, value in once.items()}
    return AgentSettings(name=name, **found)


def with_options[S: Section](at: KeyPath) -> Callable[[type[S]], type[S]]:
    """Adds to a section those of AgentOptions that it may have."""

    def extend(section: type[S]) -> type[S]:
        keys = [option.key for option in AGENT_OPTIONS if at in option.at]
        found = {key: field for key, field in AgentOptions.model_fields.items() if key in keys}
        added: dict[str, Any] = {key: (field.annotation, field.default) for key, field in found.items()}
        return create_model(section.__name__, __base__=section, __module__=section.__module__, **added)

    return extend
