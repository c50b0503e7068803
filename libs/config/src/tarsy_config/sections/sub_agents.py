"""Sub-agents: whom an agent may send, and within which limits."""

from typing import Annotated

from pydantic import BeforeValidator, Field

from tarsy_config.sections.budgets import BudgetSettings
from tarsy_config.sections.fallbacks import ModelChoice
from tarsy_config.values import Name, Positive, Seconds, Section, Servers, Strategy, to_sections

MOST_NAMED = 20
DEEPEST = 3


class SubAgentChoice(ModelChoice):
    """An agent that another one may send: what is set here wins over its own definition."""

    name: Name
    max_iterations: Positive | None = None
    mcp_servers: Servers = None
    iteration_strategy: Strategy | None = None
    skills: tuple[Name, ...] | None = None
    required_skills: tuple[Name, ...] | None = None
    budget: BudgetSettings | None = None


def read_sub_agents(value: object) -> object:
    """A list of sections, or of names."""
    return to_sections(value, "name")


type SubAgents = Annotated[tuple[SubAgentChoice, ...], BeforeValidator(read_sub_agents), Field(max_length=MOST_NAMED)]


class Orchestrator(Section):
    """Limits of the sub-agents of one agent. `agent_timeout`: of each; `max_budget`: of all, from the first on.

    `max_agents`: in all; `max_depth`: 1 where sub-agents send nobody. `max_tokens`: of all below the agent together.
    `sub_agents_required`: the agent counts as completed only if they have.
    """

    max_concurrent_agents: Positive | None = None
    agent_timeout: Seconds | None = None
    max_budget: Seconds | None = None
    max_agents: Positive | None = None
    max_depth: Annotated[int, Field(ge=1, le=DEEPEST)] | None = None
    max_tokens: Positive | None = None
    sub_agents_required: bool | None = None


LIMITS = {
    "max_concurrent_agents": "max_running",
    "agent_timeout": "seconds",
    "max_budget": "total_seconds",
    "max_agents": "max_started",
    "max_depth": "max_depth",
    "max_tokens": "max_tokens",
    "sub_agents_required": "required",
}
"""Keys of `orchestrator`, by the fields of the plan's SubAgentLimits."""
